#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/deterministic_math.h"
#include "base/random.h"

namespace haichi {

/// Metropolis: an increase by d is accepted with probability exp(-d / temperature). That is, it is accepted when d <=
/// -temperature * ln(w) for w uniform in (0, 1].
class MetropolisAcceptor {
  public:
    explicit MetropolisAcceptor(double temperature) : temperature_(temperature) {}

    [[nodiscard, gnu::always_inline]] inline bool accepts(double change, Random& random) const {
        if (change <= 0) return true;
        constexpr double kNever = 40;  // exp(-40) is below the resolution of unit()
        if (change >= kNever * temperature_) return false;
        return accepts(change, draw(random));
    }

    /// Draws w before the change is known.
    [[nodiscard, gnu::always_inline]] static double draw(Random& random) { return 1 - random.unit(); }
    /// Whether an increase is accepted for the draw `drawn`.
    [[nodiscard, gnu::always_inline]] inline bool accepts(double change, double drawn) const {
        // The exponent and the first mantissa bits give bounds of the logarithm, which decide nearly every draw. The
        // logarithm itself decides the rest, so the answer always follows the exact rule.
        if (change < temperature_ * (bracket(drawn).low - kSlack)) return true;
        if (change > temperature_ * (bracket(drawn).high + kSlack)) return false;
        return accepts_by_logarithm(change, drawn);
    }
    /// An upper bound of the changes that accepts() accepts.
    [[nodiscard, gnu::always_inline]] inline double most(double drawn) const {
        return temperature_ * (bracket(drawn).high + kSlack);
    }

  private:
    static constexpr double kSlack = 1e-9;  ///< far above the rounding errors of the table and of these expressions

    /// Bounds of -ln(drawn).
    struct Bracket {
        double low = 0;
        double high = 0;
    };
    [[nodiscard, gnu::always_inline]] static Bracket bracket(double drawn) {
        constexpr double kLn2 = 0.693147180559945309417232;
        const auto bits = std::bit_cast<std::uint64_t>(drawn);
        const double power = kLn2 * (1023 - static_cast<int>(bits >> kMantissaBits));
        const std::size_t cell = (bits >> (kMantissaBits - kCellBits)) % kCells;
        return {power - kLogOfEdge[cell + 1], power - kLogOfEdge[cell]};
    }
    /// Not inlined into loops that call accepts(), because a logarithm is long code and rarely needed.
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
