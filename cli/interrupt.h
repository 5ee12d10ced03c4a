#pragma once

#include <csignal>

#include "base/outputs.h"
#include "base/stop_flag.h"

namespace haichi::cli {

/// The signals INT, TERM and HUP, except those that were ignored when the program started (HUP under nohup). These stay
/// ignored.
sigset_t interrupting_signals();

/// Decides whether an interrupted run must end even if it does not reach its next step.
class RunMonitor {
  public:
    virtual ~RunMonitor() = default;
    /// Called once per second in the thread that handles signals. If it returns true, the program ends.
    [[nodiscard]] virtual bool must_end(bool is_interrupted) = 0;
};

/// Handles INT, TERM and HUP in its own thread. Construct exactly one object, before any other thread starts. A signal
/// ends the program with exit code 130 and removes temporary files. While an InterruptWatch exists and the run has read
/// its flag, the first signal only sets this flag.
class SignalWatch {
  public:
    SignalWatch();
    ~SignalWatch();
    SignalWatch(const SignalWatch&) = delete;
    SignalWatch& operator=(const SignalWatch&) = delete;

    /// Whether a signal has set the flag.
    [[nodiscard]] static bool was_interrupted();
    /// Sets the outputs that are removed when a signal ends the program. Null means none.
    static void set_outputs(Outputs* outputs);
    /// Sets the monitor of the run. Null means none.
    static void set_monitor(RunMonitor* monitor);
    /// Removes the outputs. Call this before a fault signal ends the process.
    static void discard_outputs() noexcept;
};

/// Exists during a run that can end early with its results so far. The run reads the flag when it has a result to keep.
/// From then on, the first signal only sets the flag, and the second signal ends the program. Construct the watch after
/// the inputs are read. At most one may exist.
class InterruptWatch {
  public:
    InterruptWatch();
    ~InterruptWatch();
    InterruptWatch(const InterruptWatch&) = delete;
    InterruptWatch& operator=(const InterruptWatch&) = delete;

    [[nodiscard]] static const StopFlag& flag();
};

/// Makes writes to a closed pipe fail instead of killing the program. Opens descriptors 0 to 2 if they are closed;
/// otherwise an output file could get the number of standard output.
void prepare_process();

}  // namespace haichi::cli
