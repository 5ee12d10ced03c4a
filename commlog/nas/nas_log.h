#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/table.h"
#include "commlog/log/job_log.h"
#include "commlog/nas/nas_run.h"

namespace haichi {

/// Options for make_nas_log().
struct NasOptions {
    std::string problem_class = "B";
    int ranks = 0;
    std::optional<std::int64_t> iterations = {};  ///< the default is the number of the class
    double compute_seconds = 0;                   ///< computation time of all iterations of the class on one process
};

/// A NAS parallel benchmark (NPB 3.3, MPI), of which the log contains the part that the benchmark's clock measures.
struct NasProgram {
    std::string name;
    std::string sentence;
    std::string classes;  ///< letters of the classes that the program has
    std::int64_t (*iterations)(char problem_class);
    /// Returns the reason why the program does not run on `ranks` ranks; an empty text if it does.
    std::string (*refusal)(char problem_class, int ranks);
    /// Returns the communicators other than MPI_COMM_WORLD. It is null if the program creates none.
    NasCommunicators (*communicators)(const NasRun& run);
    void (*write)(const NasRun& run, int rank, CallSequenceBuilder& calls);
};

/// The table of all programs, which help, `haichi list patterns` and the tests use.
const Table<NasProgram>& nas_programs();

/// Returns the call log of a run. Throws OptionError for an unknown program (with a suggestion) or class. It also
/// throws for a number of ranks on which the program does not run; the error states the nearest possible numbers.
JobLog make_nas_log(std::string_view program, const NasOptions& options);

}  // namespace haichi
