#include "mapper/advise/shape.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "base/errors.h"
#include "netmodel/topology/sizes.h"

namespace haichi {

namespace {

using Shape = std::vector<std::int32_t>;

/// The second axis of each pair: whole in every job.
std::vector<bool> whole_axes(const Machine& machine, const Grid& grid) {
    std::vector<bool> whole(grid.axis_count());
    for (const auto& group : machine.logical) {
        if (group.size() == 2) whole[group[1]] = true;
    }
    return whole;
}

/// Goes over the shapes that fit a machine.
class Cuboids {
  public:
    explicit Cuboids(const Machine& machine)
        : machine_(machine), grid_(*coordinates(machine)), whole_(whole_axes(machine, grid_)) {
        has_pairs_ = std::ranges::find(whole_, true) != whole_.end();
        for (std::size_t k = 0; k < whole_.size(); ++k) unit_ *= whole_[k] ? grid_.axis(k).size : 1;
    }

    /// Nodes of the smallest job.
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

    /// Calls look() for every shape of so many nodes until it gives false.
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

    /// Of shapes that exchange equal axes, the one with the larger sizes first.
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

/// Mean over all ordered pairs of positions, equal ones included.
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

/// Of the logical axes; the shape itself where there are no pairs.
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

/// The smallest number of nodes from `least` on that an allowed shape has; 0: there is none.
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

/// A request and the slowest of its shapes.
struct TimedRequest {
    const Shape* request = nullptr;
    TimeSpread time;
};

std::vector<TimedRequest> timed_requests(std::span<const ShapeTimes> shapes) {
    std::vector<TimedRequest> requests;
    for (const ShapeTimes& shape : shapes) {
        if (shape.without_barriers.empty()) continue;
        const TimeSpread time = shape_time(shape);
        const auto same = [&](const TimedRequest& other) { return *other.request == shape.request; };
        const auto found = std::ranges::find_if(requests, same);
        if (found == requests.end()) {
            requests.push_back({&shape.request, time});
        } else if (time.mean_seconds > found->time.mean_seconds) {
            found->time = time;
        }
    }
    std::ranges::stable_sort(requests, {}, [](const TimedRequest& request) { return request.time.mean_seconds; });
    return requests;
}

std::string requests_text(std::span<const Shape> requests) {
    std::vector<std::string> words;
    for (const Shape& request : requests) words.push_back(sizes_text(request));
    return listed(words);
}

ShapeAdvice without_times(std::span<const ShapeTimes> shapes, const ShapeLimits& limits) {
    ShapeAdvice advice;
    const auto best = std::ranges::min_element(shapes, {}, &ShapeTimes::search_value);
    advice.sentence = "Not known: ";
    if (limits.interrupted) {
        advice.sentence += "interrupted before any shape was simulated";
    } else if (!limits.missing.empty()) {
        advice.sentence += "machine " + limits.machine + " does not state " + listed(limits.missing) +
                           ", without which simulated times mean nothing";
    } else {
        advice.sentence += "a simulation of one iteration would pass the budget of packet-hops";
    }
    if (best != shapes.end()) {
        advice.requests.push_back(best->request);
        advice.sentence += "; by the search alone " + sizes_text(best->shape) + " is no worse than the others";
    }
    advice.sentence += ".";
    return advice;
}

}  // namespace

AllowedShapes allowed_shapes(const Machine& machine, std::int64_t least_nodes) {
    if (coordinates(machine) == nullptr) {
        throw UnsupportedError("machine " + machine.name + " has no job shapes: it is not a mesh or torus",
                               "elsewhere a job is a list of nodes");
    }
    AllowedShapes allowed;
    allowed.is_listed = !machine.allocations.empty();
    const Cuboids cuboids(machine);
    const std::int64_t nodes =
        allowed.is_listed ? nodes_of_listed(machine.allocations, least_nodes) : nodes_that_fit(cuboids, least_nodes);
    if (nodes == 0) {
        throw OptionError(
            "machine " + machine.name + " has no job shape of " + std::to_string(least_nodes) + " nodes or more",
            allowed.is_listed ? "its file lists the allowed ones as 'allocations'" : "");
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

TimeSpread shape_time(const ShapeTimes& shape) {
    const TimeSpread without = spread_of(shape.without_barriers);
    if (shape.with_barriers.empty()) return without;
    const TimeSpread with = spread_of(shape.with_barriers);
    return with.mean_seconds < without.mean_seconds ? with : without;
}

ShapeAdvice advise_shapes(std::span<const ShapeTimes> shapes, const ShapeLimits& limits) {
    const std::vector<TimedRequest> requests = timed_requests(shapes);
    if (requests.empty()) return without_times(shapes, limits);
    ShapeAdvice advice;
    const TimeSpread& best = requests.front().time;
    // The first that differs from the best, and what lies before it.
    std::size_t end = 1;
    const auto spread = [&](std::size_t i) { return best.spread_seconds + requests[i].time.spread_seconds; };
    while (end < requests.size() && requests[end].time.mean_seconds - best.mean_seconds <= spread(end)) ++end;
    for (std::size_t i = 0; i < end; ++i) advice.requests.push_back(*requests[i].request);
    const bool is_alone = requests.size() == 1;
    if (end < requests.size()) {
        const double slower = requests[end].time.mean_seconds;
        advice.gain = (slower - best.mean_seconds) / slower;
        advice.spread = spread(end) / slower;
        advice.verdict = end == 1 ? ShapeVerdict::kOne : ShapeVerdict::kSeveral;
        const std::string next = sizes_text(*requests[end].request) + " by " + percent_text(advice.gain) + ", spread " +
                                 percent_text(advice.spread);
        if (end == 1) {
            advice.sentence = "Ask for " + sizes_text(advice.requests.front()) + ": " +
                              duration_text(best.mean_seconds) + ", faster than " + next + ".";
        } else {
            advice.sentence = requests_text(advice.requests) + " cannot be told apart (" +
                              duration_text(best.mean_seconds) + "), and are faster than " + next +
                              ": take of them what the queue gives soonest.";
        }
    } else {
        advice.verdict = ShapeVerdict::kAny;
        advice.sentence = is_alone
                              ? "There is nothing to choose: " + sizes_text(advice.requests.front()) +
                                    " is the only shape that was simulated (" + duration_text(best.mean_seconds) + ")."
                              : "No shape is better than another beyond the spread (" +
                                    duration_text(best.mean_seconds) + "): take what the queue gives soonest.";
    }
    if (limits.interrupted) advice.sentence += " Interrupted: not all were compared.";
    return advice;
}

}  // namespace haichi
