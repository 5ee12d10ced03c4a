#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "netmodel/routing/dimension_order.h"

namespace haichi {

/// Leads routes on a grid around faulty nodes. A route without faulty nodes is unchanged. On a Tofu (axes A, B and C),
/// a blocked route follows the extended order B,C,A,X,Y,Z,A,C,B of axes. The route first goes along B, C and A to
/// another column, then along the usual axes. FaultDetours chooses the column whose route has the fewest hops and no
/// faulty node. A tie goes to the first column in the order of (A, B, C). A value.
class FaultDetours {
  public:
    /// `faulty` lists vertices of `grid`.
    FaultDetours(const Grid& grid, const DimensionOrder& routing, std::span<const VertexId> faulty);

    [[nodiscard]] bool is_faulty(VertexId v) const { return is_faulty_[v.index()] != 0; }

    /// Returns `routing` for a message from s to d if its route contains no faulty node. Otherwise returns the detour,
    /// or null if every route has a faulty node. Neither end may be faulty. Requires the constructor's `grid` and
    /// `routing`. O(length), for each column if the usual route is blocked.
    [[nodiscard]] const DimensionOrder* routing_between(const Grid& grid, const DimensionOrder& routing, VertexId s,
                                                        VertexId d) const;
    /// The first faulty node on the usual route, or an invalid id.
    [[nodiscard]] VertexId first_faulty(const Grid& grid, const DimensionOrder& routing, VertexId s, VertexId d) const;
    /// Maximum number of steps that a detour adds to a route: those to the column and back.
    [[nodiscard]] std::int32_t longest_extra() const { return longest_extra_; }

  private:
    std::vector<std::uint8_t> is_faulty_;
    std::vector<DimensionOrder> columns_;  ///< in the order of (A, B, C); empty if the grid lacks these axes
    std::int32_t longest_extra_ = 0;
};

/// Number of links from s to d over all stages, columns included. O(stages).
std::int32_t route_length(const Grid& grid, const DimensionOrder& routing, VertexId s, VertexId d);

}  // namespace haichi
