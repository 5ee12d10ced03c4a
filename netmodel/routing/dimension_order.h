#pragma once

#include <boost/container/static_vector.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "netmodel/topology/grid.h"

namespace haichi {

/// Static dimension-order routing: a route follows one axis after the other, each in the shorter direction.
///
/// An axis may occur twice in the order, as in Tofu's extended order BCAXYZACB. Its first stage then leads to the fixed
/// column `column` of that axis, its last stage to the destination. By default the column is the source's coordinate,
/// so the first stage is empty. Other columns lead a route around a faulty node.
struct DimensionOrder {
    struct Stage {
        std::size_t axis = 0;
        bool to_destination = true;
        std::optional<std::int32_t> column;  ///< set if !to_destination

        friend bool operator==(const Stage&, const Stage&) = default;
    };
    std::vector<Stage> stages;
    Sign tie = Sign::kPlus;  ///< direction to a half-way destination on an even ring

    friend bool operator==(const DimensionOrder&, const DimensionOrder&) = default;
};

/// Parses "dor:XYZACB", "dor:XYZACB,tie=-", "dor:BCAXYZACB,tie=+,column=1.0.0". The order contains each axis of the
/// grid at least once. Axis names longer than one letter are separated by blanks or dots ("dor:d0.d1"). The column has
/// a coordinate for each repeated axis, in the order of first occurrence. Throws OptionError.
DimensionOrder parse_dimension_order(std::string_view text, const Grid& grid);

/// Formats a routing as the text that parse_dimension_order() accepts.
std::string to_string(const DimensionOrder& routing, const Grid& grid);

/// The order of the grid's axes; ties take the positive direction.
DimensionOrder default_dimension_order(const Grid& grid);

/// Calls visit(LinkId) for every link of the route from s to d, in order. A pure function of its arguments.
template <class Visitor>
void walk_dimension_order(const Grid& grid, const DimensionOrder& routing, VertexId s, VertexId d, Visitor&& visit) {
    VertexId at = s;
    for (const DimensionOrder::Stage& stage : routing.stages) {
        const std::size_t k = stage.axis;
        const std::int32_t size = grid.axis(k).size;
        std::int32_t position = grid.coordinate(at, k);
        const std::int32_t target = stage.to_destination ? grid.coordinate(d, k) : stage.column.value_or(position);
        std::int32_t steps = grid.steps(k, position, target, routing.tie);
        const std::int32_t stride = grid.stride(k);
        for (; steps > 0; --steps) {
            visit(grid.link(at, k, Sign::kPlus));
            const bool around = ++position == size;
            if (around) position = 0;
            at.value += around ? stride * (1 - size) : stride;
        }
        for (; steps < 0; ++steps) {
            visit(grid.link(at, k, Sign::kMinus));
            const bool around = --position < 0;
            if (around) position = size - 1;
            at.value += around ? stride * (size - 1) : -stride;
        }
    }
}

}  // namespace haichi
