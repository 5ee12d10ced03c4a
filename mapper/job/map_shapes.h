#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/table.h"
#include "mapper/job/map_job.h"
#include "objectives/robust.h"

namespace haichi {

/// What `haichi map --shapes` is asked: placements for every shape that the scheduler may give the job.
struct ShapesRequest {
    MapRequest job;  ///< whose own shape is not used
    std::vector<std::vector<std::int32_t>> shapes;
    /// One placement for all shapes, in positions of the rank order; unset: one placement for each.
    std::optional<RobustMeasure> robust;
    /// Robust only: every order of the logical axes counts as a shape of its own, because the scheduler may turn a
    /// request.
    bool with_rotations = false;
};

/// What a robust placement is worth when the scheduler has turned the request.
struct RotationReport {
    std::vector<std::size_t> axes;  ///< which logical axes are the request's first, second, third
    double value = 0;
    std::vector<std::int64_t> set_contention;
};

/// The one placement for all shapes.
struct RobustReport {
    RobustMeasure measure = RobustMeasure::kMax;
    bool with_rotations = false;
    double value = 0;  ///< largest, or mean, over all allocations that count
    std::optional<double> lower_bound;
    bool optimal = false;
    std::int64_t evaluations = 0;
    double evaluations_per_second = 0;
    std::int32_t ranks_per_node = 1;
    /// rank -> position in the rank order of any of the shapes; node position * ranks_per_node + place on the node.
    std::vector<std::int32_t> position_of_rank;
    std::vector<std::vector<RotationReport>> rotations;  ///< of every shape, the shape as asked for first
};

struct ShapesReport {
    std::vector<MapReport> shapes;
    std::optional<RobustReport> robust;
    double wall_seconds = 0;
    bool interrupted = false;
};

/// Throws OptionError for shapes with different numbers of nodes when robust, and what run_map() throws.
ShapesReport run_map_shapes(const ShapesRequest& request, const SearchControl& control = {},
                            const SimulationControl& simulation = {});

struct RobustMeasureRow {
    std::string_view name;
    std::string_view sentence;
    RobustMeasure measure;
};
const Table<RobustMeasureRow>& robust_measures();

/// "max" or "mean"; throws OptionError with did-you-mean.
RobustMeasure parse_robust_measure(std::string_view text);
std::string_view name_of(RobustMeasure measure);

/// A robust map as a file: `fujitsu` in 1D coordinates, "(position)", or `json`. Throws UnsupportedError for other
/// formats, which have no positions.
std::string robust_map_text(const RobustReport& report, const std::string& format);

}  // namespace haichi
