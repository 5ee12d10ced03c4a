#pragma once

#include <cstdint>
#include <string>

#include "commlog/ccs/extraction.h"

namespace haichi {

/// The number of messages and bytes of one set.
struct SetSize {
    std::int64_t messages = 0;
    std::int64_t bytes = 0;
    std::int64_t largest_bytes = 0;
};
SetSize set_size(const Workload& workload, std::size_t set);

/// Returns the report `haichi-ccs/1` (docs/reference/results_of_logs.md) as one line. `log` is the name of the log's
/// file, if there are several logs.
std::string extraction_json(const Extraction& extraction, const std::string& log = "");

}  // namespace haichi
