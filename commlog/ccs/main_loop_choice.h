#pragma once

#include <string_view>
#include <vector>

#include "commlog/ccs/main_loop.h"

namespace haichi {

/// The choice among the main loops found.
struct MainLoopChoice {
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

    friend bool operator==(const MainLoopChoice&, const MainLoopChoice&) = default;
};

/// Parses "auto", "whole", "bytes", "messages", "outer", "inner", or a number from 1. Throws OptionError naming
/// --main-loop for other texts.
MainLoopChoice parse_main_loop_choice(std::string_view text);

/// Returns the index of the chosen main loop. `main_loops` is in the order of find_main_loops() and not empty. Throws
/// OptionError for a number without main loop.
std::size_t chosen_main_loop(const MainLoopChoice& choice, const std::vector<RankLoops>& loops,
                             const std::vector<MainLoop>& main_loops);

/// Returns for each main loop the smallest one around it, or its own index if there is none.
std::vector<std::size_t> main_loops_around(const std::vector<RankLoops>& loops,
                                           const std::vector<MainLoop>& main_loops);

}  // namespace haichi
