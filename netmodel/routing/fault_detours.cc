#include "netmodel/routing/fault_detours.h"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace haichi {

namespace {

/// The indices of the axes with these names, in the order of `names`. Empty if an axis is missing.
std::optional<std::array<std::size_t, 3>> axes_named(const Grid& grid, const std::array<const char*, 3>& names) {
    std::array<std::size_t, 3> axes{};
    for (std::size_t i = 0; i < names.size(); ++i) {
        const auto axis = std::ranges::find(grid.axes(), names[i], &Axis::name);
        if (axis == grid.axes().end()) return std::nullopt;
        axes[i] = static_cast<std::size_t>(axis - grid.axes().begin());
    }
    return axes;
}

}  // namespace

FaultDetours::FaultDetours(const Grid& grid, const DimensionOrder& routing, std::span<const VertexId> faulty)
    : is_faulty_(static_cast<std::size_t>(grid.vertex_count()), 0) {
    for (const VertexId v : faulty) is_faulty_[v.index()] = 1;
    const auto abc = axes_named(grid, {"A", "B", "C"});
    if (!abc || !axes_named(grid, {"X", "Y", "Z"})) return;
    const auto [a, b, c] = *abc;
    std::vector<DimensionOrder::Stage> usual;
    std::ranges::copy_if(routing.stages, std::back_inserter(usual), &DimensionOrder::Stage::to_destination);
    for (std::int32_t at_a = 0; at_a < grid.axis(a).size; ++at_a) {
        for (std::int32_t at_b = 0; at_b < grid.axis(b).size; ++at_b) {
            for (std::int32_t at_c = 0; at_c < grid.axis(c).size; ++at_c) {
                DimensionOrder& column = columns_.emplace_back();
                column.tie = routing.tie;
                column.stages = {{b, false, at_b}, {c, false, at_c}, {a, false, at_a}};
                column.stages.insert(column.stages.end(), usual.begin(), usual.end());
            }
        }
    }
    for (const std::size_t k : *abc) {
        const Axis& axis = grid.axis(k);
        longest_extra_ += axis.is_ring() ? axis.size / 2 : axis.size - 1;
    }
}

VertexId FaultDetours::first_faulty(const Grid& grid, const DimensionOrder& routing, VertexId s, VertexId d) const {
    VertexId met;
    walk_dimension_order(grid, routing, s, d, [&](LinkId link) {
        const VertexId from(link.value / grid.links_per_vertex());
        if (!met.valid() && from != s && is_faulty(from)) met = from;
    });
    return met;
}

const DimensionOrder* FaultDetours::routing_between(const Grid& grid, const DimensionOrder& routing, VertexId s,
                                                    VertexId d) const {
    if (!first_faulty(grid, routing, s, d).valid()) return &routing;
    const DimensionOrder* best = nullptr;
    std::int32_t fewest = 0;
    for (const DimensionOrder& column : columns_) {
        const std::int32_t length = route_length(grid, column, s, d);
        if (best != nullptr && length >= fewest) continue;
        if (first_faulty(grid, column, s, d).valid()) continue;
        best = &column;
        fewest = length;
    }
    return best;
}

std::int32_t route_length(const Grid& grid, const DimensionOrder& routing, VertexId s, VertexId d) {
    Coordinates at = grid.coordinates(s);
    std::int32_t sum = 0;
    for (const DimensionOrder::Stage& stage : routing.stages) {
        const std::size_t k = stage.axis;
        const std::int32_t target = stage.to_destination ? grid.coordinate(d, k) : stage.column.value_or(at[k]);
        sum += std::abs(grid.steps(k, at[k], target, Sign::kPlus));
        at[k] = target;
    }
    return sum;
}

}  // namespace haichi
