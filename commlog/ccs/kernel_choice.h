#pragma once

#include <string_view>
#include <vector>

#include "commlog/ccs/kernel.h"

namespace haichi {

/// Which of the kernels found is taken.
struct KernelChoice {
    enum class By {
        kAuto,      ///< the first, or where no rank repeats anything the whole log
        kWhole,     ///< the whole log as one repetition
        kNumber,    ///< the N-th, from 1
        kBytes,     ///< that which explains most bytes, the shortest of nearly equal ones
        kMessages,  ///< likewise most messages
        kOuter,     ///< the outermost loop around the first, or itself
        kInner      ///< the loop in the first that has most bytes, or itself
    };
    By by = By::kAuto;
    int number = 0;

    friend bool operator==(const KernelChoice&, const KernelChoice&) = default;
};

/// "auto", "whole", "bytes", "messages", "outer", "inner", or a number from 1. Throws OptionError naming --kernel for
/// other texts.
KernelChoice parse_kernel_choice(std::string_view text);

/// Index of the kernel. `kernels` as find_kernels() says, one or more. Throws OptionError for a number without kernel.
std::size_t chosen_kernel(const KernelChoice& choice, const std::vector<RankLoops>& loops,
                          const std::vector<Kernel>& kernels);

/// For each kernel the smallest one around it, its own index where it is in none.
std::vector<std::size_t> kernels_around(const std::vector<RankLoops>& loops, const std::vector<Kernel>& kernels);

}  // namespace haichi
