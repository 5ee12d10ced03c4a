#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/output/log_json.h"
#include "commlog/log/job_totals.h"
#include "mapper/advise/rails.h"

namespace haichi::cli {

/// A run of a comparison: its log in sums.
struct ComparedRun {
    std::string label;
    std::int32_t processes = 0;
    std::optional<std::int32_t> rails;
    JobTotals totals;
    std::vector<std::string> warnings;
};

/// How the mean time of a rank in a function goes from one run to the next of the same row or column of the study.
struct FunctionChange {
    std::string function;
    std::string from, to;                     ///< labels
    bool by_rails = false;                    ///< more rails, else more processes
    double from_seconds = 0, to_seconds = 0;  ///< mean of the ranks

    [[nodiscard]] double ratio() const { return from_seconds > 0 ? to_seconds / from_seconds : 0; }
};

/// Functions that got slower with more processes (equal rails), or with more rails (equal processes), by 5 % or more;
/// those with less than 1 % of the run in both are left out. Largest loss first.
std::vector<FunctionChange> slower_functions(const std::vector<ComparedRun>& runs);

std::vector<MeasuredRun> measured_runs(const std::vector<ComparedRun>& runs);

std::string comparison_table(const std::vector<ComparedRun>& runs);
/// haichi-log-comparison/1 (docs/reference/results_of_logs.md).
nlohmann::ordered_json comparison_json(const std::vector<ComparedRun>& runs);

/// Advice on rails in sentences.
std::string rail_advice_text(const RailAdvice& advice);

}  // namespace haichi::cli
