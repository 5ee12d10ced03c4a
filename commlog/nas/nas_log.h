#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/table.h"
#include "commlog/log/job_log.h"
#include "commlog/nas/nas_run.h"

namespace haichi {

/// Options of make_nas_log().
struct NasOptions {
    std::string problem_class = "B";
    int ranks = 0;
    std::optional<std::int64_t> iterations = {};  ///< default: the number of the class
    double compute_seconds = 0;                   ///< for all iterations of the class, on one process
};

/// A NAS parallel benchmark (NPB 3.3, MPI), between the start and the stop of its clock.
struct NasProgram {
    std::string name;
    std::string sentence;
    std::string classes;  ///< class letters
    std::int64_t (*iterations)(char problem_class);
    /// Returns why the program does not run on `ranks` ranks, or an empty text if it does.
    std::string (*refusal)(char problem_class, int ranks);
    /// The communicators besides MPI_COMM_WORLD. Null if the program makes none.
    NasCommunicators (*communicators)(const NasRun& run);
    void (*write)(const NasRun& run, int rank, CallSequenceBuilder& calls);
};

/// All programs: the table that help, `haichi list patterns` and the tests use.
const Table<NasProgram>& nas_programs();

/// Returns the calls of a run. Throws OptionError for an unknown program (with a suggestion) or class. It also throws
/// it for numbers of ranks on which the program does not run, and names the nearest possible ones.
JobLog make_nas_log(std::string_view program, const NasOptions& options);

}  // namespace haichi
