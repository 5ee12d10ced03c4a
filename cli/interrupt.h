#pragma once

#include <csignal>

#include "base/outputs.h"
#include "base/stop_flag.h"

namespace haichi::cli {

/// INT, TERM and HUP, except signals that were ignored when the program started (HUP under nohup). Those stay ignored.
sigset_t interrupting_signals();

/// Decides whether an interrupted run must end although it does not reach its next step.
class RunMonitor {
  public:
    virtual ~RunMonitor() = default;
    /// Called once per second in the thread that handles signals. If it returns true, the program ends.
    [[nodiscard]] virtual bool must_end(bool is_interrupted) = 0;
};

/// Handles INT, TERM and HUP in a thread of its own. The program has one object, which must be constructed before any
/// other thread starts. A signal ends the program with exit code 130 and removes temporary files. While an
/// InterruptWatch exists and the run has read its flag, the first signal only sets this flag.
class SignalWatch {
  public:
    SignalWatch();
    ~SignalWatch();
    SignalWatch(const SignalWatch&) = delete;
    SignalWatch& operator=(const SignalWatch&) = delete;

    /// Whether a signal has set the flag.
    [[nodiscard]] static bool was_interrupted();
    /// Sets the outputs that a signal removes when it ends the program. Null means none.
    static void set_outputs(Outputs* outputs);
    /// Sets the monitor of the run. Null means none.
    static void set_monitor(RunMonitor* monitor);
    /// Removes the outputs, for a process that is about to end because of its own fault signal.
    static void discard_outputs() noexcept;
};

/// Exists during a run that ends with its results so far if the flag is set. The run reads the flag when it has a
/// result to keep. From then on, the first signal sets the flag, and only the second one ends the program. It is
/// constructed after the inputs are read. At most one exists.
class InterruptWatch {
  public:
    InterruptWatch();
    ~InterruptWatch();
    InterruptWatch(const InterruptWatch&) = delete;
    InterruptWatch& operator=(const InterruptWatch&) = delete;

    [[nodiscard]] static const StopFlag& flag();
};

/// Makes writes to a closed pipe fail instead of killing the program. Ensures that descriptors 0 to 2 are open, so that
/// an output file cannot get the number of a closed standard output.
void prepare_process();

}  // namespace haichi::cli
