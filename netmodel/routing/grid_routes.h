#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "netmodel/routing/fault_detours.h"
#include "netmodel/routing/routes.h"

namespace haichi {

/// Dimension-order routes on a grid, which must outlive this object.
class GridRoutes final : public Routes {
  public:
    GridRoutes(const Grid& grid, DimensionOrder routing, std::span<const VertexId> faulty);

    [[nodiscard]] std::string name() const override { return to_string(routing_, grid_); }
    void append_route(VertexId s, VertexId d, std::vector<LinkId>& links) const override;
    [[nodiscard]] std::int32_t hops(VertexId s, VertexId d) const override;
    [[nodiscard]] std::int32_t longest() const override;
    [[nodiscard]] std::int32_t diameter() const override;
    /// False if a repeated axis with a column, or a faulty node, causes detours.
    [[nodiscard]] bool are_shortest() const override { return are_shortest_; }
    /// Per axis, the length is the distance of a and b, or |a - column| + |column - b|. Both are symmetric, because
    /// half a ring has the same length in both directions. The reverse of a detour around a faulty node may differ in
    /// length.
    [[nodiscard]] bool are_symmetric() const override { return !detours_; }
    [[nodiscard]] DistanceHistogram nearest() const override;
    [[nodiscard]] bool hops_are_walked() const override { return detours_.has_value(); }
    [[nodiscard]] const Grid* distance_grid() const override { return are_shortest_ ? &grid_ : nullptr; }
    [[nodiscard]] std::optional<CutPair> find_cut_pair(const JobNodes& job) const override;
    [[nodiscard]] std::shared_ptr<const ChannelRule> channels(const JobNodes& job, std::int32_t most) const override;
    [[nodiscard]] std::optional<GridSteps> steps() const override;

    [[nodiscard]] const Grid& grid() const { return grid_; }
    /// The routing without detours.
    [[nodiscard]] const DimensionOrder& routing() const { return routing_; }
    /// The stages of the route from s to d around faulty nodes. Throws what append_route throws.
    [[nodiscard]] const DimensionOrder& routing_between(VertexId s, VertexId d) const;
    [[nodiscard]] bool has_detours() const { return detours_.has_value(); }

  private:
    const Grid& grid_;
    DimensionOrder routing_;
    std::optional<FaultDetours> detours_;  ///< set if there are faulty nodes
    bool are_shortest_ = true;
};

/// "(0,1,2)"
std::string coordinates_text(const Grid& grid, VertexId v);

}  // namespace haichi
