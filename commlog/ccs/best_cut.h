#pragma once

#include <cstdint>
#include <vector>

#include "commlog/ccs/kernel.h"
#include "commlog/ccs/levels.h"

namespace haichi {

/// Levels from the earliest common cut. Where the ranks' loops do not begin at one place of the program (sizes that
/// settle down earlier in one rank than in another, say) that cut may run across what belongs together; then of the
/// cuts along a level the one that gives the fewest levels is taken, if they are fewer, of equal ones the earliest.
/// `messages_in_flight`: that are under way there.
Levels levels_from_best_cut(const JobLog& job, const std::vector<RankLoops>& loops, const Kernel& kernel,
                            std::vector<RankWindow>& windows, const LevelOptions& options,
                            std::int64_t& messages_in_flight);

}  // namespace haichi
