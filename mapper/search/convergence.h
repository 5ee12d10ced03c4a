#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace haichi {

/// The best value after a number of evaluations.
struct ConvergencePoint {
    std::int64_t evaluations = 0;
    double value = 0;  ///< in the unit of the objective

    friend bool operator==(const ConvergencePoint&, const ConvergencePoint&) = default;
};

/// The convergence of one search: the best value by number of evaluations. It keeps at most kPointsPerOctave points
/// between a number of evaluations and its double, which bounds memory and gives a smooth curve over the logarithm. The
/// first point is the value of the start, at 0 evaluations. Later points are improvements, which are rare, so that
/// recording does not slow the hot loop down. Points depend only on the search.
class Convergence {
  public:
    void improved(std::int64_t evaluations, double value) {
        const std::int64_t place = place_of(evaluations);
        if (!points_.empty() && place == last_place_) points_.pop_back();
        last_place_ = place;
        points_.push_back({evaluations, value});
    }
    [[nodiscard]] const std::vector<ConvergencePoint>& points() const { return points_; }

  private:
    static constexpr int kBitsPerOctave = 3;
    static constexpr std::int64_t kPointsPerOctave = std::int64_t{1} << kBitsPerOctave;

    /// Returns equal values for numbers in the same eighth of an octave.
    static std::int64_t place_of(std::int64_t evaluations) {
        const auto number = static_cast<std::uint64_t>(evaluations);
        const auto bits = static_cast<int>(std::bit_width(number));
        if (bits <= kBitsPerOctave + 1) return evaluations;
        const int cut = bits - kBitsPerOctave - 1;
        return cut * kPointsPerOctave + static_cast<std::int64_t>(number >> cut);
    }

    std::vector<ConvergencePoint> points_;
    std::int64_t last_place_ = 0;
};

}  // namespace haichi
