#include "mapper/job/placement_view.h"

#include <variant>

namespace haichi {

namespace {

/// 0 for terminals; switches of a fat tree by their level, other switches 1.
std::vector<std::int32_t> vertex_levels(const Fabric& fabric) {
    std::vector<std::int32_t> levels;
    if (const auto* tree = std::get_if<FatTreeFabric>(&fabric)) {
        levels.resize(static_cast<std::size_t>(tree->topology.vertex_count()));
        for (std::size_t v = 0; v < levels.size(); ++v) {
            levels[v] = static_cast<std::int32_t>(tree->topology.level(VertexId(static_cast<std::int32_t>(v))));
        }
        return levels;
    }
    const auto fill = [&levels](std::int32_t vertices, std::int32_t terminals) {
        levels.assign(static_cast<std::size_t>(vertices), 1);
        std::fill_n(levels.begin(), terminals, 0);
    };
    if (const auto* graph = std::get_if<GraphFabric>(&fabric)) {
        fill(graph->topology.vertex_count(), graph->topology.terminal_count());
    } else if (const auto* dragonfly = std::get_if<DragonflyFabric>(&fabric)) {
        fill(dragonfly->topology.vertex_count(), dragonfly->topology.terminal_count());
    }
    return levels;
}

std::string_view kind_of(const Fabric& fabric) {
    if (std::holds_alternative<GridFabric>(fabric)) return "grid";
    if (std::holds_alternative<FatTreeFabric>(fabric)) return "tree";
    return std::holds_alternative<DragonflyFabric>(fabric) ? "dragonfly" : "graph";
}

void append_fabric_link(const Fabric& fabric, LinkId link, NetworkOutline& outline) {
    VertexId from;
    VertexId to;
    std::int8_t axis = -1;
    std::int8_t sign = 0;
    if (const auto* grid = std::get_if<GridFabric>(&fabric)) {
        const Grid::LinkEnds ends = grid->topology.link_ends(link);
        from = ends.from;
        to = ends.to;
        axis = static_cast<std::int8_t>(ends.axis);
        sign = ends.sign == Sign::kPlus ? 1 : -1;
    } else if (const auto* tree = std::get_if<FatTreeFabric>(&fabric)) {
        const FatTree::LinkEnds ends = tree->topology.link_ends(link);
        from = ends.from;
        to = ends.to;
    } else if (const auto* dragonfly = std::get_if<DragonflyFabric>(&fabric)) {
        const Dragonfly::LinkEnds ends = dragonfly->topology.link_ends(link);
        from = ends.from;
        to = ends.to;
    } else {
        const Graph::Link& edge = std::get<GraphFabric>(fabric).topology.link(link);
        from = edge.from;
        to = edge.to;
    }
    outline.link_source.push_back(from.value);
    outline.link_destination.push_back(to.value);
    outline.link_axis.push_back(axis);
    outline.link_sign.push_back(sign);
}

}  // namespace

NetworkOutline network_outline(const Network& network) {
    NetworkOutline outline;
    const Fabric& fabric = network.fabric();
    outline.kind = kind_of(fabric);
    const auto* grid = std::get_if<GridFabric>(&fabric);
    if (grid != nullptr) outline.axes = grid->topology.axes();
    outline.vertex_level = vertex_levels(fabric);
    for (std::int32_t n = 0; n < network.node_count(); ++n) {
        outline.vertex_of_node.push_back(network.vertex(NodeId(n)).value);
    }
    // The channels of a node's network interface come behind the fabric's links: all injections, then all ejections.
    const std::int32_t first_channel = network.injection_link(NodeId(0)).value;
    for (std::int32_t l = 0; l < network.link_count(); ++l) {
        const LinkId link(l);
        if (!network.link_exists(link)) continue;
        if (l < first_channel) {
            append_fabric_link(fabric, link, outline);
        } else {
            const std::int32_t vertex = network.vertex(NodeId((l - first_channel) % network.node_count())).value;
            outline.link_source.push_back(vertex);
            outline.link_destination.push_back(vertex);
            outline.link_axis.push_back(-1);
            outline.link_sign.push_back(0);
        }
        outline.link_bandwidth_bytes_per_s.push_back(network.bandwidth_bytes_per_s(link));
        if (grid == nullptr) outline.link_names.push_back(network.link_name(link));
    }
    return outline;
}

MessageRoutes message_routes(const Workload& workload, const Network& network, const Mapping& mapping) {
    std::vector<std::int32_t> compact(static_cast<std::size_t>(network.link_count()), -1);
    std::int32_t count = 0;
    for (std::size_t l = 0; l < compact.size(); ++l) {
        if (network.link_exists(LinkId(static_cast<std::int32_t>(l)))) compact[l] = count++;
    }
    MessageRoutes routes;
    routes.first.push_back(0);
    std::vector<LinkId> route;
    for (const Message& message : workload.messages()) {
        const NodeId source = mapping.node(message.source);
        const NodeId destination = mapping.node(message.destination);
        route.clear();
        if (message.size_bytes > 0 && source != destination) network.append_route(source, destination, route);
        for (const LinkId link : route) routes.link.push_back(compact[link.index()]);
        routes.first.push_back(static_cast<std::int64_t>(routes.link.size()));
    }
    return routes;
}

}  // namespace haichi
