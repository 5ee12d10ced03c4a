#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "commlog/workload/workload.h"

namespace haichi {

/// Text such as "a message from rank 1, tag 0, at most 8 bytes", for reports of stuck programs.
std::string receive_text(RankId source, std::int32_t tag, std::int64_t bytes);
/// Text for a rendezvous that has not been acknowledged.
std::string send_text(RankId destination, std::int32_t tag, std::int64_t bytes);
/// The first few requests, after a blank. `count` requests are open in total.
std::string list_text(const std::vector<std::string>& requests, std::uint32_t count);

}  // namespace haichi
