#include "cli/commands/requirements.h"

#include "base/errors.h"
#include "cli/output/tables.h"
#include "mapper/report/report_json.h"

namespace haichi::cli {

namespace {

std::string without_blanks(const std::string& text) {
    const auto first = text.find_first_not_of(" \t");
    if (first == std::string::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t") + 1 - first);
}

Requirement read_requirement(const std::string& text) {
    const auto sign = text.find("<=");
    Requirement requirement{.metric = without_blanks(text.substr(0, sign))};
    if (sign == std::string::npos || requirement.metric.empty()) {
        throw OptionError("--require: expected METRIC<=NUMBER, found " + shown(text),
                          "quote the limit for the shell, as in --require 'tac3<=0.001'");
    }
    OptionTable number;
    number.add_number("require", requirement.limit,
                      {.description = "", .least = std::numeric_limits<double>::lowest()});
    number.take("require", {without_blanks(text.substr(sign + 2))});
    return requirement;
}

}  // namespace

void declare_requirements(OptionTable& options, std::vector<Requirement>& requirements) {
    options.begin(OptionGroup::kOutput);
    options.add_read(
        "require", ValueKind::kTexts,
        [&requirements](const std::string& word) { requirements.push_back(read_requirement(word)); },
        {.description = "Exit with 3 unless METRIC<=NUMBER holds for a metric of the report, as in 'tac3<=0.001'",
         .value = "LIMIT"});
}

void check_requirement_names(const std::vector<Requirement>& requirements, const std::string& objective) {
    for (const Requirement& required : requirements) check_metric_name(required.metric, objective);
}

int check_requirements(const std::vector<Requirement>& requirements, const Evaluation& evaluation, Console& console) {
    int code = kExitDone;
    for (const Requirement& required : requirements) {
        const double value = report_metric(evaluation, required.metric);
        if (value <= required.limit) continue;
        console.error("required " + required.metric + " <= " + short_number(required.limit) + ", found " +
                      short_number(value));
        code = kExitLimitNotMet;
    }
    return code;
}

}  // namespace haichi::cli
