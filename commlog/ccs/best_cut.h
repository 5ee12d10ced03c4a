#pragma once

#include <cstdint>
#include <vector>

#include "commlog/ccs/levels.h"
#include "commlog/ccs/main_loop.h"

namespace haichi {

/// Assigns steps from the earliest common cut. The ranks' loops may begin at different points of the program, for
/// example because sizes settle earlier in one rank. Then this cut may separate messages of one step, and cuts at which
/// all ranks begin the same step are tried. The cut with the fewest steps is used, and the earliest of equal ones. Adds
/// the messages under way at the cut to `messages_in_flight`, and leaves the cut in `windows`.
Levels levels_from_best_cut(const JobLog& job, const std::vector<RankLoops>& loops, const MainLoop& main_loop,
                            std::vector<RankWindow>& windows, const LevelOptions& options,
                            std::int64_t& messages_in_flight);

}  // namespace haichi
