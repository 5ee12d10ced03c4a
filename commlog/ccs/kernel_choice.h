#pragma once

#include <string_view>
#include <vector>

#include "commlog/ccs/kernel.h"

namespace haichi {

/// The choice among the main loops found.
struct KernelChoice {
    enum class By {
        kAuto,      ///< the first, or the whole log if no rank repeats anything
        kWhole,     ///< the whole log as one iteration
        kNumber,    ///< the N-th, from 1
        kBytes,     ///< the one with most bytes, and the shortest of nearly equal ones
        kMessages,  ///< the one with most messages, likewise
        kOuter,     ///< the outermost loop around the first, or itself
        kInner      ///< the loop in the first that has most bytes, or itself
    };
    By by = By::kAuto;
    int number = 0;

    friend bool operator==(const KernelChoice&, const KernelChoice&) = default;
};

/// Parses "auto", "whole", "bytes", "messages", "outer", "inner", or a number from 1. Throws OptionError naming
/// --kernel for other texts.
KernelChoice parse_kernel_choice(std::string_view text);

/// Returns the index of the chosen main loop. `kernels` is in the order of find_kernels() and not empty. Throws
/// OptionError for a number without main loop.
std::size_t chosen_kernel(const KernelChoice& choice, const std::vector<RankLoops>& loops,
                          const std::vector<Kernel>& kernels);

/// Returns for each main loop the smallest one around it, or its own index if there is none.
std::vector<std::size_t> kernels_around(const std::vector<RankLoops>& loops, const std::vector<Kernel>& kernels);

}  // namespace haichi
