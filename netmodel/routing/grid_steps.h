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

    /// Positions have at most 35 bits: there are at most 2^23 vertices and 12 axes.
    static constexpr int kPositionBits = 40;

    /// Where a vertex is, as one number.
    [[nodiscard]] std::uint64_t position(VertexId v) const { return packed_[v.index()]; }
    /// Links are numbered vertex by vertex.
    [[nodiscard]] std::int32_t links_per_vertex() const { return links_per_vertex_; }
    /// From one position towards another, different one; what is above the bits of `there` does not matter.
    [[nodiscard, gnu::always_inline]] inline Step next(std::uint64_t here, std::uint64_t there) const {
        const Stage& stage = stages_[stage_of_bit_[std::countr_zero(here ^ there)]];
        const auto a = static_cast<std::int32_t>(here >> stage.shift & stage.mask);
        const auto b = static_cast<std::int32_t>(there >> stage.shift & stage.mask);
        // No branches: which way a packet goes is anybody's guess.
        std::int32_t delta = b - a;
        delta += delta >> 31 & stage.ring_size;
        const bool plus = static_cast<std::uint32_t>(delta) <= stage.most_plus;
        const bool dateline_ahead = plus == (b < a);
        return {stage.link[plus ? 1 : 0], static_cast<std::uint8_t>(dateline_ahead ? 1 : 0)};
    }

  private:
    struct Stage {
        std::uint32_t mask = 0;
        std::uint32_t most_plus = 0;    ///< steps that are taken upwards
        std::int32_t ring_size = 0;     ///< 0: no ring
        std::int32_t link[2] = {0, 0};  ///< downwards, upwards: number among those of its vertex
        std::uint32_t shift = 0;
    };
    std::vector<Stage> stages_;
    std::uint8_t stage_of_bit_[64] = {};
    std::int32_t links_per_vertex_ = 0;
    std::vector<std::uint64_t> packed_;  ///< per vertex: the coordinates, that of the first stage in the lowest bits
};

}  // namespace haichi
