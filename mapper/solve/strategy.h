#pragma once

#include <string>

#include "base/table.h"
#include "mapper/solve/solve.h"

namespace haichi {

/// A way to a placement: a start (mapper/start), or a search.
struct StrategyRow {
    std::string name;
    std::string sentence;
    /// What a search looks for where no objective is named; empty: it is a start, which looks for nothing.
    std::string objective{};
    bool is_tuned = false;  ///< --time, --evaluations, --schedule and so on mean something
    bool uses_seed = false;
};
const Table<StrategyRow>& strategies();

/// What the strategy `auto` is for this job; any other name stays. Throws OptionError where the job and the strategy
/// exclude each other. `log` is told why.
std::string chosen_strategy(const PosedJob& posed, const MapOptions& options, const Log& log);

}  // namespace haichi
