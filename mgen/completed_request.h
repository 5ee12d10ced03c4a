#pragma once

#include <cstdint>

#include "commlog/workload/workload.h"

namespace haichi {

/// What a request was about, once it is complete.
struct CompletedRequest {
    bool is_send = false;
    RankId partner;
    std::int32_t tag = 0;
    std::int64_t bytes = 0;
    std::uint32_t send_request = 0;  ///< of a receive: the sender's number of the send that it took
    bool is_access = false;          ///< a put, get or atomic operation; `partner` is its target
};

}  // namespace haichi
