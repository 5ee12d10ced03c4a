#pragma once

#include <string>

#include "base/table.h"
#include "mapper/solve/solve.h"

namespace haichi {

/// A strategy for a placement: a start (mapper/start), or a search.
struct StrategyRow {
    std::string name;
    std::string sentence;
    /// The default objective of a search. Empty for a start, which has no objective.
    std::string objective{};
    bool is_tuned = false;  ///< whether --time, --evaluations, --schedule and so on apply
    bool uses_seed = false;
};
const Table<StrategyRow>& strategies();

/// The strategy that `auto` chooses for this job; other names are returned unchanged. Throws OptionError if the
/// strategy does not support the job. Logs the reason to `log`.
std::string chosen_strategy(const PosedJob& posed, const MapOptions& options, const Log& log);

}  // namespace haichi
