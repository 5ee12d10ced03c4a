#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "commlog/ccs/rank_loops.h"

namespace haichi {

/// A repetition that ranks share: of each that takes part a loop body, and how often it is executed in one repetition
/// of the kernel.
struct Kernel {
    struct Part {
        std::int32_t rank = 0;
        std::size_t body = 0;
        std::int64_t executions = 1;  ///< of the body, in one repetition
    };
    std::vector<Part> parts;       ///< by rank
    std::int64_t repetitions = 0;  ///< that all ranks have made
    double bytes = 0;              ///< sent in all of them
};

struct KernelSearch {
    /// The chosen one first: the one that carries most bytes or, where 9/10 of these are a loop inside of it, that
    /// loop. Then the others, most bytes first.
    std::vector<Kernel> kernels;
    /// Why the largest repetition of any rank is no kernel, where it is none.
    std::string refusal;
};

/// Finds repetitions that all ranks share which communicate in them. From a loop of one rank its messages are followed
/// to the loops of other ranks that receive them, and so on; in all of them together every channel must have as many
/// sends as receives. `loops` by rank. O(ranks x loops x channels of a rank).
KernelSearch find_kernels(const JobLog& job, const std::vector<RankLoops>& loops);

}  // namespace haichi
