#pragma once

#include <string_view>
#include <vector>

#include "commlog/ccs/main_loop.h"

namespace haichi {

/// Selects one of the main loops that were found.
struct MainLoopChoice {
    enum class By {
        kAuto,      ///< the first one, or the whole log if no rank repeats anything
        kWhole,     ///< the whole log as one iteration
        kNumber,    ///< the N-th one, numbered from 1
        kBytes,     ///< the one with the most bytes; if several are nearly equal, the one with the shortest iteration
        kMessages,  ///< the one with the most messages; ties as for kBytes
        kOuter,     ///< the outermost main loop around the first one, or the first one itself
        kInner      ///< the main loop inside the first one that has the most bytes, or the first one itself
    };
    By by = By::kAuto;
    int number = 0;

    friend bool operator==(const MainLoopChoice&, const MainLoopChoice&) = default;
};

/// Parses "auto", "whole", "bytes", "messages", "outer", "inner", or a number from 1. Throws OptionError that names
/// --main-loop for any other text.
MainLoopChoice parse_main_loop_choice(std::string_view text);

/// Returns the index of the chosen main loop. `main_loops` must be in the order of find_main_loops(), and not empty.
/// Throws OptionError for a number without a main loop.
std::size_t chosen_main_loop(const MainLoopChoice& choice, const std::vector<RankLoops>& loops,
                             const std::vector<MainLoop>& main_loops);

/// For each main loop, returns the index of the smallest main loop around it, or its own index if there is none.
std::vector<std::size_t> main_loops_around(const std::vector<RankLoops>& loops,
                                           const std::vector<MainLoop>& main_loops);

}  // namespace haichi
