#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/table.h"
#include "commlog/log/job_log.h"
#include "commlog/nas/nas_run.h"

namespace haichi {

/// What make_nas_log() may be told.
struct NasOptions {
    std::string problem_class = "B";
    int ranks = 0;
    std::optional<std::int64_t> iterations = {};  ///< default: those of the class
    double compute_seconds = 0;                   ///< of all iterations of the class, on one process
};

/// A NAS parallel benchmark (NPB 3.3, MPI), what it does between starting and stopping its clock.
struct NasProgram {
    std::string name;
    std::string sentence;
    std::string classes;  ///< letters
    std::int64_t (*iterations)(char problem_class);
    /// Why it does not run on so many ranks; empty: it does.
    std::string (*refusal)(char problem_class, int ranks);
    /// The communicators besides the world; null if the program makes none.
    NasCommunicators (*communicators)(const NasRun& run);
    void (*write)(const NasRun& run, int rank, CallSequenceBuilder& calls);
};

/// All of them: the table that help, `haichi list patterns` and the tests go by.
const Table<NasProgram>& nas_programs();

/// The calls of a run. Throws OptionError for an unknown program (with did-you-mean) or class, and for numbers of ranks
/// that the program does not run on, with the nearest that it does.
JobLog make_nas_log(std::string_view program, const NasOptions& options);

}  // namespace haichi
