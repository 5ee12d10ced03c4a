#pragma once

#include <cstdint>

namespace haichi {

/// Where the time of a rank went.
struct RankTimes {
    std::int64_t compute_ps = 0;
    std::int64_t call_ps = 0;  ///< overheads and copies
    std::int64_t wait_ps = 0;  ///< in waits and barriers
    std::int64_t end_ps = 0;   ///< when the rank finished, else the end of the run; the sum of the above
    bool finished = false;
};

}  // namespace haichi
