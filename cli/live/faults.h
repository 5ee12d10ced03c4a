#pragma once

#include <array>
#include <csignal>

namespace haichi::cli {

/// While it exists, the crash of a rank is reported with the rank, the place and the last MPI call. The process then
/// ends with the exit code of a process that died from the signal. Crashes of haichi itself are left to the system.
class FaultWatch {
  public:
    FaultWatch();
    ~FaultWatch();
    /// Must be called in each thread before ranks run in it, because the stack of a rank may be full when a signal
    /// arrives.
    static void begin_thread();
    FaultWatch(const FaultWatch&) = delete;
    FaultWatch& operator=(const FaultWatch&) = delete;

    static constexpr std::array<int, 5> kSignals = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

  private:
    std::array<struct sigaction, kSignals.size()> before_{};
};

}  // namespace haichi::cli
