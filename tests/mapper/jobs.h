#pragma once

#include <string>
#include <vector>

#include "commlog/workload/patterns.h"
#include "mapper/choose/map.h"
#include "mapper/judge/evaluate.h"

namespace haichi::testing_jobs {

inline Workload cg(std::int32_t ranks) {
    PatternOptions options;
    options.ranks = ranks;
    return make_pattern("cg", options);
}

/// A job and its search options, for tests that change either.
struct Asked {
    JobSpec job;
    MapOptions search;
};

inline Asked asked(const std::string& machine, Workload workload, const std::string& objective = "tac3",
                   std::vector<std::int32_t> shape = {}) {
    Asked asked;
    asked.job.machine = machine;
    asked.job.traffic.source = std::move(workload);
    asked.job.allocation.shape = std::move(shape);
    asked.search.objective.name = objective;
    return asked;
}

/// The placement found by the search, and its evaluation.
inline Evaluation found(const Asked& asked) {
    const Placement placement = map(Job(asked.job), asked.search);
    return evaluate(placement, {.objective = asked.search.objective, .all_objectives = false});
}

}  // namespace haichi::testing_jobs
