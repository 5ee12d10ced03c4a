#pragma once

#include <cstdint>

namespace haichi {

/// The breakdown of a rank's time.
struct RankTimes {
    std::int64_t compute_ps = 0;
    std::int64_t call_ps = 0;  ///< overheads and copies
    std::int64_t wait_ps = 0;  ///< in waits and barriers
    std::int64_t end_ps = 0;   ///< time at which the rank or the run ended, the sum of the times above
    bool finished = false;
};

}  // namespace haichi
