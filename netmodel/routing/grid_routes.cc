#include "netmodel/routing/grid_routes.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/errors.h"

namespace haichi {

namespace {

/// Convolves two histograms. The result counts the positions in the product of two axes by distance.
std::vector<std::int64_t> convolved(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
    std::vector<std::int64_t> sum(a.size() + b.size() - 1);
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (a[i] == 0) continue;
        for (std::size_t j = 0; j < b.size(); ++j) sum[i + j] += a[i] * b[j];
    }
    return sum;
}

/// Histogram of the positions of an axis by distance from its centre.
std::vector<std::int64_t> distances_from_centre(const Grid& grid, std::size_t k) {
    const std::int32_t size = grid.axis(k).size;
    std::vector<std::int64_t> histogram(static_cast<std::size_t>(size / 2) + 1);
    for (std::int32_t position = 0; position < size; ++position) {
        const std::int32_t steps = grid.steps(k, size / 2, position, Sign::kPlus);
        ++histogram[static_cast<std::size_t>(std::abs(steps))];
    }
    return histogram;
}

/// Visits the hops of one stage. Passes the virtual channel of each hop within the layer of the stage.
template <class Visit>
void walk_stage(const Grid& grid, const DimensionOrder& routing, const DimensionOrder::Stage& stage, VertexId& at,
                VertexId d, const Visit& visit) {
    const std::size_t k = stage.axis;
    const std::int32_t position = grid.coordinate(at, k);
    const std::int32_t target = stage.to_destination ? grid.coordinate(d, k) : stage.column.value_or(position);
    const std::int32_t steps = grid.steps(k, position, target, routing.tie);
    const Sign sign = steps > 0 ? Sign::kPlus : Sign::kMinus;
    for (std::int32_t i = 0; i < std::abs(steps); ++i) {
        const std::int32_t here = grid.coordinate(at, k);
        const bool dateline_ahead = sign == Sign::kPlus ? target < here : target > here;
        visit(grid.link(at, k, sign), dateline_ahead ? 1 : 0);
        at = grid.neighbour(at, k, sign);
    }
}

/// The dateline of a ring lies between its last and its first position. A hop uses VC 1 if the route has yet to cross
/// the dateline or crosses it now, else VC 0. Meshes need one VC. Stages that lead to a column instead of the
/// destination have their own layer, above the layer of the usual stages. If both the routing and faulty nodes cause
/// columns, there are two such layers. No cycle is possible, because each hop of a route increases a sequence of four
/// properties. These are: stages to a detour's column, the routing's stages in order, VC 1 before VC 0, position in the
/// direction of travel.
class GridChannels final : public ChannelRule {
  public:
    explicit GridChannels(const GridRoutes& routes) : routes_(routes) {
        needed_ = std::ranges::any_of(routes.grid().axes(), &Axis::is_ring) ? 2 : 1;
        if (routes.are_shortest()) return;
        column_layer_ = detour_layer_ = needed_;
        const bool has_columns =
            std::ranges::any_of(routes.routing().stages, [](const auto& stage) { return stage.column.has_value(); });
        // Columns of the routing and columns around faulty nodes differ in the order of stages, so each kind has a
        // layer.
        if (has_columns && routes.has_detours()) detour_layer_ += needed_;
        needed_ += detour_layer_;
    }

    [[nodiscard]] std::int32_t needed() const override { return needed_; }
    void append_route(VertexId s, VertexId d, std::vector<ChannelHop>& hops) const override {
        const DimensionOrder& routing = routes_.routing_between(s, d);
        const std::int32_t column_layer = &routing == &routes_.routing() ? column_layer_ : detour_layer_;
        VertexId at = s;
        for (const DimensionOrder::Stage& stage : routing.stages) {
            const std::int32_t layer = stage.to_destination ? 0 : column_layer;
            walk_stage(routes_.grid(), routing, stage, at, d, [&](LinkId link, std::int32_t vc) {
                hops.push_back({link, static_cast<std::uint8_t>(layer + vc)});
            });
        }
    }

  private:
    const GridRoutes& routes_;
    std::int32_t needed_ = 1;
    std::int32_t column_layer_ = 0;  ///< first VC of the routing's stages to a column
    std::int32_t detour_layer_ = 0;  ///< first VC of routes around faulty nodes
};

/// Maximum number of steps along an axis in the shorter direction.
std::int32_t longest_way(const Axis& axis) { return axis.is_ring() ? axis.size / 2 : axis.size - 1; }

}  // namespace

GridRoutes::GridRoutes(const Grid& grid, DimensionOrder routing, std::span<const VertexId> faulty)
    : grid_(grid), routing_(std::move(routing)) {
    if (!faulty.empty()) detours_.emplace(grid_, routing_, faulty);
    are_shortest_ =
        !detours_ && std::ranges::none_of(routing_.stages, [](const auto& stage) { return stage.column.has_value(); });
}

const DimensionOrder& GridRoutes::routing_between(VertexId s, VertexId d) const {
    if (!detours_) return routing_;
    const DimensionOrder* routing = detours_->routing_between(grid_, routing_, s, d);
    if (routing != nullptr) return *routing;
    const VertexId faulty = detours_->first_faulty(grid_, routing_, s, d);
    throw OptionError("no route from node " + coordinates_text(grid_, s) + " to node " + coordinates_text(grid_, d) +
                      " avoids the faulty node " + coordinates_text(grid_, faulty) +
                      " (coordinates of the job's region)");
}

void GridRoutes::append_route(VertexId s, VertexId d, std::vector<LinkId>& links) const {
    walk_dimension_order(grid_, routing_between(s, d), s, d, [&links](LinkId link) { links.push_back(link); });
}

std::int32_t GridRoutes::hops(VertexId s, VertexId d) const {
    if (are_shortest_) return grid_.distance(s, d);
    return s == d ? 0 : route_length(grid_, routing_between(s, d), s, d);
}

std::int32_t GridRoutes::longest() const {
    std::int32_t sum = detours_ ? detours_->longest_extra() : 0;
    for (const DimensionOrder::Stage& stage : routing_.stages) sum += longest_way(grid_.axis(stage.axis));
    return sum;
}

std::int32_t GridRoutes::diameter() const {
    std::int32_t sum = 0;
    for (const Axis& axis : grid_.axes()) sum += longest_way(axis);
    return are_shortest_ ? sum : 2 * sum;  // at most one detour per axis
}

DistanceHistogram GridRoutes::nearest() const {
    // The centre has the nearest neighbours. On one axis, its k-th smallest distance is at most the k-th smallest of
    // any other position. Matching the sorted distances maps the axis onto itself without increasing a distance.
    // Applied to every axis, this maps the whole grid in the same way.
    DistanceHistogram histogram{{1}, are_shortest_};
    for (std::size_t k = 0; k < grid_.axis_count(); ++k) {
        histogram.count = convolved(histogram.count, distances_from_centre(grid_, k));
    }
    --histogram.count[0];  // the node itself
    return histogram;
}

std::optional<CutPair> GridRoutes::find_cut_pair(const JobNodes& job) const {
    if (!detours_) return std::nullopt;
    for (std::int32_t d = 0; d < job.count(); ++d) {
        if (!job.is_usable(NodeId(d))) continue;
        const VertexId to = job.vertex(NodeId(d));
        for (std::int32_t s = 0; s < job.count(); ++s) {
            if (s == d || !job.is_usable(NodeId(s))) continue;
            const VertexId from = job.vertex(NodeId(s));
            if (detours_->routing_between(grid_, routing_, from, to) != nullptr) continue;
            return CutPair{NodeId(s), NodeId(d), detours_->first_faulty(grid_, routing_, from, to)};
        }
    }
    return std::nullopt;
}

std::shared_ptr<const ChannelRule> GridRoutes::channels(const JobNodes&, std::int32_t) const {
    return std::make_shared<GridChannels>(*this);
}

std::optional<GridSteps> GridRoutes::steps() const {
    if (!are_shortest_) return std::nullopt;
    return GridSteps(grid_, routing_);
}

std::string coordinates_text(const Grid& grid, VertexId v) {
    std::string text = "(";
    for (std::size_t k = 0; k < grid.axis_count(); ++k) {
        if (k > 0) text += ',';
        text += std::to_string(grid.coordinate(v, k));
    }
    return text + ")";
}

}  // namespace haichi
