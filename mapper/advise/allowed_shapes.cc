#include "mapper/advise/allowed_shapes.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "base/errors.h"

namespace haichi {

namespace {

using Shape = std::vector<std::int32_t>;

/// Marks the second axis of each pair. Every job covers these axes completely.
std::vector<bool> whole_axes(const Machine& machine, const Grid& grid) {
    std::vector<bool> whole(grid.axis_count());
    for (const auto& group : machine.logical) {
        if (group.size() == 2) whole[group[1]] = true;
    }
    return whole;
}

/// Enumerates the shapes that fit a machine.
class Cuboids {
  public:
    explicit Cuboids(const Machine& machine)
        : machine_(machine), grid_(*coordinates(machine)), whole_(whole_axes(machine, grid_)) {
        has_pairs_ = std::ranges::find(whole_, true) != whole_.end();
        for (std::size_t k = 0; k < whole_.size(); ++k) unit_ *= whole_[k] ? grid_.axis(k).size : 1;
    }

    /// Number of nodes of the smallest job.
    [[nodiscard]] std::int64_t unit() const { return unit_; }
    [[nodiscard]] std::int64_t most_nodes() const {
        return machine_.size_is_open ? kMostVertices : grid_.vertex_count();
    }

    [[nodiscard]] bool has_any(std::int64_t nodes) const {
        bool found = false;
        const auto look = [&](const Shape&) { return !(found = true); };
        (void)visit(nodes, look);
        return found;
    }
    [[nodiscard]] std::vector<Shape> all(std::int64_t nodes) const {
        std::vector<Shape> shapes;
        const auto keep = [&](const Shape& shape) {
            if (stands_for_its_like(shape)) shapes.push_back(shape);
            return true;
        };
        (void)visit(nodes, keep);
        return shapes;
    }

  private:
    using Look = std::function<bool(const Shape&)>;

    [[nodiscard]] bool is_open(std::size_t k) const { return machine_.size_is_open && grid_.axis(k).size == 1; }

    /// Calls look() for every shape with this number of nodes, until look() returns false.
    bool visit(std::int64_t nodes, const Look& look) const {
        if (nodes % unit_ != 0) return true;
        Shape shape;
        return extend(shape, nodes / unit_, look);
    }
    bool extend(Shape& shape, std::int64_t left, const Look& look) const {
        const std::size_t k = shape.size();
        if (k == grid_.axis_count()) return left != 1 || look(shape);
        std::int64_t least = 1;
        std::int64_t most = is_open(k) ? left : std::min<std::int64_t>(left, grid_.axis(k).size);
        const std::int64_t share = whole_[k] ? 1 : left;
        if (whole_[k]) least = most = grid_.axis(k).size;
        for (std::int64_t size = least; size <= most; ++size) {
            if (!whole_[k] && share % size != 0) continue;
            shape.push_back(static_cast<std::int32_t>(size));
            const bool goes_on = extend(shape, whole_[k] ? left : left / size, look);
            shape.pop_back();
            if (!goes_on) return false;
        }
        return true;
    }

    /// Returns true for only one shape among those that differ by an exchange of equal axes. This is the shape whose
    /// sizes descend along the equal axes.
    [[nodiscard]] bool stands_for_its_like(const Shape& shape) const {
        if (has_pairs_) return true;
        for (std::size_t a = 0; a < shape.size(); ++a) {
            for (std::size_t b = a + 1; b < shape.size(); ++b) {
                const Axis& x = grid_.axis(a);
                const Axis& y = grid_.axis(b);
                if (x.size == y.size && x.wraps == y.wraps && shape[a] < shape[b]) return false;
            }
        }
        return true;
    }

    const Machine& machine_;
    const Grid& grid_;
    std::vector<bool> whole_;
    bool has_pairs_ = false;
    std::int64_t unit_ = 1;
};

std::int64_t node_count_of(const Shape& shape) {
    std::int64_t nodes = 1;
    for (const std::int32_t size : shape) nodes *= size;
    return nodes;
}

/// Mean distance over all ordered pairs of positions, including equal positions.
double mean_steps(std::int32_t size, bool is_ring) {
    const double n = size;
    if (is_ring) return std::floor(n * n / 4) / n;
    return (n * n - 1) / (3 * n);
}

double mean_distance(const Machine& machine, const Shape& shape) {
    const Grid& grid = *coordinates(machine);
    double hops = 0;
    for (std::size_t k = 0; k < shape.size(); ++k) {
        const Axis& axis = grid.axis(k);
        hops += mean_steps(shape[k], axis.is_ring() && shape[k] == axis.size);
    }
    return hops;
}

/// The sizes of the shape along the logical axes. Returns the shape itself if no axes form pairs.
Shape logical_sizes(const Machine& machine, const Shape& shape) {
    const bool has_pairs = std::ranges::any_of(machine.logical, [](const auto& group) { return group.size() == 2; });
    if (!has_pairs) return shape;
    Shape sizes;
    for (const auto& group : machine.logical) {
        std::int32_t size = 1;
        for (const std::size_t k : group) size *= shape[k];
        sizes.push_back(size);
    }
    return sizes;
}

void name_requests(const Machine& machine, std::vector<AllowedShape>& shapes) {
    const bool may_turn = std::ranges::any_of(machine.logical, [](const auto& group) { return group.size() == 2; });
    const auto sorted = [](Shape sizes) {
        std::ranges::sort(sizes);
        return sizes;
    };
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        shapes[i].request = logical_sizes(machine, shapes[i].shape);
        if (!may_turn) continue;
        for (std::size_t j = 0; j < i; ++j) {
            if (sorted(shapes[j].request) != sorted(shapes[i].request)) continue;
            shapes[i].request = shapes[j].request;
            break;
        }
    }
}

/// The smallest number of nodes of an allowed shape with at least `least` nodes, or 0 if there is none.
std::int64_t nodes_of_listed(const std::vector<Shape>& list, std::int64_t least) {
    std::int64_t best = 0;
    for (const Shape& shape : list) {
        const std::int64_t nodes = node_count_of(shape);
        if (nodes >= least && (best == 0 || nodes < best)) best = nodes;
    }
    return best;
}

std::int64_t nodes_that_fit(const Cuboids& cuboids, std::int64_t least) {
    const std::int64_t unit = cuboids.unit();
    for (std::int64_t nodes = (least + unit - 1) / unit * unit; nodes <= cuboids.most_nodes(); nodes += unit) {
        if (cuboids.has_any(nodes)) return nodes;
    }
    return 0;
}

}  // namespace

AllowedShapes allowed_shapes(const Machine& machine, std::int64_t least_nodes) {
    if (coordinates(machine) == nullptr) {
        throw UnsupportedError("machine " + machine.name + " has no job shapes, because it is not a mesh or torus",
                               "use a mesh or torus; on other machines a job is a list of nodes");
    }
    AllowedShapes allowed;
    allowed.is_listed = !machine.allocations.empty();
    const Cuboids cuboids(machine);
    const std::int64_t nodes =
        allowed.is_listed ? nodes_of_listed(machine.allocations, least_nodes) : nodes_that_fit(cuboids, least_nodes);
    if (nodes == 0) {
        throw OptionError(
            "machine " + machine.name + " has no job shape of " + std::to_string(least_nodes) + " nodes or more",
            allowed.is_listed ? "request fewer nodes, or add a shape to the list 'allocations' of its file" : "");
    }
    allowed.node_count = static_cast<std::int32_t>(nodes);
    std::vector<Shape> shapes;
    if (allowed.is_listed) {
        std::ranges::copy_if(machine.allocations, std::back_inserter(shapes),
                             [&](const Shape& shape) { return node_count_of(shape) == nodes; });
    } else {
        shapes = cuboids.all(nodes);
    }
    for (Shape& shape : shapes) {
        const double distance = mean_distance(machine, shape);
        allowed.shapes.push_back({std::move(shape), {}, distance});
    }
    std::ranges::stable_sort(allowed.shapes, {}, &AllowedShape::mean_distance);
    name_requests(machine, allowed.shapes);
    return allowed;
}

}  // namespace haichi
