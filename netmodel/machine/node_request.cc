#include "netmodel/machine/node_request.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "base/errors.h"

namespace haichi {

namespace {

using Sizes = std::vector<std::int32_t>;

std::int64_t product(const Sizes& sizes) {
    std::int64_t nodes = 1;
    for (const std::int32_t size : sizes) nodes = std::min(nodes * size, std::int64_t{1} << 40);
    return nodes;
}

std::string nodes_text(const Sizes& request) {
    const std::int64_t nodes = product(request);
    return sizes_text(request) + " (" + std::to_string(nodes) + (nodes == 1 ? " node)" : " nodes)");
}

/// The logical axes of a machine: the nodes per unit, and the largest number of units.
class LogicalAxes {
  public:
    explicit LogicalAxes(const Machine& machine) : machine_(&machine), grid_(coordinates(machine)) {
        for (const std::vector<std::size_t>& axes : machine.logical) {
            const Axis& axis = grid_->axis(axes.front());
            const bool is_open = machine.size_is_open && axis.size == 1;
            units_.push_back(axes.size() > 1 ? grid_->axis(axes.back()).size : 1);
            most_.push_back(is_open ? static_cast<std::int32_t>(kMostVertices) : axis.size);
        }
    }

    [[nodiscard]] std::size_t count() const { return units_.size(); }
    /// Nodes of a unit along each logical axis, "2x3x2" on Tofu.
    [[nodiscard]] const Sizes& unit() const { return units_; }
    /// True for Tofu units. The layouts of 1D and 2D jobs are known only for these.
    [[nodiscard]] bool is_tofu() const { return units_ == Sizes{2, 3, 2}; }
    [[nodiscard]] std::int32_t most_units(std::size_t axis) const { return most_[axis]; }

    [[nodiscard]] bool is_whole(const Sizes& request) const {
        for (std::size_t k = 0; k < count(); ++k) {
            if (request[k] < 1 || request[k] % units_[k] != 0) return false;
        }
        return true;
    }
    /// Whether the machine has room for whole units.
    [[nodiscard]] bool fits(const Sizes& request) const {
        for (std::size_t k = 0; k < count(); ++k) {
            if (request[k] / units_[k] > most_[k]) return false;
        }
        return true;
    }
    /// Converts the number of units along each logical axis to a shape in the machine's axes.
    [[nodiscard]] Sizes shape_of_units(const Sizes& units) const {
        Sizes shape(grid_->axis_count(), 1);
        for (std::size_t k = 0; k < count(); ++k) {
            const std::vector<std::size_t>& axes = machine_->logical[k];
            shape[axes.back()] = units_[k];
            shape[axes.front()] = units[k];
        }
        return shape;
    }
    [[nodiscard]] Sizes shape_of(const Sizes& request) const {
        Sizes units;
        for (std::size_t k = 0; k < count(); ++k) units.push_back(request[k] / units_[k]);
        return shape_of_units(units);
    }

  private:
    const Machine* machine_;
    const Grid* grid_;
    Sizes units_;
    Sizes most_;
};

/// The nearest requests of whole units: each axis has the next multiple of the unit below or above the requested size.
std::vector<Sizes> whole_neighbours(const LogicalAxes& axes, const Sizes& request) {
    std::vector<Sizes> found = {{}};
    for (std::size_t k = 0; k < request.size(); ++k) {
        const std::int32_t unit = axes.unit()[k];
        const std::int32_t down = std::clamp(request[k] / unit, 1, axes.most_units(k)) * unit;
        const std::int32_t up = std::clamp((request[k] + unit - 1) / unit, 1, axes.most_units(k)) * unit;
        std::vector<Sizes> longer;
        for (const Sizes& part : found) {
            for (const std::int32_t size : {down, up}) {
                longer.push_back(part);
                longer.back().push_back(size);
                if (down == up) break;
            }
        }
        found = std::move(longer);
    }
    return found;
}

/// The same sizes in another order that the machine can hold.
std::optional<Sizes> reordered(const LogicalAxes& axes, Sizes request) {
    std::ranges::sort(request);
    do {
        if (axes.is_whole(request) && axes.fits(request)) return request;
    } while (std::ranges::next_permutation(request).found);
    return std::nullopt;
}

/// "use §shape 4x6x4 (96 nodes) or 6x6x4 (144 nodes)"
std::string nearest_hint(const LogicalAxes& axes, const Sizes& request, std::string_view word) {
    if (const auto same = reordered(axes, request)) {
        return "use " + std::string(word) + sizes_text(*same) + ", the same sizes in another order";
    }
    const std::int64_t wanted = product(request);
    const Sizes* below = nullptr;
    const Sizes* above = nullptr;
    const std::vector<Sizes> near = whole_neighbours(axes, request);
    for (const Sizes& other : near) {
        const std::int64_t nodes = product(other);
        if (nodes <= wanted && (below == nullptr || nodes > product(*below))) below = &other;
        if (nodes > wanted && (above == nullptr || nodes < product(*above))) above = &other;
    }
    std::string text = "use " + std::string(word);
    if (below != nullptr) text += nodes_text(*below);
    if (below != nullptr && above != nullptr) text += " or ";
    return above == nullptr ? text : text + nodes_text(*above);
}

std::string quoted_request(std::string_view word, const Sizes& request) {
    return std::string(word) + sizes_text(request);
}

void check_sizes(std::string_view word, const Sizes& request) {
    for (const std::int32_t size : request) {
        if (size < 1) {
            throw OptionError(quoted_request(word, request) + " has a size of " + std::to_string(size));
        }
    }
}

Sizes shape_of_3d(const LogicalAxes& axes, const Machine& machine, const Sizes& request, std::string_view word) {
    if (!axes.is_whole(request)) {
        std::size_t k = 0;
        while (request[k] % axes.unit()[k] == 0) ++k;
        throw OptionError(quoted_request(word, request) + " does not consist of whole units: jobs on machine " +
                              machine.name + " have whole units of " + sizes_text(axes.unit()) + " nodes, and " +
                              std::to_string(request[k]) + " is not a multiple of " + std::to_string(axes.unit()[k]),
                          nearest_hint(axes, request, word));
    }
    if (axes.fits(request)) return axes.shape_of(request);
    Sizes whole;
    for (std::size_t k = 0; k < axes.count(); ++k) whole.push_back(axes.most_units(k) * axes.unit()[k]);
    throw OptionError(quoted_request(word, request) + " does not fit machine " + machine.name +
                          ", whose logical shape is " + sizes_text(whole),
                      nearest_hint(axes, request, word));
}

/// The hint for requests that no line or plane of units can hold.
std::string compact_hint(const Machine& machine, const Sizes& request, std::string_view word) {
    const Sizes compact = compact_request(machine, product(request));
    if (compact.empty()) return "";
    return "use the 3D request " + std::string(word) + nodes_text(compact);
}

/// The shape of a 1D request, which has 12 nodes per unit, along the first long axis that is long enough.
Sizes shape_of_line(const LogicalAxes& axes, const Machine& machine, const Sizes& request, std::string_view word) {
    const std::int64_t per_unit = product(axes.unit());
    const std::int64_t nodes = request.front();
    if (nodes % per_unit != 0) {
        const std::int64_t down = nodes / per_unit * per_unit;
        std::string hint = "use " + std::string(word);
        if (down > 0) hint += std::to_string(down) + " or ";
        throw OptionError(quoted_request(word, request) + " does not consist of whole units: jobs on machine " +
                              machine.name + " have whole units of " + std::to_string(per_unit) + " nodes",
                          hint + std::to_string(down + per_unit));
    }
    for (std::size_t k = 0; k < axes.count(); ++k) {
        if (nodes / per_unit > axes.most_units(k)) continue;
        Sizes units(axes.count(), 1);
        units[k] = static_cast<std::int32_t>(nodes / per_unit);
        return axes.shape_of_units(units);
    }
    throw OptionError(quoted_request(word, request) + " exceeds a line of units of machine " + machine.name +
                          ", so its logical coordinates are unknown",
                      compact_hint(machine, request, word));
}

/// The shape of a 2D request, which has 6x2 nodes per unit, on the first pair of long axes that are long enough.
Sizes shape_of_plane(const LogicalAxes& axes, const Machine& machine, const Sizes& request, std::string_view word) {
    const Sizes unit = {axes.unit()[0] * axes.unit()[1], axes.unit()[2]};
    if (request[0] % unit[0] != 0 || request[1] % unit[1] != 0) {
        const auto nearest = [&](std::int32_t size, std::int32_t of, bool is_up) {
            return std::max(1, (size + (is_up ? of - 1 : 0)) / of) * of;
        };
        const Sizes down = {nearest(request[0], unit[0], false), nearest(request[1], unit[1], false)};
        const Sizes up = {nearest(request[0], unit[0], true), nearest(request[1], unit[1], true)};
        std::string hint = "use " + std::string(word) + nodes_text(down);
        if (up != down) hint += " or " + nodes_text(up);
        throw OptionError(quoted_request(word, request) + " does not consist of whole units: 2D jobs on machine " +
                              machine.name + " have whole units of " + sizes_text(unit) + " nodes",
                          hint);
    }
    const Sizes wanted = {request[0] / unit[0], request[1] / unit[1]};
    for (std::size_t x = 0; x < axes.count(); ++x) {
        for (std::size_t y = x + 1; y < axes.count(); ++y) {
            // The fold maps the request's first axis to the first long axis of the job (fold.cc), so X must be used.
            if (x > 0 && wanted[0] > 1) continue;
            if (wanted[0] > axes.most_units(x) || wanted[1] > axes.most_units(y)) continue;
            Sizes units(axes.count(), 1);
            units[x] = wanted[0];
            units[y] = wanted[1];
            return axes.shape_of_units(units);
        }
    }
    throw OptionError(quoted_request(word, request) + " exceeds a plane of units of machine " + machine.name +
                          ", so its logical coordinates are unknown",
                      compact_hint(machine, request, word));
}

}  // namespace

bool has_logical_axes(const Machine& machine) { return coordinates(machine) != nullptr && !machine.logical.empty(); }

AllocationRequest in_machine_axes(const Machine& machine, AllocationRequest request, std::string_view word) {
    if (!has_logical_axes(machine) || request.shape.empty()) return request;
    const LogicalAxes axes(machine);
    const std::size_t dimensions = request.shape.size();
    const bool is_of_axes = dimensions >= coordinates(machine)->axis_count();
    if (is_of_axes || dimensions > axes.count() || (dimensions < axes.count() && !axes.is_tofu())) return request;
    check_sizes(word, request.shape);
    if (dimensions == axes.count()) {
        request.shape = shape_of_3d(axes, machine, request.shape, word);
        return request;
    }
    const bool is_line = dimensions == 1;
    if (request.fold == "mesh") {
        throw UnsupportedError("the layout of " + quoted_request(word, request.shape) + " as a mesh is unknown",
                               "use a 3D request, a torus, or a coordinate table with §fold FILE");
    }
    if (request.fold == "default") request.fold = is_line ? "1d" : "2d";
    request.shape = is_line ? shape_of_line(axes, machine, request.shape, word)
                            : shape_of_plane(axes, machine, request.shape, word);
    return request;
}

std::vector<std::int32_t> compact_request(const Machine& machine, std::int64_t least_nodes) {
    if (!has_logical_axes(machine) || machine.logical.size() != 3) return {};
    const LogicalAxes axes(machine);
    const std::int64_t per_unit = product(axes.unit());
    const std::int64_t least = std::max<std::int64_t>(1, (least_nodes + per_unit - 1) / per_unit);
    if (least > kMostVertices) return {};
    Sizes best;
    const auto rank = [](const Sizes& request) {
        return std::pair{product(request), std::int64_t{request[0]} + request[1] + request[2]};
    };
    // Tries every X and Y with the fewest sufficient units along Z. The best X and Y do not exceed `least`.
    const auto most = [&](std::size_t k) { return std::min<std::int64_t>(axes.most_units(k), least); };
    constexpr std::int64_t kLongest = 512;  // for machines whose sizes are open
    for (std::int64_t x = 1; x <= std::min(most(0), kLongest); ++x) {
        for (std::int64_t y = 1; y <= std::min(most(1), kLongest); ++y) {
            const std::int64_t z = (least + x * y - 1) / (x * y);
            if (z > axes.most_units(2)) continue;
            const Sizes request = {static_cast<std::int32_t>(x * axes.unit()[0]),
                                   static_cast<std::int32_t>(y * axes.unit()[1]),
                                   static_cast<std::int32_t>(z * axes.unit()[2])};
            if (best.empty() || rank(request) < rank(best)) best = request;
        }
    }
    return best;
}

std::vector<RotatedRequest> rotated_requests(const Machine& machine, const std::vector<std::int32_t>& logical_sizes) {
    std::vector<RotatedRequest> found;
    if (!has_logical_axes(machine) || logical_sizes.size() != machine.logical.size()) return found;
    const LogicalAxes axes(machine);
    std::vector<std::size_t> order(logical_sizes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    while (std::ranges::next_permutation(order).found) {
        Sizes turned(order.size());
        for (std::size_t i = 0; i < order.size(); ++i) turned[order[i]] = logical_sizes[i];
        if (axes.is_whole(turned) && axes.fits(turned)) found.push_back({order, axes.shape_of(turned)});
    }
    return found;
}

}  // namespace haichi
