#pragma once

#include <atomic>
#include <csignal>

#include "base/outputs.h"

namespace haichi::cli {

/// INT, TERM and HUP, but for those that were ignored when the program started (HUP under nohup): they stay so.
sigset_t interrupting_signals();

/// The program's only dealings with INT, TERM and HUP: one object, made before any thread is. They go to a thread of
/// this object. It ends the program with exit code 130 and without temporary files; but where an InterruptWatch exists,
/// the first signal only sets its flag.
class SignalWatch {
  public:
    SignalWatch();
    ~SignalWatch();
    SignalWatch(const SignalWatch&) = delete;
    SignalWatch& operator=(const SignalWatch&) = delete;

    /// A signal has set the flag.
    [[nodiscard]] static bool was_interrupted();
    /// What a signal that ends the program removes; null: nothing.
    static void set_outputs(Outputs* outputs);
    /// For a process that is about to end by a signal of its own doing: removes them.
    static void discard_outputs() noexcept;
};

/// While one exists there is a result to keep: the first signal sets a flag, so that a search ends with the best so
/// far, and only the second ends the program. Made when the inputs are read; at most one at a time.
class InterruptWatch {
  public:
    InterruptWatch();
    ~InterruptWatch();
    InterruptWatch(const InterruptWatch&) = delete;
    InterruptWatch& operator=(const InterruptWatch&) = delete;

    [[nodiscard]] static const std::atomic<bool>& flag();
};

/// Makes writes to a closed pipe fail instead of killing the program, and makes sure that descriptors 0 to 2 are open,
/// so that no output file gets the number of a closed standard output.
void prepare_process();

}  // namespace haichi::cli
