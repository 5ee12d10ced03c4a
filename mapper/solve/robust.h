#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/table.h"
#include "mapper/solve/solve.h"
#include "objectives/robust.h"

namespace haichi {

/// Options for one placement on several shapes.
struct RobustOptions {
    RobustMeasure measure = RobustMeasure::kMax;
    /// Whether every order of the logical axes counts as a separate shape, because the scheduler may rotate a request.
    bool with_rotations = false;
};

struct RobustMeasureRow {
    std::string_view name;
    std::string_view sentence;
    RobustMeasure measure;
};
const Table<RobustMeasureRow>& robust_measures();

/// Parses "max" or "mean". Throws OptionError with a did-you-mean hint.
RobustMeasure parse_robust_measure(std::string_view text);
std::string_view name_of(RobustMeasure measure);

/// The value of a robust placement on a rotated request.
struct RotationReport {
    std::vector<std::size_t> axes;  ///< the logical axes that are the request's first, second and third
    double value = 0;
    std::vector<std::int64_t> set_contention;
};

/// One placement for all shapes: each rank has one position in the rank order of every shape.
struct RobustPlacement {
    RobustOptions options;
    double value = 0;  ///< largest value, or mean, over all variants
    std::optional<double> lower_bound;
    bool optimal = false;
    std::int64_t evaluations = 0;
    double evaluations_per_second = 0;
    std::int32_t ranks_per_node = 1;
    /// Per rank: position in the rank order, which is the same on every shape. It is node position * ranks_per_node +
    /// slot on the node.
    std::vector<std::int32_t> position_of_rank;
    std::vector<Placement> placements;                   ///< placement on every shape
    std::vector<std::vector<RotationReport>> rotations;  ///< per shape, the requested orientation first
};

/// Throws OptionError for options that robust placements do not support. To be called before anything is loaded.
void check_robust_options(const MapOptions& options);

/// Searches for one placement of jobs that differ only in their shapes. Throws OptionError for shapes with different
/// numbers of nodes. Throws UnsupportedError for faulty nodes and for objectives that support one shape only.
RobustPlacement map_robust(std::span<const Job> jobs, const RobustOptions& robust, const MapOptions& options,
                           const SearchControl& control = {});

/// The map as a file: `fujitsu` in 1D coordinates, "(position)", or `json`. Throws UnsupportedError for other formats,
/// which have no positions.
std::string robust_map_text(const RobustPlacement& placement, const std::string& format);

}  // namespace haichi
