#pragma once

#include <cstdint>

namespace haichi::host {

/// What code of the program costs that runs between calls: the CPU time that it really takes on this machine, times a
/// factor. No two runs are equal.
class CodeMeter {
  public:
    /// `factor` is positive.
    explicit CodeMeter(double factor);

    /// CPU time of this thread.
    [[nodiscard]] static std::int64_t now_ns();
    /// Simulated time of code that began and ended then.
    [[nodiscard]] std::int64_t simulated_ps(std::int64_t since_ns, std::int64_t until_ns) const;

  private:
    double factor_;
    std::int64_t reading_ns_;  ///< what a look at the clock takes, which is no time of the program's
};

}  // namespace haichi::host
