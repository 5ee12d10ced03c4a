#pragma once

#include <string>
#include <vector>

#include "cli/output/console.h"
#include "mapper/judge/evaluate.h"
#include "options/option_table.h"

namespace haichi::cli {

/// A limit that --require sets, as in `--require tac3<=0.001`.
struct Requirement {
    std::string metric;
    double limit = 0;
};

/// Declares --require, which can be repeated.
void declare_requirements(OptionTable& options, std::vector<Requirement>& requirements);
/// Throws OptionError for a metric that a report about `objective` does not contain.
void check_requirement_names(const std::vector<Requirement>& requirements, const std::string& objective);
/// Returns kExitLimitNotMet and prints an error for each missed limit, or returns kExitDone.
int check_requirements(const std::vector<Requirement>& requirements, const Evaluation& evaluation, Console& console);

}  // namespace haichi::cli
