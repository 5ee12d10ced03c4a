#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "commlog/ccs/main_loop.h"
#include "commlog/ccs/rank_loops.h"

namespace haichi {

/// One event of a rank in one iteration of the main loop.
struct WindowEvent {
    const LoggedEvent* event = nullptr;
    std::uint32_t first_request = 0;  ///< kComplete: its first request in RankWindow::requests
    std::uint32_t requests = 0;
    double gap_seconds = 0;  ///< mean computation time before it
};

/// A request completed in an iteration. The event that posted it is in this iteration or in an earlier one.
struct WindowRequest {
    std::uint32_t post = 0;
    std::uint32_t iterations_ago = 0;
    std::int32_t source = kNobody;  ///< source of the received message, if the receive left it open
    std::int32_t tag = 0;
};

/// One iteration of the main loop in one rank with its loops unrolled, or the rank's whole log.
struct RankWindow {
    std::size_t log = 0;   ///< index of the thread in the loops of all threads
    std::size_t rank = 0;  ///< index in JobLog::ranks
    std::vector<WindowEvent> events;
    std::vector<WindowRequest> requests;
    bool repeats = true;  ///< false: the whole log, with nothing before and after it

    /// The cut of the main loop: the window has events [cut, end) of one iteration and [0, cut) of the next.
    std::size_t cut = 0;
    /// The traffic on each channel of the main loop before the first loop.
    BodyTraffic before;
    /// Number of events before the first loop that also belong to its iterations.
    std::size_t early_events = 0;
};

/// Unrolls one iteration of the main loop in each rank that takes part. Throws UnsupportedError if the iterations have
/// more than `most_events` events in all.
std::vector<RankWindow> unroll(const std::vector<RankLoops>& loops, const MainLoop& main_loop,
                               std::int64_t most_events);

/// Unrolls the whole log of every rank as one iteration.
std::vector<RankWindow> unroll_all(const std::vector<RankLoops>& loops, std::int64_t most_events);

}  // namespace haichi
