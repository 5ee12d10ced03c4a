#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "commlog/ccs/main_loop.h"
#include "commlog/ccs/rank_loops.h"

namespace haichi {

/// One event of a rank within an iteration of the main loop.
struct WindowEvent {
    const LoggedEvent* event = nullptr;
    std::uint32_t first_request = 0;  ///< only for kComplete: index of its first request in RankWindow::requests
    std::uint32_t requests = 0;
    double gap_seconds = 0;  ///< mean computation time before the event
};

/// A request that an iteration completes. The event that posted it is in the same iteration or in an earlier one.
struct WindowRequest {
    std::uint32_t post = 0;
    std::uint32_t iterations_ago = 0;
    std::int32_t source = kNobody;  ///< actual source of the message, for a receive from any source
    std::int32_t tag = 0;
};

/// One iteration of the main loop in one rank, with inner loops unrolled, or the whole log of the rank.
struct RankWindow {
    std::size_t log = 0;   ///< index in the loops of all threads
    std::size_t rank = 0;  ///< index in JobLog::ranks
    std::vector<WindowEvent> events;
    std::vector<WindowRequest> requests;
    bool repeats = true;  ///< false if the window is the whole log, so that no events precede or follow it

    /// The cut of the main loop: the window consists of events [cut, end) of one iteration and [0, cut) of the next
    /// one.
    std::size_t cut = 0;
    /// The traffic before the first iteration on each channel of the main loop.
    BodyTraffic before;
    /// Number of events before the first loop that already belong to iterations.
    std::size_t early_events = 0;
};

/// Unrolls one iteration of the main loop in each participating rank. Throws UnsupportedError if these iterations
/// together have more than `most_events` events.
std::vector<RankWindow> unroll(const std::vector<RankLoops>& loops, const MainLoop& main_loop,
                               std::int64_t most_events);

/// Unrolls the whole log of every rank as one iteration.
std::vector<RankWindow> unroll_all(const std::vector<RankLoops>& loops, std::int64_t most_events);

}  // namespace haichi
