#pragma once

#include <cstdint>

namespace haichi::host {

/// The cost of the program's code between calls: the CPU time on this machine, times a factor. Results differ between
/// runs.
class CodeMeter {
  public:
    /// `factor` must be positive.
    explicit CodeMeter(double factor);

    /// CPU time of this thread.
    [[nodiscard]] static std::int64_t now_ns();
    /// Simulated time of code that ran between these two CPU times.
    [[nodiscard]] std::int64_t simulated_ps(std::int64_t since_ns, std::int64_t until_ns) const;

  private:
    double factor_;
    std::int64_t reading_ns_;  ///< CPU time that one reading takes and that is not charged to the program
};

}  // namespace haichi::host
