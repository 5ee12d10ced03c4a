#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/deterministic_math.h"
#include "base/random.h"

namespace haichi {

/// Metropolis: a change for the worse by d is accepted with probability exp(-d / temperature), that is when
/// d <= -temperature * ln(w) for w uniform in (0, 1].
class MetropolisAcceptor {
  public:
    explicit MetropolisAcceptor(double temperature) : temperature_(temperature) {}

    [[nodiscard, gnu::always_inline]] inline bool accepts(double change, Random& random) const {
        if (change <= 0) return true;
        constexpr double kNever = 40;  // exp(-40) is below the resolution of unit()
        if (change >= kNever * temperature_) return false;
        const double w = 1 - random.unit();
        // Nearly every draw is decided by a bracket of the logarithm from its exponent and first mantissa bits; the
        // others by the logarithm itself, so the answer is always that of the exact rule.
        constexpr double kLn2 = 0.693147180559945309417232;
        constexpr double kSlack = 1e-9;  // far above the rounding of the table and of these lines
        const auto bits = std::bit_cast<std::uint64_t>(w);
        const double power = kLn2 * (1023 - static_cast<int>(bits >> kMantissaBits));
        const std::size_t cell = (bits >> (kMantissaBits - kCellBits)) % kCells;
        if (change < temperature_ * (power - kLogOfEdge[cell + 1] - kSlack)) return true;
        if (change > temperature_ * (power - kLogOfEdge[cell] + kSlack)) return false;
        return accepts_by_logarithm(change, w);
    }

  private:
    /// Out of the loop that accepts() is in: a logarithm is long, and hardly ever asked for.
    [[nodiscard, gnu::noinline, gnu::cold]] bool accepts_by_logarithm(double change, double w) const {
        return change <= -temperature_ * deterministic_log(w);
    }

    static constexpr int kMantissaBits = 52;
    static constexpr int kCellBits = 7;
    static constexpr std::size_t kCells = std::size_t{1} << kCellBits;

    /// ln(1 + k / kCells).
    static constexpr std::array<double, kCells + 1> kLogOfEdge = [] {
        std::array<double, kCells + 1> edges{};
        for (std::size_t k = 0; k <= kCells; ++k) {
            edges[k] = deterministic_log(1 + static_cast<double>(k) / static_cast<double>(kCells));
        }
        return edges;
    }();

    double temperature_;
};

}  // namespace haichi
