#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "commlog/barriers/script.h"
#include "commlog/ccs/levels.h"

namespace haichi {

/// A main loop with its sets, as the extraction found them.
struct SetsOfLoop {
    const JobLog* job = nullptr;
    const std::vector<RankLoops>* loops = nullptr;
    const std::vector<RankWindow>* windows = nullptr;
    const Levels* levels = nullptr;
    std::span<const std::uint32_t> set_of_message;  ///< by index in Levels::messages
    std::int64_t in_flight = 0;                     ///< messages under way at every cut
};

/// Writes the calls of all ranks. In every iteration of the main loop, a barrier over all ranks precedes each of the
/// sets `before` (from 0). It is at a common cut of the ranks. All messages of earlier sets are posted before it, and
/// all others after it. No rank waits before it for a call after it. Throws UnsupportedError if a set has no such cut
/// or if the log does not determine the calls. O(events of the log + messages).
barriers::BarrierFile barrier_scripts(const SetsOfLoop& loop, std::span<const std::size_t> before,
                                      std::int64_t most_events);

}  // namespace haichi
