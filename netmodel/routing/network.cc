#include "netmodel/routing/network.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "base/errors.h"

namespace haichi {

namespace {

constexpr std::size_t kMostNear = 64;

std::int32_t terminal_count(const Fabric& fabric) {
    if (const auto* grid = std::get_if<GridFabric>(&fabric)) return grid->topology.vertex_count();
    return std::get<FatTreeFabric>(fabric).topology.terminal_count();
}

std::int32_t link_count_of(const Fabric& fabric) {
    return std::visit([](const auto& f) { return f.topology.link_count(); }, fabric);
}

/// Steps of the route from s to d along all stages, columns included.
std::int32_t route_length(const GridFabric& fabric, VertexId s, VertexId d) {
    const Grid& grid = fabric.topology;
    Coordinates at = grid.coordinates(s);
    std::int32_t sum = 0;
    for (const DimensionOrder::Stage& stage : fabric.routing.stages) {
        const std::size_t k = stage.axis;
        const std::int32_t target = stage.to_destination ? grid.coordinate(d, k) : stage.column.value_or(at[k]);
        sum += std::abs(grid.steps(k, at[k], target, Sign::kPlus));
        at[k] = target;
    }
    return sum;
}

/// "(0,1,2)"
std::string vertex_text(const Grid& grid, VertexId v) {
    std::string text = "(";
    for (std::size_t k = 0; k < grid.axis_count(); ++k) {
        if (k > 0) text += ',';
        text += std::to_string(grid.coordinate(v, k));
    }
    return text + ")";
}

/// "(terminal 3)" or "(switch 1.0)": level and number within it.
std::string vertex_text(const FatTree& tree, VertexId v) {
    const std::size_t level = tree.level(v);
    if (level == 0) return "(terminal " + std::to_string(v.value) + ")";
    return "(switch " + std::to_string(level) + "." + std::to_string(v.value - tree.first_vertex(level)) + ")";
}

}  // namespace

Network::Network(Fabric fabric, NetworkOptions options, std::vector<VertexId> vertex_of_node)
    : fabric_(std::move(fabric)), options_(std::move(options)), vertex_of_node_(std::move(vertex_of_node)) {
    check_routing();
    sort_nodes();
    fabric_link_count_ = link_count_of(fabric_);
    link_count_ = fabric_link_count_ + (options_.count_nic ? 2 * node_count_ : 0);

    if (options_.nic_bandwidth_bytes_per_s == 0) {
        options_.nic_bandwidth_bytes_per_s = options_.link_bandwidth_bytes_per_s;
    }
    std::vector<std::int64_t> bandwidths;
    if (const auto* tree = std::get_if<FatTreeFabric>(&fabric_)) {
        options_.level_bandwidth_bytes_per_s.resize(tree->topology.level_count(), options_.link_bandwidth_bytes_per_s);
        bandwidths = options_.level_bandwidth_bytes_per_s;
    } else {
        bandwidths.push_back(options_.link_bandwidth_bytes_per_s);
    }
    if (options_.count_nic) bandwidths.push_back(options_.nic_bandwidth_bytes_per_s);
    const auto [least, most] = std::ranges::minmax(bandwidths);
    bandwidth_is_uniform_ = least == most;
    largest_bandwidth_bytes_per_s_ = most;

    if (const auto* grid = std::get_if<GridFabric>(&fabric_)) {
        routes_are_shortest_ =
            std::ranges::none_of(grid->routing.stages, [](const auto& stage) { return stage.column.has_value(); });
        build_near_nodes_of_grid(grid->topology);
    } else {
        build_near_nodes_of_tree(std::get<FatTreeFabric>(fabric_).topology);
    }
}

void Network::check_routing() const {
    if (const auto* tree = std::get_if<FatTreeFabric>(&fabric_)) {
        if (options_.level_bandwidth_bytes_per_s.size() > tree->topology.level_count()) {
            throw OptionError(std::to_string(options_.level_bandwidth_bytes_per_s.size()) +
                              " level bandwidths for a tree of " + std::to_string(tree->topology.level_count()) +
                              " levels");
        }
        return;
    }
    const auto& [grid, routing] = std::get<GridFabric>(fabric_);
    for (std::size_t k = 0; k < grid.axis_count(); ++k) {
        std::vector<DimensionOrder::Stage> stages;
        std::ranges::copy_if(routing.stages, std::back_inserter(stages), [k](const auto& s) { return s.axis == k; });
        for (const DimensionOrder::Stage& stage : stages) {
            if (stage.column && (*stage.column < 0 || *stage.column >= grid.axis(k).size)) {
                throw OptionError("column " + std::to_string(*stage.column) + " is outside axis " + grid.axis(k).name);
            }
        }
        // At most one detour, then the destination: hops(a, b) == hops(b, a) rests on it.
        const bool absent = stages.empty() && grid.axis(k).size == 1;
        const bool direct = stages.size() == 1 && stages[0].to_destination;
        const bool around = stages.size() == 2 && !stages[0].to_destination && stages[1].to_destination;
        if (!absent && !direct && !around) {
            throw OptionError("the routing must travel axis " + grid.axis(k).name +
                              " to the destination once, after at most one detour");
        }
    }
}

void Network::sort_nodes() {
    const std::int32_t terminals = terminal_count(fabric_);
    node_count_ = vertex_of_node_.empty() ? terminals : static_cast<std::int32_t>(vertex_of_node_.size());
    if (vertex_of_node_.empty()) return;
    nodes_by_vertex_.resize(vertex_of_node_.size());
    for (std::size_t i = 0; i < nodes_by_vertex_.size(); ++i) nodes_by_vertex_[i] = NodeId(i);
    const auto vertex_of = [&](NodeId node) { return vertex_of_node_[node.index()]; };
    std::ranges::sort(nodes_by_vertex_, {}, vertex_of);
    const VertexId first = vertex_of(nodes_by_vertex_.front());
    const VertexId last = vertex_of(nodes_by_vertex_.back());
    if (first.value < 0 || last.value >= terminals) {
        throw OptionError("node " + std::to_string(first.value < 0 ? first.value : last.value) +
                          " is outside the machine's " + std::to_string(terminals));
    }
    const auto twice = std::ranges::adjacent_find(nodes_by_vertex_, {}, vertex_of);
    if (twice != nodes_by_vertex_.end()) {
        throw OptionError("node " + std::to_string(vertex_of(*twice).value) + " is listed twice");
    }
    if (node_count_ == terminals && std::ranges::is_sorted(vertex_of_node_)) {  // the whole machine after all
        vertex_of_node_.clear();
        nodes_by_vertex_.clear();
    }
}

NodeId Network::node_at(VertexId vertex) const {
    if (vertex_of_node_.empty()) {
        return vertex.value >= 0 && vertex.value < node_count_ ? NodeId(vertex.value) : NodeId{};
    }
    const auto vertex_of = [&](NodeId node) { return vertex_of_node_[node.index()]; };
    const auto found = std::ranges::lower_bound(nodes_by_vertex_, vertex, {}, vertex_of);
    return found != nodes_by_vertex_.end() && vertex_of(*found) == vertex ? *found : NodeId{};
}

void Network::build_near_nodes_of_grid(const Grid& grid) {
    near_first_.reserve(static_cast<std::size_t>(node_count_));
    near_count_.reserve(static_cast<std::size_t>(node_count_));
    near_.reserve(static_cast<std::size_t>(node_count_) * static_cast<std::size_t>(grid.links_per_vertex()));
    for (std::int32_t i = 0; i < node_count_; ++i) {
        const std::size_t first = near_.size();
        near_first_.push_back(static_cast<std::uint32_t>(first));
        for (std::size_t k = 0; k < grid.axis_count(); ++k) {
            const VertexId plus = grid.neighbour(vertex(NodeId(i)), k, Sign::kPlus);
            const VertexId minus = grid.neighbour(vertex(NodeId(i)), k, Sign::kMinus);
            if (const NodeId node = node_at(plus); node.valid()) near_.push_back(node);
            if (minus == plus) continue;
            if (const NodeId node = node_at(minus); node.valid()) near_.push_back(node);
        }
        near_count_.push_back(static_cast<std::uint8_t>(near_.size() - first));
    }
}

void Network::build_near_nodes_of_tree(const FatTree& tree) {
    const auto nodes = static_cast<std::size_t>(node_count_);
    near_first_.resize(nodes);
    near_count_.resize(nodes);
    near_.reserve(2 * nodes);
    const auto node_number = [&](std::size_t i) { return nodes_by_vertex_.empty() ? NodeId(i) : nodes_by_vertex_[i]; };
    const auto block = [&](std::size_t i) { return vertex(node_number(i)).value / tree.terminals_below(1); };
    // The nodes of a switch are written twice, g0 g1 .. gk g0 g1 .., so that every node's list is a window behind it.
    for (std::size_t begin = 0; begin < nodes;) {
        std::size_t end = begin + 1;
        while (end < nodes && block(end) == block(begin)) ++end;
        const std::size_t size = end - begin;
        for (std::size_t i = begin; i < end; ++i) {
            near_first_[node_number(i).index()] = static_cast<std::uint32_t>(near_.size() + (i - begin) + 1);
            near_count_[node_number(i).index()] = static_cast<std::uint8_t>(std::min(size - 1, kMostNear));
        }
        for (std::size_t i = 0; i < 2 * size; ++i) near_.push_back(node_number(begin + i % size));
        begin = end;
    }
}

bool Network::link_exists(LinkId link) const {
    if (link.value < 0 || link.value >= link_count_) return false;
    if (link.value >= fabric_link_count_) return true;
    const auto* grid = std::get_if<GridFabric>(&fabric_);
    return grid == nullptr || grid->topology.link_exists(link);
}

std::int64_t Network::existing_link_count() const {
    const std::int64_t channels = link_count_ - fabric_link_count_;
    const auto* fabric = std::get_if<GridFabric>(&fabric_);
    if (fabric == nullptr) return link_count_;
    const Grid& grid = fabric->topology;
    std::int64_t count = 0;
    for (const Axis& axis : grid.axes()) {
        const std::int64_t lines = grid.vertex_count() / axis.size;
        count += 2 * lines * (axis.is_ring() ? axis.size : axis.size - 1);
    }
    return count + channels;
}

void Network::append_route(NodeId s, NodeId d, std::vector<LinkId>& links) const {
    if (s == d) return;
    if (options_.count_nic) links.push_back(injection_link(s));
    if (const auto* grid = std::get_if<GridFabric>(&fabric_)) {
        walk_dimension_order(grid->topology, grid->routing, vertex(s), vertex(d),
                             [&links](LinkId link) { links.push_back(link); });
    } else {
        const auto& tree = std::get<FatTreeFabric>(fabric_);
        append_fat_tree_route(tree.topology, tree.routing, vertex(s), vertex(d), links);
    }
    if (options_.count_nic) links.push_back(ejection_link(d));
}

std::int32_t Network::hops(NodeId s, NodeId d) const {
    if (s == d) return 0;
    const std::int32_t channels = options_.count_nic ? 2 : 0;
    if (const auto* grid = std::get_if<GridFabric>(&fabric_)) {
        return channels + (routes_are_shortest_ ? grid->topology.distance(vertex(s), vertex(d))
                                                : route_length(*grid, vertex(s), vertex(d)));
    }
    const FatTree& tree = std::get<FatTreeFabric>(fabric_).topology;
    return channels + 2 * static_cast<std::int32_t>(tree.common_level(vertex(s), vertex(d)));
}

std::int32_t Network::longest_route() const {
    const std::int32_t channels = options_.count_nic ? 2 : 0;
    if (const auto* tree = std::get_if<FatTreeFabric>(&fabric_)) {
        return 2 * static_cast<std::int32_t>(tree->topology.level_count()) + channels;
    }
    const auto& grid = std::get<GridFabric>(fabric_);
    std::int32_t sum = channels;
    for (const DimensionOrder::Stage& stage : grid.routing.stages) {
        const Axis& axis = grid.topology.axis(stage.axis);
        sum += axis.is_ring() ? axis.size / 2 : axis.size - 1;
    }
    return sum;
}

bool Network::hops_are_symmetric() const {
    // Trees: twice the common level. Grids: the distance per axis, or |a - column| + |column - b|; both are symmetric,
    // because the length of a half-ring does not depend on the tie.
    return true;
}

std::int64_t Network::bandwidth_bytes_per_s(LinkId link) const {
    if (link.value >= fabric_link_count_) return options_.nic_bandwidth_bytes_per_s;
    const auto* tree = std::get_if<FatTreeFabric>(&fabric_);
    if (tree == nullptr) return options_.link_bandwidth_bytes_per_s;
    return options_.level_bandwidth_bytes_per_s[tree->topology.link_ends(link).lower_level];
}

std::int32_t Network::largest_out_degree() const {
    if (options_.count_nic) return 1;
    const auto* fabric = std::get_if<GridFabric>(&fabric_);
    if (fabric == nullptr) return std::get<FatTreeFabric>(fabric_).topology.parents()[0];
    const Grid& grid = fabric->topology;
    if (vertex_of_node_.empty()) return grid.links_per_vertex();  // that of an inner node
    std::int32_t most = 0;
    for (const VertexId v : vertex_of_node_) {
        std::int32_t degree = 0;
        for (std::size_t k = 0; k < grid.axis_count(); ++k) {
            const VertexId plus = grid.neighbour(v, k, Sign::kPlus);
            const VertexId minus = grid.neighbour(v, k, Sign::kMinus);
            degree += (plus.valid() ? 1 : 0) + (minus.valid() && minus != plus ? 1 : 0);
        }
        most = std::max(most, degree);
    }
    return most;
}

std::string Network::link_name(LinkId link) const {
    if (link.value >= fabric_link_count_) {
        const std::int32_t channel = link.value - fabric_link_count_;
        const NodeId node(channel % node_count_);
        return (channel < node_count_ ? "injection " : "ejection ") + node_name(node);
    }
    if (const auto* fabric = std::get_if<GridFabric>(&fabric_)) {
        const Grid& grid = fabric->topology;
        const Grid::LinkEnds ends = grid.link_ends(link);
        return grid.axis(ends.axis).name + (ends.sign == Sign::kPlus ? "+ " : "- ") + vertex_text(grid, ends.from) +
               "->" + (ends.to.valid() ? vertex_text(grid, ends.to) : "(outside)");
    }
    const FatTree& tree = std::get<FatTreeFabric>(fabric_).topology;
    const FatTree::LinkEnds ends = tree.link_ends(link);
    return (ends.up ? "up " : "down ") + vertex_text(tree, ends.from) + "->" + vertex_text(tree, ends.to);
}

std::string Network::node_name(NodeId node) const {
    if (const auto* fabric = std::get_if<GridFabric>(&fabric_)) return vertex_text(fabric->topology, vertex(node));
    return std::to_string(vertex(node).value);
}

std::string Network::routing_name() const {
    if (const auto* fabric = std::get_if<GridFabric>(&fabric_)) return to_string(fabric->routing, fabric->topology);
    return to_string(std::get<FatTreeFabric>(fabric_).routing);
}

}  // namespace haichi
