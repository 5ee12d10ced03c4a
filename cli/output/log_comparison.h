#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/output/log_json.h"
#include "commlog/log/job_totals.h"
#include "mapper/advise/rails.h"

namespace haichi::cli {

/// A run in a comparison, with the totals of its log.
struct ComparedRun {
    std::string label;
    std::int32_t processes = 0;
    std::optional<std::int32_t> rails;
    JobTotals totals;
    std::vector<std::string> warnings;
};

/// The change of a function's mean time per rank between two runs that are neighbours in the study.
struct FunctionChange {
    std::string function;
    std::string from, to;                     ///< labels of the two runs
    bool by_rails = false;                    ///< the second run has more NICs per node; else it has more ranks
    double from_seconds = 0, to_seconds = 0;  ///< means over the ranks

    [[nodiscard]] double ratio() const { return from_seconds > 0 ? to_seconds / from_seconds : 0; }
};

/// The functions that are at least 5 % slower with more ranks (and equal NICs) or with more NICs (and equal ranks).
/// Functions with less than 1 % of the time of both runs are omitted. The largest loss comes first.
std::vector<FunctionChange> slower_functions(const std::vector<ComparedRun>& runs);

std::vector<MeasuredRun> measured_runs(const std::vector<ComparedRun>& runs);

std::string comparison_table(const std::vector<ComparedRun>& runs);
/// The comparison in the format haichi-log-comparison/1 (docs/reference/results_of_logs.md).
nlohmann::ordered_json comparison_json(const std::vector<ComparedRun>& runs);

/// The advice on the number of NICs per node, as text.
std::string rail_advice_text(const RailAdvice& advice);

}  // namespace haichi::cli
