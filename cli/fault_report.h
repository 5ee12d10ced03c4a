#pragma once

#include "cli/output/console.h"

namespace haichi::cli {

/// Describes the crash of a rank of a live program. The crashed process is no longer reliable, so it passes the facts
/// to a new process of haichi on the command line.
struct FaultReport {
    static constexpr const char* kCommand = "--live-fault";
    /// The words are kCommand, the rank, the signal, the address of the fault, and the size of an overflowed stack in
    /// bytes (else 0). They are followed by the faulting instruction ("FILE+OFFSET" or ""), the current MPI call (or
    /// ""), and the call site of the last MPI call.
    static constexpr int kWords = 8;

    /// Prints the report. Returns the exit code of a process that this signal kills. `words` begins with kCommand.
    static int tell(char** words, Console& console);
};

}  // namespace haichi::cli
