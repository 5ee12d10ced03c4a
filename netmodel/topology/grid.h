#pragma once

#include <boost/container/static_vector.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "netmodel/topology/ids.h"

namespace haichi {

inline constexpr std::size_t kMostAxes = 12;
/// Maximum number of vertices in a topology. With this limit, every id fits 32 bits, and data per node fit 2 GB.
inline constexpr std::int64_t kMostVertices = std::int64_t{1} << 23;

/// One coordinate per axis.
using Coordinates = boost::container::static_vector<std::int32_t, kMostAxes>;

struct Axis {
    std::string name;
    std::int32_t size = 1;
    /// True if the last and the first position are neighbours. No effect for sizes 1 and 2: an axis of size 2 always
    /// has one link in each direction.
    bool wraps = false;

    [[nodiscard]] bool is_ring() const { return wraps && size > 2; }
    friend bool operator==(const Axis&, const Axis&) = default;
};

enum class Sign : std::uint8_t { kPlus, kMinus };

/// A mesh or torus of 1 to kMostAxes axes, with a wrap per axis. Every vertex is a terminal. A value. Vertices are
/// numbered row-major, last axis fastest.
///
/// A vertex owns one link id per outgoing direction. It has no direction along an axis of size 1, one along an axis of
/// size 2, and two (plus, minus) along longer axes. The ids of missing links at a mesh border stay unused; see
/// link_exists().
class Grid {
  public:
    /// Throws OptionError for no axes, more than kMostAxes, sizes below 1, or more than kMostVertices vertices.
    explicit Grid(std::vector<Axis> axes);

    [[nodiscard]] std::size_t axis_count() const { return axes_.size(); }
    [[nodiscard]] const Axis& axis(std::size_t k) const { return axes_[k]; }
    [[nodiscard]] const std::vector<Axis>& axes() const { return axes_; }
    [[nodiscard]] std::int32_t vertex_count() const { return vertex_count_; }
    [[nodiscard]] std::int32_t terminal_count() const { return vertex_count_; }

    [[nodiscard]] std::int32_t coordinate(VertexId v, std::size_t k) const {
        return v.value / strides_[k] % axes_[k].size;
    }
    [[nodiscard]] Coordinates coordinates(VertexId v) const;
    [[nodiscard]] VertexId vertex(const Coordinates& at) const;
    [[nodiscard]] std::int32_t stride(std::size_t k) const { return strides_[k]; }

    /// Number of link ids, including those of missing links.
    [[nodiscard]] std::int32_t link_count() const { return vertex_count_ * links_per_vertex_; }
    [[nodiscard]] std::int32_t links_per_vertex() const { return links_per_vertex_; }
    /// Number of the link that leaves `from` along axis k, which must have at least 2 positions.
    [[nodiscard]] LinkId link(VertexId from, std::size_t k, Sign sign) const {
        const std::int32_t minus = sign == Sign::kMinus && axes_[k].size > 2 ? 1 : 0;
        return LinkId(from.value * links_per_vertex_ + first_slot_[k] + minus);
    }
    [[nodiscard]] bool link_exists(LinkId link) const;
    /// Number of links that exist.
    [[nodiscard]] std::int64_t existing_link_count() const;

    struct LinkEnds {
        VertexId from;
        VertexId to;
        std::size_t axis = 0;
        Sign sign = Sign::kPlus;
    };
    /// Only for existing links.
    [[nodiscard]] LinkEnds link_ends(LinkId link) const;

    /// Signed number of steps from coordinate a to b along axis k in the shorter direction. On an even ring, `tie` is
    /// the direction to a half-way destination.
    [[nodiscard]] std::int32_t steps(std::size_t k, std::int32_t a, std::int32_t b, Sign tie) const {
        std::int32_t delta = b - a;
        if (axes_[k].is_ring()) {
            const std::int32_t size = axes_[k].size;
            if (delta < 0) delta += size;
            if (2 * delta > size || (2 * delta == size && tie == Sign::kMinus)) delta -= size;
        }
        return delta;
    }
    /// Length of a shortest path.
    [[nodiscard]] std::int32_t distance(VertexId a, VertexId b) const;

    /// The vertex one step from v along axis k; invalid beyond a mesh border or on an axis of size 1. On an axis of
    /// size 2 both signs lead to the other position.
    [[nodiscard]] VertexId neighbour(VertexId v, std::size_t k, Sign sign) const;

    friend bool operator==(const Grid& a, const Grid& b) { return a.axes_ == b.axes_; }

  private:
    std::vector<Axis> axes_;
    std::vector<std::int32_t> strides_;
    std::vector<std::int32_t> first_slot_;
    std::int32_t vertex_count_ = 1;
    std::int32_t links_per_vertex_ = 0;
};

}  // namespace haichi
