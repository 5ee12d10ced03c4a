#pragma once

#include <string>
#include <vector>

#include "mapper/job/job.h"

namespace haichi {

/// One row of `haichi list strategies`.
struct StrategyInfo {
    std::string name;
    std::string description;
};
const std::vector<StrategyInfo>& strategy_infos();

/// Throws OptionError with did-you-mean.
void check_strategy(const std::string& name);

/// What the strategy `auto` is for this job; any other name stays. Throws OptionError where the job and the strategy
/// exclude each other.
std::string chosen_strategy(const Job& job, const MapRequest& request);

}  // namespace haichi
