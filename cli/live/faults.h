#pragma once

#include <array>
#include <csignal>

namespace haichi::cli {

/// While it exists, a rank that crashes is reported: which, where, and behind which MPI call. The process then ends
/// with the exit code of one that died by that signal. What haichi itself does wrong is left to the system.
class FaultWatch {
  public:
    FaultWatch();
    ~FaultWatch();
    /// In each thread that ranks run in, before they do: the stack of a rank may be full when a signal comes.
    static void begin_thread();
    FaultWatch(const FaultWatch&) = delete;
    FaultWatch& operator=(const FaultWatch&) = delete;

    static constexpr std::array<int, 5> kSignals = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

  private:
    std::array<struct sigaction, kSignals.size()> before_{};
};

}  // namespace haichi::cli
