#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "commlog/barriers/script.h"
#include "commlog/ccs/levels.h"

namespace haichi {

/// A main loop and its sets, as found by the extraction.
struct SetsOfLoop {
    const JobLog* job = nullptr;
    const std::vector<RankLoops>* loops = nullptr;
    const std::vector<RankWindow>* windows = nullptr;
    const Levels* levels = nullptr;
    std::span<const std::uint32_t> set_of_message;  ///< set number of each message, by index in Levels::messages
    std::int64_t in_flight = 0;                     ///< number of messages in flight at every cut
};

/// Writes the calls of all ranks. In every iteration of the main loop, a barrier over all ranks precedes each set in
/// `before` (numbered from 0). Each barrier is at a common cut of the ranks. All messages of earlier sets are posted
/// before the barrier, and all other messages after it. Before the barrier, no rank waits for a call that comes after
/// it. Throws UnsupportedError if a set has no such cut or if the log does not determine the calls. Takes O(events of
/// the log + messages) time.
barriers::BarrierFile barrier_scripts(const SetsOfLoop& loop, std::span<const std::size_t> before,
                                      std::int64_t most_events);

}  // namespace haichi
