#pragma once

#include <haichi/export.h>
#include <haichi/objective.h>
#include <haichi/placement.h>

#include <optional>
#include <string>
#include <vector>

HAICHI_BEGIN

/// The value of an objective for a placement.
struct ObjectiveValue {
    std::string objective{};
    std::string unit{};
    double value = 0;
    std::optional<double> lower_bound{};
    bool optimal = false;  ///< whether no placement has a smaller value
};

/// The values of all objectives for a placement.
struct Evaluation {
    ObjectiveValue asked{};              ///< value of the requested objective
    ObjectiveValue default_placement{};  ///< value of this objective for the scheduler's default placement
    std::vector<ObjectiveValue> all{};   ///< values of all objectives that apply to the job
    std::string json{};                  ///< the report, in the format haichi-report/1
};

/// Evaluates a placement from the definitions of the objectives. Under "auto", the objective of the search is used, or
/// else the first objective that suits the job.
HAICHI_EXPORT Evaluation evaluate(const Placement& placement, const Objective& objective = {});

HAICHI_END
