#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "commlog/ccs/rank_loops.h"

namespace haichi {

/// A main loop that ranks share. Each log that takes part has a loop body and its number of executions in one iteration
/// of the main loop.
struct MainLoop {
    struct Part {
        std::size_t log = 0;  ///< index in the loops
        std::size_t body = 0;
        std::int64_t executions = 1;  ///< executions of the body in one iteration
    };
    std::vector<Part> parts;      ///< sorted by log
    std::int64_t iterations = 0;  ///< iterations that all logs have in common
    double bytes = 0;             ///< sent in all iterations
    double messages = 0;          ///< sent in all iterations
};

struct MainLoopSearch {
    /// The chosen one is first: the loop with most bytes, or a loop inside it that has 9/10 of its bytes and messages.
    /// The others follow, most bytes first.
    std::vector<MainLoop> main_loops;
    /// States why the largest loop of any rank is not a main loop; empty if it is one.
    std::string refusal;
};

/// Finds the loops that all communicating ranks share. It starts with a loop of one rank, follows its messages to the
/// loops of other ranks that receive them, and so on. In all these loops together, every channel must have as many
/// sends as receives. Loops with equal numbers of executions and of collectives of all ranks count as one loop of the
/// program. That loop is tried from a few ranks, however many there are. `loops` are by rank.
/// O(loops of the program x channels of all ranks).
MainLoopSearch find_main_loops(const JobLog& job, const std::vector<RankLoops>& loops);

/// Returns whether `inner` is a loop of `outer`, judged by the part that one of the first ranks has of both.
bool is_inside(const std::vector<RankLoops>& loops, const MainLoop& inner, const MainLoop& outer);

}  // namespace haichi
