#pragma once

#include <string>
#include <string_view>

#include "commlog/workload/workload_json.h"

namespace haichi {

/// Returns the text of the workload's file.
inline std::string workload_text(const Workload& workload) {
    std::string text;
    write_workload_json(workload, [&](std::string_view piece) { text += piece; });
    return text;
}

}  // namespace haichi
