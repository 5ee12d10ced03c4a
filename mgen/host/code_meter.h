#pragma once

#include <cstdint>

namespace haichi::host {

/// Cost of the program's code between calls: the CPU time that it takes on this machine, times a factor. Results differ
/// between runs.
class CodeMeter {
  public:
    /// `factor` must be positive.
    explicit CodeMeter(double factor);

    /// CPU time of this thread.
    [[nodiscard]] static std::int64_t now_ns();
    /// Simulated time of code that ran between these two times.
    [[nodiscard]] std::int64_t simulated_ps(std::int64_t since_ns, std::int64_t until_ns) const;

  private:
    double factor_;
    std::int64_t reading_ns_;  ///< CPU time of one reading, which does not belong to the program
};

}  // namespace haichi::host
