#include "netmodel/topology/grid.h"

#include <cstdlib>

#include "base/errors.h"

namespace haichi {

Grid::Grid(std::vector<Axis> axes) : axes_(std::move(axes)), strides_(axes_.size()), first_slot_(axes_.size()) {
    if (axes_.empty() || axes_.size() > kMostAxes) {
        throw OptionError("a mesh or torus has 1 to " + std::to_string(kMostAxes) + " axes, not " +
                          std::to_string(axes_.size()));
    }
    std::int64_t count = 1;
    for (std::size_t k = axes_.size(); k-- > 0;) {
        if (axes_[k].size < 1) {
            throw OptionError("axis " + axes_[k].name + " has size " + std::to_string(axes_[k].size) +
                              "; the smallest is 1");
        }
        strides_[k] = static_cast<std::int32_t>(count);
        count *= axes_[k].size;
        if (count > kMostVertices) {
            std::string sizes;
            for (const Axis& axis : axes_) {
                if (!sizes.empty()) sizes += 'x';
                sizes += std::to_string(axis.size);
            }
            throw OptionError("a topology has at most " + std::to_string(kMostVertices) + " nodes, not " + sizes);
        }
    }
    vertex_count_ = static_cast<std::int32_t>(count);
    for (std::size_t k = 0; k < axes_.size(); ++k) {
        first_slot_[k] = links_per_vertex_;
        links_per_vertex_ += axes_[k].size == 1 ? 0 : axes_[k].size == 2 ? 1 : 2;
    }
}

Coordinates Grid::coordinates(VertexId v) const {
    Coordinates at;
    for (std::size_t k = 0; k < axes_.size(); ++k) at.push_back(coordinate(v, k));
    return at;
}

VertexId Grid::vertex(const Coordinates& at) const {
    std::int32_t number = 0;
    for (std::size_t k = 0; k < axes_.size(); ++k) number += at[k] * strides_[k];
    return VertexId(number);
}

bool Grid::link_exists(LinkId link) const {
    const LinkEnds ends = link_ends(link);
    return ends.to.valid();
}

std::int64_t Grid::existing_link_count() const {
    std::int64_t count = 0;
    for (const Axis& axis : axes_) {
        const std::int64_t lines = vertex_count_ / axis.size;
        count += 2 * lines * (axis.is_ring() ? axis.size : axis.size - 1);
    }
    return count;
}

Grid::LinkEnds Grid::link_ends(LinkId link) const {
    LinkEnds ends;
    ends.from = VertexId(link.value / links_per_vertex_);
    const std::int32_t slot = link.value % links_per_vertex_;
    for (std::size_t k = 0; k < axes_.size(); ++k) {
        if (axes_[k].size > 1 && first_slot_[k] <= slot) ends.axis = k;
    }
    const bool minus =
        axes_[ends.axis].size == 2 ? coordinate(ends.from, ends.axis) == 1 : slot > first_slot_[ends.axis];
    ends.sign = minus ? Sign::kMinus : Sign::kPlus;
    ends.to = neighbour(ends.from, ends.axis, ends.sign);
    return ends;
}

std::int32_t Grid::distance(VertexId a, VertexId b) const {
    std::int32_t sum = 0;
    for (std::size_t k = 0; k < axes_.size(); ++k) {
        sum += std::abs(steps(k, coordinate(a, k), coordinate(b, k), Sign::kPlus));
    }
    return sum;
}

VertexId Grid::neighbour(VertexId v, std::size_t k, Sign sign) const {
    const Axis& axis = axes_[k];
    if (axis.size == 1) return {};
    const std::int32_t at = coordinate(v, k);
    if (axis.size == 2) return VertexId(v.value + (at == 0 ? strides_[k] : -strides_[k]));
    std::int32_t to = at + (sign == Sign::kPlus ? 1 : -1);
    if (to < 0 || to == axis.size) {
        if (!axis.wraps) return {};
        to = to < 0 ? axis.size - 1 : 0;
    }
    return VertexId(v.value + (to - at) * strides_[k]);
}

}  // namespace haichi
