#pragma once

#include <cstdint>

#include "commlog/workload/workload.h"

namespace haichi {

/// A completed request, as reported to RankProgram::completed().
struct CompletedRequest {
    bool is_send = false;
    RankId partner;
    std::int32_t tag = 0;
    std::int64_t bytes = 0;
    std::uint32_t send_request = 0;  ///< for a receive, the sender's request ID of the matching send
    bool is_access = false;          ///< a put, get or atomic operation; `partner` is its target
};

}  // namespace haichi
