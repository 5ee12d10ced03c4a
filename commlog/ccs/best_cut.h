#pragma once

#include <cstdint>
#include <vector>

#include "commlog/ccs/levels.h"
#include "commlog/ccs/main_loop.h"

namespace haichi {

/// Assigns steps to the messages of an iteration that begins at the earliest common cut. The ranks' loops may begin at
/// different points of the program, for example because sizes settle earlier in one rank. That cut may then separate
/// messages of one step, so cuts at which all ranks begin the same step are tried as well. The cut with the fewest
/// steps is used; ties go to the earliest cut. Adds the number of messages in flight at the cut to
/// `messages_in_flight`, and stores the cut in `windows`.
Levels levels_from_best_cut(const JobLog& job, const std::vector<RankLoops>& loops, const MainLoop& main_loop,
                            std::vector<RankWindow>& windows, const LevelOptions& options,
                            std::int64_t& messages_in_flight);

}  // namespace haichi
