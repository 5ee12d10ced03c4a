// The options that a user pastes into a PJM job script: the node shape, the process shape and the host file.

#include <array>

#include "mapper/rankmap/rankmap.h"

namespace haichi {

namespace {

bool is_tofu(const Network& network) {
    const Grid* grid = network.coordinates();
    constexpr std::array<const char*, 6> kAxes = {"X", "Y", "Z", "A", "B", "C"};
    if (grid == nullptr || grid->axis_count() != kAxes.size()) return false;
    for (std::size_t k = 0; k < kAxes.size(); ++k) {
        if (grid->axis(k).name != kAxes[k]) return false;
    }
    return true;
}

/// PJM assigns the logical coordinates of the fold to requests with ":torus" or ":mesh". A coordinate table is valid
/// only for the job for which it was written. A list of nodes is never a cuboid of PJM.
std::string node_shape_suffix(const Allocation& allocation, std::string strictness) {
    if (allocation.is_scattered || allocation.is_node_list) return ":noncont";
    if (allocation.fold.is_coordinate_table) return "";
    const std::string kind = allocation.fold.name == "mesh" ? ":mesh" : ":torus";
    if (strictness.empty() && allocation.is_strict) strictness = "strict";
    return kind + (strictness.empty() ? "" : ":" + strictness);
}

}  // namespace

std::string pjm_options(const Mapping& mapping, const RankMapContext& context, const std::string& map_file) {
    const Allocation& allocation = *context.allocation;
    const Fold& fold = allocation.fold;
    const bool has_pjm_coordinates = fold.is_coordinate_table || (!allocation.is_node_list && fold.name != "row-major");
    const bool is_of_pjm = allocation.is_scattered || is_tofu(allocation.network);
    if (!is_of_pjm || !has_pjm_coordinates) return "";
    const std::string shape = sizes_text(fold.logical_sizes);
    std::string text = "#PJM -L \"node=" + shape + node_shape_suffix(allocation, context.strictness) +
                       "\"\n#PJM --mpi \"shape=" + shape + ",proc=" + std::to_string(mapping.rank_count());
    if (allocation.ranks_per_node > 1) text += ",max-proc-per-node=" + std::to_string(allocation.ranks_per_node);
    return text + ",rank-map-hostfile=" + map_file + "\"\n";
}

}  // namespace haichi
