#pragma once

#include <array>
#include <csignal>

namespace haichi::cli {

/// While an object exists, the crash of a rank is reported with the rank, the source line and the last MPI call. The
/// process then ends with the exit code of a process that the signal has killed. Crashes of haichi itself are left to
/// the system.
class FaultWatch {
  public:
    FaultWatch();
    ~FaultWatch();
    /// Call this in each thread before ranks run in it. The stack of a rank may be full when a signal arrives, so
    /// handlers need their own stack.
    static void begin_thread();
    FaultWatch(const FaultWatch&) = delete;
    FaultWatch& operator=(const FaultWatch&) = delete;

    static constexpr std::array<int, 5> kSignals = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

  private:
    std::array<struct sigaction, kSignals.size()> before_{};
};

}  // namespace haichi::cli
