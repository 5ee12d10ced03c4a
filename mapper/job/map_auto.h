#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mapper/job/map.h"

namespace haichi {

/// --objective auto: a placement for each of the objectives that suit the job's traffic, and for each of a few seeds;
/// the packet simulator judges which objective is best for this job.
inline constexpr std::string_view kAutoObjective = "auto";

inline bool is_auto(const ObjectiveChoice& choice) { return !choice.function && choice.name == kAutoObjective; }

/// Messages that are all under way together contend as their sum does: hop-bytes and the load of links. Several sets:
/// what counts messages that are under way at the same time, too. predicted-time where a search can ask for it about
/// many placements. The first is the one for measuring a placement that was given.
std::vector<std::string> suited_objectives(const Problem& problem);

/// map() for such a choice. Where the traffic is a log, its calls are simulated, else its sets; where that would take
/// more than kJudgingPacketHops in all, or the machine does not have the times, predicted-time judges. The winner is
/// the objective with the least mean time over the seeds; its fastest placement is taken, and the default one where
/// that is not slower. Same inputs and seed, same placement; with a time limit, half of it is for the searches.
Placement map_auto(const Job& job, const MapOptions& options, const SearchControl& control,
                   const SimulationControl& simulation);

/// Some seconds on one core.
inline constexpr double kJudgingPacketHops = 1e8;

}  // namespace haichi
