#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "netmodel/routing/channel_rule.h"
#include "netmodel/routing/dimension_order.h"

namespace haichi {

/// Computes shortest routes (no columns) on a grid without divisions. The function next() computes one hop of
/// VirtualChannels::append_route in O(1), from only the current vertex and the destination. The function write_route()
/// writes all links at once. Needs 8 bytes per vertex.
class GridSteps {
  public:
    GridSteps(const Grid& grid, const DimensionOrder& routing);

    /// A hop: the index of the link among the links of its vertex, and the virtual channel.
    struct Step {
        std::int32_t link = 0;
        std::uint8_t vc = 0;
    };

    /// Positions have at most 35 bits: at most 2^23 vertices and 12 axes.
    static constexpr int kPositionBits = 40;

    /// The coordinates of a vertex, packed into one number.
    [[nodiscard]] std::uint64_t position(VertexId v) const { return packed_[v.index()]; }
    /// Links are numbered vertex by vertex.
    [[nodiscard]] std::int32_t links_per_vertex() const { return links_per_vertex_; }
    /// The hop from one position towards a different one. Bits of `there` above the position do not matter.
    [[nodiscard, gnu::always_inline]] inline Step next(std::uint64_t here, std::uint64_t there) const {
        const Stage& stage = stages_[stage_of_bit_[std::countr_zero(here ^ there)]];
        const auto a = static_cast<std::int32_t>(here >> stage.shift & stage.mask);
        const auto b = static_cast<std::int32_t>(there >> stage.shift & stage.mask);
        // No branches here, because the direction of a packet is unpredictable.
        std::int32_t delta = b - a;
        delta += delta >> 31 & stage.ring_size;
        const bool plus = static_cast<std::uint32_t>(delta) <= stage.most_plus;
        const bool dateline_ahead = plus == (b < a);
        return {stage.link[plus ? 1 : 0], static_cast<std::uint8_t>(dateline_ahead ? 1 : 0)};
    }

    /// Writes the links of the route to `out`, in order. Returns the end of the links.
    [[gnu::always_inline]] inline LinkId* write_route(VertexId from, VertexId to, LinkId* out) const {
        const std::uint64_t here = packed_[from.index()];
        const std::uint64_t there = packed_[to.index()];
        std::int32_t vertex_link = from.value * links_per_vertex_;
        for (std::uint64_t differ = here ^ there; differ != 0;) {
            const Stage& stage = stages_[stage_of_bit_[std::countr_zero(differ)]];
            differ &= ~(std::uint64_t{stage.mask} << stage.shift);
            const auto a = static_cast<std::int32_t>(here >> stage.shift & stage.mask);
            const auto b = static_cast<std::int32_t>(there >> stage.shift & stage.mask);
            std::int32_t delta = b - a;
            delta += delta >> 31 & stage.ring_size;
            const bool plus = static_cast<std::uint32_t>(delta) <= stage.most_plus;
            const std::int32_t hops = plus ? delta : stage.ring_size - delta;
            const std::int32_t step = plus ? stage.link_stride : -stage.link_stride;
            // Links of one direction are evenly spaced, except for one jump around the ring.
            const std::int32_t before_leap = std::min(hops, plus ? stage.size - a : a + 1);
            std::int32_t link = vertex_link + stage.link[plus ? 1 : 0];
            for (std::int32_t i = 0; i < before_leap; ++i, link += step) *out++ = LinkId(link);
            link -= step * stage.size;
            for (std::int32_t i = before_leap; i < hops; ++i, link += step) *out++ = LinkId(link);
            vertex_link += (b - a) * stage.link_stride;
        }
        return out;
    }

  private:
    struct Stage {
        std::uint32_t mask = 0;
        std::uint32_t most_plus = 0;    ///< maximum number of steps in the positive direction
        std::int32_t ring_size = 0;     ///< 0: not a ring
        std::int32_t link[2] = {0, 0};  ///< by direction (minus, plus): index among the links of a vertex
        std::uint32_t shift = 0;
        std::int32_t size = 0;         ///< size of the axis
        std::int32_t link_stride = 0;  ///< difference between the link ids of two neighbouring vertices
    };
    std::vector<Stage> stages_;
    std::uint8_t stage_of_bit_[64] = {};
    std::int32_t links_per_vertex_ = 0;
    /// Per vertex: its coordinates, with the coordinate of the first stage in the lowest bits.
    std::vector<std::uint64_t> packed_;
};

}  // namespace haichi
