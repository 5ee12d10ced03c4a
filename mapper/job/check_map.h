#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/errors.h"
#include "base/reading.h"
#include "mapper/job/job_spec.h"

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

/// What is checked.
struct CheckedMap {
    std::string map;                  ///< the file
    std::string format{};             ///< empty: recognised
    std::string job_script{};         ///< empty: none
    bool has_ranks_per_node = false;  ///< that of the allocation was given, so it is not just the default
};

/// Would the scheduler take the map? A value.
struct MapCheck {
    std::string format;  ///< empty when it could not be told
    std::int64_t rank_count = 0;
    std::int64_t problem_count = 0;
    std::vector<CheckLine> lines;  ///< of very many problems the first
};

/// Checks a map against its format and a job, whose traffic does not matter, and against the job script that uses it. A
/// job that is not given by a shape or a node list is the one that the script asks for. Throws the errors of what is
/// not the map or the script: files that cannot be read, a wrong machine or shape.
MapCheck check_map(const JobSpec& spec, const CheckedMap& checked, const Reading& reading = {});

}  // namespace haichi
