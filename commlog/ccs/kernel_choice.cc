#include "commlog/ccs/kernel_choice.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/errors.h"
#include "base/quantity.h"

namespace haichi {

namespace {

using By = KernelChoice::By;

constexpr std::array<std::pair<std::string_view, By>, 6> kKernelNames = {{{"auto", By::kAuto},
                                                                          {"whole", By::kWhole},
                                                                          {"bytes", By::kBytes},
                                                                          {"messages", By::kMessages},
                                                                          {"outer", By::kOuter},
                                                                          {"inner", By::kInner}}};

/// Returns the main loop with the most of `what`. Among nearly equal ones it prefers the most iterations.
std::size_t with_most(const std::vector<Kernel>& kernels, double Kernel::*what) {
    constexpr double kNearly = 0.99;
    double most = 0;
    for (const Kernel& kernel : kernels) most = std::max(most, kernel.*what);
    std::size_t best = kernels.size();
    for (std::size_t k = 0; k < kernels.size(); ++k) {
        if (kernels[k].*what < kNearly * most) continue;
        if (best == kernels.size() || kernels[k].repetitions > kernels[best].repetitions) best = k;
    }
    return best;
}

}  // namespace

KernelChoice parse_kernel_choice(std::string_view text) {
    constexpr std::int64_t kMostKernels = 1000;
    const auto* const found = std::ranges::find(kKernelNames, text, &std::pair<std::string_view, By>::first);
    if (found != kKernelNames.end()) return {found->second, 0};
    const std::string expected =
        "§kernel: expected auto, whole, bytes, messages, outer, inner or a number from 1, found " + shown(text);
    if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos) {
        throw OptionError(expected);
    }
    const auto number = static_cast<int>(parse_count(text, kMostKernels, {"§kernel"}));
    if (number == 0) throw OptionError(expected);
    return {By::kNumber, number};
}

std::size_t chosen_kernel(const KernelChoice& choice, const std::vector<RankLoops>& loops,
                          const std::vector<Kernel>& kernels) {
    switch (choice.by) {
        case By::kAuto:
        case By::kWhole:
            return 0;
        case By::kNumber:
            if (static_cast<std::size_t>(choice.number) > kernels.size()) {
                throw OptionError("§kernel " + std::to_string(choice.number) + ": the log has " +
                                  std::to_string(kernels.size()) + (kernels.size() == 1 ? " loop" : " loops") +
                                  " to choose from");
            }
            return static_cast<std::size_t>(choice.number) - 1;
        case By::kBytes:
            return with_most(kernels, &Kernel::bytes);
        case By::kMessages:
            return with_most(kernels, &Kernel::messages);
        case By::kOuter: {
            const auto around = kernels_around(loops, kernels);
            std::size_t k = 0;
            while (around[k] != k) k = around[k];
            return k;
        }
        case By::kInner: {
            std::size_t best = 0;
            for (std::size_t k = 1; k < kernels.size(); ++k) {
                if ((best == 0 || kernels[k].bytes > kernels[best].bytes) && is_inside(loops, kernels[k], kernels[0])) {
                    best = k;
                }
            }
            return best;
        }
    }
    return 0;
}

std::vector<std::size_t> kernels_around(const std::vector<RankLoops>& loops, const std::vector<Kernel>& kernels) {
    std::vector<std::size_t> around(kernels.size());
    for (std::size_t k = 0; k < kernels.size(); ++k) {
        around[k] = k;
        for (std::size_t outer = 0; outer < kernels.size(); ++outer) {
            if (outer == k || !is_inside(loops, kernels[k], kernels[outer])) continue;
            if (around[k] == k || kernels[outer].repetitions > kernels[around[k]].repetitions) around[k] = outer;
        }
    }
    return around;
}

}  // namespace haichi
