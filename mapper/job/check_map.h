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
    kNote,     ///< the scheduler accepts it, but a user should know
    kProblem,  ///< the scheduler would reject it
};
/// "ok", "note" or "problem".
const char* word_of(CheckResult result);

/// The result of one check.
struct CheckLine {
    CheckResult result = CheckResult::kOk;
    std::string text;   ///< begins with "FILE:LINE: " if the location is known
    SourcePlace place;  ///< without a file if unknown
    std::string hint;
};

/// The input of a check.
struct CheckedMap {
    std::string map;       ///< file name
    std::string format{};  ///< empty means detection by content
};

/// Whether the scheduler would accept the map. A value type.
struct MapCheck {
    std::string format;  ///< empty if it was not recognised
    std::int64_t rank_count = 0;
    std::int64_t problem_count = 0;
    bool is_map_checked = true;    ///< false if the job of the script is unknown
    std::vector<CheckLine> lines;  ///< only the first ones if there are very many problems
};

/// Checks a map against its format, a job, and the spec's job script, which uses the map. Ignores the job's traffic.
/// Without a shape or a node list, the script's request defines the job. Throws errors that do not concern the map or
/// the script: files that cannot be read, a wrong machine or shape.
MapCheck check_map(const JobSpec& spec, const CheckedMap& checked, const Reading& reading = {});

}  // namespace haichi
