#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "netmodel/routing/dimension_order.h"

namespace haichi {

/// How routes on a grid pass faulty nodes. A route that meets none stays as it is. On a Tofu (axes A, B and C) one that
/// does takes the extended order: B, C and A to another column first, then the axes as usual, so B,C,A,X,Y,Z,A,C,B. Of
/// the columns whose route meets no faulty node it is the one with the fewest hops, of several the first in the order
/// of (A, B, C). A value.
class FaultDetours {
  public:
    /// `faulty` are vertices of `grid`.
    FaultDetours(const Grid& grid, const DimensionOrder& routing, std::span<const VertexId> faulty);

    [[nodiscard]] bool is_faulty(VertexId v) const { return is_faulty_[v.index()] != 0; }

    /// The routing that a message from s to d takes, `routing` unless that meets a faulty node; null when every way
    /// does. Neither end is faulty. `grid` and `routing` are those of the constructor. O(length), of all columns where
    /// the usual route is blocked.
    [[nodiscard]] const DimensionOrder* routing_between(const Grid& grid, const DimensionOrder& routing, VertexId s,
                                                        VertexId d) const;
    /// The first faulty node on the usual route, or an invalid id.
    [[nodiscard]] VertexId first_faulty(const Grid& grid, const DimensionOrder& routing, VertexId s, VertexId d) const;
    /// Most steps that the leading part of a detour adds to a route, going and coming back.
    [[nodiscard]] std::int32_t longest_extra() const { return longest_extra_; }

  private:
    std::vector<std::uint8_t> is_faulty_;
    std::vector<DimensionOrder> columns_;  ///< in the order of (A, B, C); empty where there are no such axes
    std::int32_t longest_extra_ = 0;
};

/// Number of links from s to d along all stages, columns included. O(stages).
std::int32_t route_length(const Grid& grid, const DimensionOrder& routing, VertexId s, VertexId d);

}  // namespace haichi
