#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "netmodel/routing/channel_rule.h"
#include "netmodel/routing/dimension_order.h"

namespace haichi {

/// The next hop on a grid from where a packet stands: the hops of VirtualChannels::append_route one by one, from
/// nothing but the vertex and the destination. O(1), 8 bytes per vertex. Only for shortest routes (no columns).
class GridSteps {
  public:
    GridSteps(const Grid& grid, const DimensionOrder& routing);

    /// A hop: the number of the link among those of its vertex.
    struct Step {
        std::int32_t link = 0;
        std::uint8_t vc = 0;
    };

    /// Where a vertex is, as one number.
    [[nodiscard]] std::uint64_t position(VertexId v) const { return packed_[v.index()]; }
    /// Links are numbered vertex by vertex.
    [[nodiscard]] std::int32_t links_per_vertex() const { return links_per_vertex_; }
    /// From one position towards another, different one.
    [[nodiscard]] Step next(std::uint64_t here, std::uint64_t there) const {
        const Stage& stage = stages_[stage_of_bit_[std::countr_zero(here ^ there)]];
        const auto a = static_cast<std::int32_t>(here >> stage.shift & stage.mask);
        const auto b = static_cast<std::int32_t>(there >> stage.shift & stage.mask);
        std::int32_t delta = b - a;
        if (stage.is_ring) {
            if (delta < 0) delta += stage.size;
            if (2 * delta > stage.size || (2 * delta == stage.size && tie_is_minus_)) delta -= stage.size;
        }
        const bool plus = delta > 0;
        const bool dateline_ahead = plus ? b < a : b > a;
        return {plus ? stage.plus : stage.minus, static_cast<std::uint8_t>(dateline_ahead ? 1 : 0)};
    }

  private:
    struct Stage {
        std::uint32_t mask = 0;
        std::int32_t size = 1;
        std::int32_t plus = 0;  ///< number of the link among those of its vertex
        std::int32_t minus = 0;
        std::uint8_t shift = 0;
        bool is_ring = false;
    };
    std::vector<Stage> stages_;
    std::uint8_t stage_of_bit_[64] = {};
    bool tie_is_minus_ = false;
    std::int32_t links_per_vertex_ = 0;
    std::vector<std::uint64_t> packed_;  ///< per vertex: the coordinates, that of the first stage in the lowest bits
};

}  // namespace haichi
