#include "netmodel/routing/grid_steps.h"

#include <limits>

namespace haichi {

GridSteps::GridSteps(const Grid& grid, const DimensionOrder& routing)
    : links_per_vertex_(grid.links_per_vertex()), packed_(static_cast<std::size_t>(grid.vertex_count()), 0) {
    std::uint8_t shift = 0;
    for (const DimensionOrder::Stage& at : routing.stages) {
        const Axis& axis = grid.axis(at.axis);
        if (!at.to_destination || axis.size == 1) continue;
        const auto bits = static_cast<std::uint8_t>(std::bit_width(static_cast<std::uint32_t>(axis.size - 1)));
        Stage stage;
        stage.mask = (std::uint32_t{1} << bits) - 1;
        stage.most_plus = static_cast<std::uint32_t>(std::numeric_limits<std::int32_t>::max());
        if (axis.is_ring()) {
            stage.ring_size = axis.size;
            stage.most_plus = static_cast<std::uint32_t>(routing.tie == Sign::kMinus ? axis.size - 1 : axis.size) / 2;
        }
        stage.link[0] = grid.link(VertexId(0), at.axis, Sign::kMinus).value;
        stage.link[1] = grid.link(VertexId(0), at.axis, Sign::kPlus).value;
        stage.shift = shift;
        stage.size = axis.size;
        stage.link_stride = grid.stride(at.axis) * links_per_vertex_;
        for (std::uint8_t bit = 0; bit < bits; ++bit) {
            stage_of_bit_[shift + bit] = static_cast<std::uint8_t>(stages_.size());
        }
        for (std::int32_t v = 0; v < grid.vertex_count(); ++v) {
            packed_[static_cast<std::size_t>(v)] |= static_cast<std::uint64_t>(grid.coordinate(VertexId(v), at.axis))
                                                    << shift;
        }
        stages_.push_back(stage);
        shift = static_cast<std::uint8_t>(shift + bits);
    }
}

}  // namespace haichi
