#pragma once

#include <array>
#include <csignal>
#include <memory>

namespace haichi::cli {

/// While it exists, a rank that crashes is reported: which, where, and behind which MPI call. The process then ends
/// with the exit code of one that died by that signal. What haichi itself does wrong is left to the system.
class FaultWatch {
  public:
    FaultWatch();
    ~FaultWatch();
    FaultWatch(const FaultWatch&) = delete;
    FaultWatch& operator=(const FaultWatch&) = delete;

    static constexpr std::array<int, 5> kSignals = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

  private:
    std::unique_ptr<char[]> stack_;  ///< for the handler: that of the rank may be full
    stack_t stack_before_{};
    std::array<struct sigaction, kSignals.size()> before_{};
};

}  // namespace haichi::cli
