#include "commlog/ccs/main_loop_choice.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/errors.h"
#include "base/quantity.h"

namespace haichi {

namespace {

using By = MainLoopChoice::By;

constexpr std::array<std::pair<std::string_view, By>, 6> kMainLoopNames = {{{"auto", By::kAuto},
                                                                            {"whole", By::kWhole},
                                                                            {"bytes", By::kBytes},
                                                                            {"messages", By::kMessages},
                                                                            {"outer", By::kOuter},
                                                                            {"inner", By::kInner}}};

/// Returns the index of the main loop with the largest `what`. If several are nearly equal, it is the main loop with
/// the most iterations.
std::size_t with_most(const std::vector<MainLoop>& main_loops, double MainLoop::*what) {
    constexpr double kNearly = 0.99;
    double most = 0;
    for (const MainLoop& main_loop : main_loops) most = std::max(most, main_loop.*what);
    std::size_t best = main_loops.size();
    for (std::size_t k = 0; k < main_loops.size(); ++k) {
        if (main_loops[k].*what < kNearly * most) continue;
        if (best == main_loops.size() || main_loops[k].iterations > main_loops[best].iterations) best = k;
    }
    return best;
}

}  // namespace

MainLoopChoice parse_main_loop_choice(std::string_view text) {
    constexpr std::int64_t kMostMainLoops = 1000;
    const auto* const found = std::ranges::find(kMainLoopNames, text, &std::pair<std::string_view, By>::first);
    if (found != kMainLoopNames.end()) return {found->second, 0};
    const std::string expected =
        "§main-loop: expected auto, whole, bytes, messages, outer, inner or a number from 1, found " + shown(text);
    if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos) {
        throw OptionError(expected);
    }
    const auto number = static_cast<int>(parse_count(text, kMostMainLoops, {"§main-loop"}));
    if (number == 0) throw OptionError(expected);
    return {By::kNumber, number};
}

std::size_t chosen_main_loop(const MainLoopChoice& choice, const std::vector<RankLoops>& loops,
                             const std::vector<MainLoop>& main_loops) {
    switch (choice.by) {
        case By::kAuto:
        case By::kWhole:
            return 0;
        case By::kNumber:
            if (static_cast<std::size_t>(choice.number) > main_loops.size()) {
                throw OptionError("§main-loop " + std::to_string(choice.number) + ": the log has " +
                                  std::to_string(main_loops.size()) + (main_loops.size() == 1 ? " loop" : " loops") +
                                  " to choose from");
            }
            return static_cast<std::size_t>(choice.number) - 1;
        case By::kBytes:
            return with_most(main_loops, &MainLoop::bytes);
        case By::kMessages:
            return with_most(main_loops, &MainLoop::messages);
        case By::kOuter: {
            const auto around = main_loops_around(loops, main_loops);
            std::size_t k = 0;
            while (around[k] != k) k = around[k];
            return k;
        }
        case By::kInner: {
            std::size_t best = 0;
            for (std::size_t k = 1; k < main_loops.size(); ++k) {
                if ((best == 0 || main_loops[k].bytes > main_loops[best].bytes) &&
                    is_inside(loops, main_loops[k], main_loops[0])) {
                    best = k;
                }
            }
            return best;
        }
    }
    return 0;
}

std::vector<std::size_t> main_loops_around(const std::vector<RankLoops>& loops,
                                           const std::vector<MainLoop>& main_loops) {
    std::vector<std::size_t> around(main_loops.size());
    for (std::size_t k = 0; k < main_loops.size(); ++k) {
        around[k] = k;
        for (std::size_t outer = 0; outer < main_loops.size(); ++outer) {
            if (outer == k || !is_inside(loops, main_loops[k], main_loops[outer])) continue;
            if (around[k] == k || main_loops[outer].iterations > main_loops[around[k]].iterations) around[k] = outer;
        }
    }
    return around;
}

}  // namespace haichi
