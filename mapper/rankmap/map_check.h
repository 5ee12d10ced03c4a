#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/errors.h"
#include "mapper/rankmap/rankmap.h"

namespace haichi {

enum class CheckResult {
    kOk,
    kNote,     ///< the scheduler takes it, but a user should know
    kProblem,  ///< the scheduler would not take it
};

/// One thing that was checked.
struct CheckLine {
    CheckResult result = CheckResult::kOk;
    std::string text;   ///< begins with "FILE:LINE: " where a place is known
    SourcePlace place;  ///< no file: not known
    std::string hint;
};

/// What `haichi check` is asked, as written by a user.
struct MapCheckRequest {
    std::string machine;
    AllocationRequest allocation;
    bool has_ranks_per_node = false;  ///< allocation.ranks_per_node was given, so it is not just the default
    std::string hosts;                ///< as HostNames::read() takes them; empty: not known
    std::string map;
    std::string format;      ///< empty: recognised
    std::string job_script;  ///< empty: none
};

/// Would the scheduler take the map? A value.
struct MapCheck {
    std::string format;  ///< empty when it could not be told
    std::int64_t rank_count = 0;
    std::int64_t problem_count = 0;
    std::vector<CheckLine> lines;  ///< of very many problems the first
};

/// Checks a map against its format and job, and against the job script that uses it. A job that is not given by a shape
/// or a node list is the one that the script asks for. Throws the errors of what is not the map or the script: files
/// that cannot be read, a wrong machine or shape.
MapCheck check_map(const MapCheckRequest& request);

}  // namespace haichi
