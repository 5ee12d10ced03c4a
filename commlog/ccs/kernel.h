#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "commlog/ccs/rank_loops.h"

namespace haichi {

/// A repetition that ranks share: of each log of calls that takes part a loop body, and how often it is executed in one
/// repetition of the kernel.
struct Kernel {
    struct Part {
        std::size_t log = 0;  ///< index in the loops it was found in
        std::size_t body = 0;
        std::int64_t executions = 1;  ///< of the body, in one repetition
    };
    std::vector<Part> parts;       ///< by log
    std::int64_t repetitions = 0;  ///< that all have made
    double bytes = 0;              ///< sent in all of them
    double messages = 0;           ///< likewise
};

struct KernelSearch {
    /// The chosen one first: the one that carries most bytes or, where 9/10 of these and of its messages are a loop
    /// inside of it, that loop. Then the others, most bytes first.
    std::vector<Kernel> kernels;
    /// Why the largest repetition of any rank is no kernel, where it is none.
    std::string refusal;
};

/// Finds repetitions that all ranks share which communicate in them. From a loop of one rank its messages are followed
/// to the loops of other ranks that receive them, and so on; in all of them together every channel must have as many
/// sends as receives. Loops that are executed equally often, with as many collectives of all ranks, are taken for one
/// loop of the program: it is tried from a few ranks, however many there are. `loops` by rank.
/// O(loops of the program x channels of all ranks).
KernelSearch find_kernels(const JobLog& job, const std::vector<RankLoops>& loops);

/// Whether `inner` is a loop of `outer`, in the part that one of the first ranks has of both.
bool is_inside(const std::vector<RankLoops>& loops, const Kernel& inner, const Kernel& outer);

}  // namespace haichi
