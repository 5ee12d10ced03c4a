#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "commlog/ccs/rank_loops.h"

namespace haichi {

/// A main loop that is common to several ranks. For each participating log, it has a loop body and the number of
/// executions of this body per iteration.
struct MainLoop {
    struct Part {
        std::size_t log = 0;  ///< index in `loops`
        std::size_t body = 0;
        std::int64_t executions = 1;  ///< executions of the body per iteration
    };
    std::vector<Part> parts;      ///< sorted by log
    std::int64_t iterations = 0;  ///< number of iterations that all participating logs have
    double bytes = 0;             ///< bytes sent in all iterations
    double messages = 0;          ///< messages sent in all iterations
};

struct MainLoopSearch {
    /// The chosen main loop comes first: the loop with the most bytes, or a loop inside it with 9/10 of its bytes and
    /// messages. The others follow, sorted by bytes, most bytes first.
    std::vector<MainLoop> main_loops;
    /// The reason why the largest loop of any rank is not a main loop; empty if it is one.
    std::string refusal;
};

/// Finds the loops that are common to all communicating ranks. It starts from a loop of one rank, follows the loop's
/// messages to the loops of other ranks that receive them, and continues from these. Summed over all these loops, every
/// channel must have equally many sends and receives. Loops with equal numbers of executions and of collectives of all
/// ranks are treated as the same loop of the program. Growth is tried from only a few ranks for each loop of the
/// program. `loops` must be in the order of ranks. Takes O(loops of the program x channels of all ranks) time.
MainLoopSearch find_main_loops(const JobLog& job, const std::vector<RankLoops>& loops);

/// Returns true if `inner` is a loop inside `outer`, as decided by the loop bodies of one of the first ranks that has
/// both.
bool is_inside(const std::vector<RankLoops>& loops, const MainLoop& inner, const MainLoop& outer);

}  // namespace haichi
