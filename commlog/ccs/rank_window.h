#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "commlog/ccs/kernel.h"
#include "commlog/ccs/rank_loops.h"

namespace haichi {

/// One event of a rank in one repetition of the kernel.
struct WindowEvent {
    const LoggedEvent* event = nullptr;
    std::uint32_t first_request = 0;  ///< kComplete: the requests, in RankWindow::requests
    std::uint32_t requests = 0;
    double gap_seconds = 0;  ///< mean computing time before it
};

/// A request completed in a repetition: the event that posted it, and in which repetition: this one, or an earlier one.
struct WindowRequest {
    std::uint32_t post = 0;
    std::uint32_t repetitions_ago = 0;
    std::int32_t source = kNobody;  ///< what came, where the receive left it open
    std::int32_t tag = 0;
};

/// One repetition of the kernel in one rank, its loops unrolled, or the whole of its log.
struct RankWindow {
    std::size_t log = 0;   ///< whose loops: index in those of all threads
    std::size_t rank = 0;  ///< index in JobLog::ranks
    std::vector<WindowEvent> events;
    std::vector<WindowRequest> requests;
    bool repeats = true;  ///< false: the whole log, before and behind which there is nothing

    /// Where the kernel is cut: events [cut, end) of one repetition and [0, cut) of the next are taken.
    std::size_t cut = 0;
    /// Before the first loop: how often each channel of the kernel was used.
    BodyTraffic before;
    /// So many events before the first loop belong to its repetitions, too.
    std::size_t early_events = 0;
};

/// Unrolls one repetition of the kernel in each rank that takes part. Throws UnsupportedError when they are more than
/// `most_events` in all.
std::vector<RankWindow> unroll(const std::vector<RankLoops>& loops, const Kernel& kernel, std::int64_t most_events);

/// The whole log of every rank as one repetition.
std::vector<RankWindow> unroll_all(const std::vector<RankLoops>& loops, std::int64_t most_events);

}  // namespace haichi
