#pragma once

#include "cli/output/console.h"

namespace haichi::cli {

/// What a rank of a live program died of, as its process, in which nothing can be relied on any more, tells it to a new
/// process of haichi on the command line.
struct FaultReport {
    static constexpr const char* kCommand = "--live-fault";
    /// The rank, the signal, the address that it is about, the bytes of a stack that was overrun (else 0), the place of
    /// the program ("FILE+OFFSET" or ""), the MPI call that the rank was in ("": none), the place of its last one.
    static constexpr int kWords = 8;

    /// Says it. Returns the exit code of a process that the same signal kills; `words` are the arguments behind
    /// kCommand.
    static int tell(char** words, Console& console);
};

}  // namespace haichi::cli
