#include "netmodel/routing/network.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "base/errors.h"

namespace haichi {

namespace {

std::int32_t terminal_count(const Fabric& fabric) {
    if (const auto* grid = std::get_if<GridFabric>(&fabric)) return grid->topology.vertex_count();
    if (const auto* graph = std::get_if<GraphFabric>(&fabric)) return graph->topology.terminal_count();
    if (const auto* dragonfly = std::get_if<DragonflyFabric>(&fabric)) return dragonfly->topology.terminal_count();
    return std::get<FatTreeFabric>(fabric).topology.terminal_count();
}

std::int32_t link_count_of(const Fabric& fabric) {
    return std::visit([](const auto& f) { return f.topology.link_count(); }, fabric);
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

/// "(terminal 3)" or "(router 1.0)": group and number within it.
std::string vertex_text(const Dragonfly& dragonfly, VertexId v) {
    const std::int32_t router = v.value - dragonfly.terminal_count();
    if (router < 0) return "(terminal " + std::to_string(v.value) + ")";
    return "(router " + std::to_string(dragonfly.group_of(router)) + "." +
           std::to_string(router % dragonfly.routers_per_group()) + ")";
}

/// Levels that have a bandwidth of their own; 0: the topology has none.
std::size_t bandwidth_levels(const Fabric& fabric) {
    if (const auto* tree = std::get_if<FatTreeFabric>(&fabric)) return tree->topology.level_count();
    return std::holds_alternative<DragonflyFabric>(fabric) ? 3 : 0;
}

std::size_t bandwidth_level(const Dragonfly& dragonfly, LinkId link) {
    switch (dragonfly.link_ends(link).kind) {
        case Dragonfly::LinkKind::kUp:
        case Dragonfly::LinkKind::kDown:
            return 0;
        case Dragonfly::LinkKind::kLocal:
            return 1;
        case Dragonfly::LinkKind::kGlobal:
            break;
    }
    return 2;
}

/// The first faulty vertex on the route that there were if none was faulty.
VertexId first_faulty(const Graph& graph, const std::vector<VertexId>& faulty, VertexId s, VertexId d) {
    std::vector<LinkId> links;
    ShortestPaths(graph, {}, 0).append_route(graph, s, d, links);
    for (const LinkId link : links) {
        const VertexId at = graph.link(link).to;
        if (std::ranges::find(faulty, at) != faulty.end()) return at;
    }
    return {};
}

/// "(s1)"
std::string vertex_text(const Graph& graph, VertexId v) { return "(" + graph.vertex_name(v) + ")"; }

}  // namespace

Network::Network(Fabric fabric, NetworkOptions options, std::vector<VertexId> vertex_of_node)
    : fabric_(std::move(fabric)), options_(std::move(options)), vertex_of_node_(std::move(vertex_of_node)) {
    check_routing();
    sort_nodes();
    mark_faulty_nodes();
    fabric_link_count_ = link_count_of(fabric_);
    link_count_ = fabric_link_count_ + (options_.count_nic ? 2 * node_count_ : 0);

    if (options_.nic_bandwidth_bytes_per_s == 0) {
        options_.nic_bandwidth_bytes_per_s = options_.link_bandwidth_bytes_per_s;
    }
    std::vector<std::int64_t> bandwidths;
    if (const std::size_t levels = bandwidth_levels(fabric_); levels > 0) {
        options_.level_bandwidth_bytes_per_s.resize(levels, options_.link_bandwidth_bytes_per_s);
        bandwidths = options_.level_bandwidth_bytes_per_s;
    } else if (const auto* graph = std::get_if<GraphFabric>(&fabric_)) {
        for (std::int32_t l = 0; l < fabric_link_count_; ++l) {
            bandwidths.push_back(graph->topology.link(LinkId(l)).bandwidth_bytes_per_s);
        }
    } else {
        bandwidths.push_back(options_.link_bandwidth_bytes_per_s);
    }
    if (options_.count_nic) bandwidths.push_back(options_.nic_bandwidth_bytes_per_s);
    if (bandwidths.empty()) bandwidths.push_back(options_.link_bandwidth_bytes_per_s);  // a graph of one node
    const auto [least, most] = std::ranges::minmax(bandwidths);
    bandwidth_is_uniform_ = least == most;
    largest_bandwidth_bytes_per_s_ = most;

    if (const auto* grid = std::get_if<GridFabric>(&fabric_)) {
        routes_are_shortest_ = !detours_ && std::ranges::none_of(grid->routing.stages, [](const auto& stage) {
            return stage.column.has_value();
        });
        build_near_nodes_of_grid(grid->topology);
    } else if (const auto* graph = std::get_if<GraphFabric>(&fabric_)) {
        routes_are_shortest_ = options_.faulty.empty();
        build_near_nodes_of_graph(graph->topology);
    } else if (const auto* dragonfly = std::get_if<DragonflyFabric>(&fabric_)) {
        routes_are_shortest_ = false;  // two global links over a third group may be one hop less
        const std::int32_t terminals = dragonfly->topology.terminals_per_router();
        build_near_nodes_of_blocks(terminals > 1 ? terminals : dragonfly->topology.routers_per_group());
    } else {
        build_near_nodes_of_blocks(std::get<FatTreeFabric>(fabric_).topology.terminals_below(1));
    }
}

void Network::check_routing() const {
    if (const std::size_t levels = bandwidth_levels(fabric_); levels > 0) {
        if (options_.level_bandwidth_bytes_per_s.size() > levels) {
            throw OptionError(std::to_string(options_.level_bandwidth_bytes_per_s.size()) + " level bandwidths for a " +
                              (is_dragonfly() ? "dragonfly" : "tree") + " of " + std::to_string(levels) + " levels");
        }
        return;
    }
    if (is_graph()) return;
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

void Network::mark_faulty_nodes() {
    usable_node_count_ = node_count_;
    for (const VertexId v : options_.faulty) {
        if (v.value < 0 || v.value >= terminal_count(fabric_)) {
            throw OptionError("faulty node " + std::to_string(v.value) + " is outside the machine's " +
                              std::to_string(terminal_count(fabric_)));
        }
        const NodeId node = node_at(v);
        if (!node.valid()) continue;
        is_usable_.resize(static_cast<std::size_t>(node_count_), 1);
        if (std::exchange(is_usable_[node.index()], 0) != 0) --usable_node_count_;
    }
    if (usable_node_count_ == 0) throw OptionError("all nodes of the job are faulty");
    if (options_.faulty.empty()) return;
    if (const auto* grid = std::get_if<GridFabric>(&fabric_)) {
        detours_.emplace(grid->topology, grid->routing, options_.faulty);
    }
}

std::optional<Network::CutPair> Network::find_cut_pair() const {
    // No route of a tree or dragonfly passes a terminal.
    if (options_.faulty.empty() || std::holds_alternative<FatTreeFabric>(fabric_) || is_dragonfly())
        return std::nullopt;
    const auto* grid = std::get_if<GridFabric>(&fabric_);
    std::vector<std::int32_t> distance;
    for (std::int32_t d = 0; d < node_count_; ++d) {
        const NodeId to(d);
        if (!is_usable(to)) continue;
        if (grid == nullptr) {
            const auto& graph = std::get<GraphFabric>(fabric_);
            distance = graph.routing.distances_to(graph.topology, vertex(to));
        }
        for (std::int32_t s = 0; s < node_count_; ++s) {
            const NodeId from(s);
            if (s == d || !is_usable(from)) continue;
            if (grid == nullptr) {
                if (distance[vertex(from).index()] != ShortestPaths::kUnreachable) continue;
                return CutPair{
                    from, to,
                    first_faulty(std::get<GraphFabric>(fabric_).topology, options_.faulty, vertex(from), vertex(to))};
            }
            const auto& [topology, routing] = *grid;
            if (detours_->routing_between(topology, routing, vertex(from), vertex(to)) != nullptr) continue;
            return CutPair{from, to, detours_->first_faulty(topology, routing, vertex(from), vertex(to))};
        }
    }
    return std::nullopt;
}

const DimensionOrder& Network::dimension_order(NodeId s, NodeId d) const {
    const auto& fabric = std::get<GridFabric>(fabric_);
    if (!detours_) return fabric.routing;
    const DimensionOrder* routing = detours_->routing_between(fabric.topology, fabric.routing, vertex(s), vertex(d));
    if (routing != nullptr) return *routing;
    const VertexId faulty = detours_->first_faulty(fabric.topology, fabric.routing, vertex(s), vertex(d));
    throw OptionError("no route from node " + node_name(s) + " to node " + node_name(d) + " passes the faulty node " +
                      vertex_text(fabric.topology, faulty) + " (coordinates of the job's region)");
}

NodeId Network::node_at(VertexId vertex) const {
    if (vertex_of_node_.empty()) {
        return vertex.value >= 0 && vertex.value < node_count_ ? NodeId(vertex.value) : NodeId{};
    }
    const auto vertex_of = [&](NodeId node) { return vertex_of_node_[node.index()]; };
    const auto found = std::ranges::lower_bound(nodes_by_vertex_, vertex, {}, vertex_of);
    return found != nodes_by_vertex_.end() && vertex_of(*found) == vertex ? *found : NodeId{};
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
        walk_dimension_order(grid->topology, dimension_order(s, d), vertex(s), vertex(d),
                             [&links](LinkId link) { links.push_back(link); });
    } else if (const auto* graph = std::get_if<GraphFabric>(&fabric_)) {
        graph->routing.append_route(graph->topology, vertex(s), vertex(d), links);
    } else if (const auto* dragonfly = std::get_if<DragonflyFabric>(&fabric_)) {
        walk_dragonfly_route(dragonfly->topology, vertex(s), vertex(d),
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
        if (routes_are_shortest_) return channels + grid->topology.distance(vertex(s), vertex(d));
        return channels + route_length(grid->topology, dimension_order(s, d), vertex(s), vertex(d));
    }
    if (const auto* graph = std::get_if<GraphFabric>(&fabric_)) {
        return channels + graph->routing.hops(graph->topology, vertex(s), vertex(d));
    }
    if (const auto* dragonfly = std::get_if<DragonflyFabric>(&fabric_)) {
        return channels + dragonfly_hops(dragonfly->topology, vertex(s), vertex(d));
    }
    const FatTree& tree = std::get<FatTreeFabric>(fabric_).topology;
    return channels + 2 * static_cast<std::int32_t>(tree.common_level(vertex(s), vertex(d)));
}

std::int32_t Network::longest_route() const {
    const std::int32_t channels = options_.count_nic ? 2 : 0;
    if (const auto* tree = std::get_if<FatTreeFabric>(&fabric_)) {
        return 2 * static_cast<std::int32_t>(tree->topology.level_count()) + channels;
    }
    if (const auto* graph = std::get_if<GraphFabric>(&fabric_)) return graph->routing.longest_route() + channels;
    if (is_dragonfly()) return 5 + channels;  // up, local, global, local, down
    const auto& grid = std::get<GridFabric>(fabric_);
    std::int32_t sum = channels + (detours_ ? detours_->longest_extra() : 0);
    for (const DimensionOrder::Stage& stage : grid.routing.stages) {
        const Axis& axis = grid.topology.axis(stage.axis);
        sum += axis.is_ring() ? axis.size / 2 : axis.size - 1;
    }
    return sum;
}

bool Network::hops_are_symmetric() const {
    // Trees: twice the common level. Dragonflies: the way back is over the same gateways. Grids: the distance per axis,
    // or |a - column| + |column - b|; both are symmetric, because the length of a half-ring does not depend on the tie.
    // The way back past a faulty node is another one.
    if (const auto* graph = std::get_if<GraphFabric>(&fabric_)) return graph->topology.is_symmetric();
    return !detours_;
}

std::int64_t Network::bandwidth_bytes_per_s(LinkId link) const {
    if (link.value >= fabric_link_count_) return options_.nic_bandwidth_bytes_per_s;
    if (const auto* graph = std::get_if<GraphFabric>(&fabric_)) return graph->topology.link(link).bandwidth_bytes_per_s;
    if (const auto* dragonfly = std::get_if<DragonflyFabric>(&fabric_)) {
        return options_.level_bandwidth_bytes_per_s[bandwidth_level(dragonfly->topology, link)];
    }
    const auto* tree = std::get_if<FatTreeFabric>(&fabric_);
    if (tree == nullptr) return options_.link_bandwidth_bytes_per_s;
    return options_.level_bandwidth_bytes_per_s[tree->topology.link_ends(link).lower_level];
}

std::int32_t Network::largest_out_degree() const {
    if (options_.count_nic || is_dragonfly()) return 1;
    if (const auto* tree = std::get_if<FatTreeFabric>(&fabric_)) return tree->topology.parents()[0];
    if (const auto* graph = std::get_if<GraphFabric>(&fabric_)) {
        std::size_t most = 0;
        for (std::int32_t n = 0; n < node_count_; ++n) {
            const VertexId v = vertex(NodeId(n));
            most = std::max({most, graph->topology.successors(v).size(), graph->topology.predecessors(v).size()});
        }
        return static_cast<std::int32_t>(most);
    }
    const Grid& grid = std::get<GridFabric>(fabric_).topology;
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
    if (const auto* fabric = std::get_if<GraphFabric>(&fabric_)) {
        const Graph& graph = fabric->topology;
        const std::int32_t parallel = graph.parallel_number(link);
        return vertex_text(graph, graph.link(link).from) + "->" + vertex_text(graph, graph.link(link).to) +
               (parallel > 0 ? " #" + std::to_string(parallel + 1) : "");
    }
    if (const auto* fabric = std::get_if<DragonflyFabric>(&fabric_)) {
        static constexpr std::array kKinds = {"up ", "down ", "local ", "global "};
        const Dragonfly::LinkEnds ends = fabric->topology.link_ends(link);
        return kKinds[static_cast<std::size_t>(ends.kind)] + vertex_text(fabric->topology, ends.from) + "->" +
               vertex_text(fabric->topology, ends.to);
    }
    const FatTree& tree = std::get<FatTreeFabric>(fabric_).topology;
    const FatTree::LinkEnds ends = tree.link_ends(link);
    return (ends.up ? "up " : "down ") + vertex_text(tree, ends.from) + "->" + vertex_text(tree, ends.to);
}

std::string Network::node_name(NodeId node) const {
    if (const auto* fabric = std::get_if<GridFabric>(&fabric_)) return vertex_text(fabric->topology, vertex(node));
    if (const auto* fabric = std::get_if<GraphFabric>(&fabric_)) return vertex_text(fabric->topology, vertex(node));
    return std::to_string(vertex(node).value);
}

std::string Network::routing_name() const {
    if (const auto* fabric = std::get_if<GridFabric>(&fabric_)) return to_string(fabric->routing, fabric->topology);
    if (is_graph()) return std::string(kShortestPath);
    if (const auto* fabric = std::get_if<DragonflyFabric>(&fabric_)) return to_string(fabric->routing);
    return to_string(std::get<FatTreeFabric>(fabric_).routing);
}

}  // namespace haichi
