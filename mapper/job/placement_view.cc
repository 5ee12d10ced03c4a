#include "mapper/job/placement_view.h"

#include <utility>

namespace haichi {

namespace {

/// Appends a link that is neither an injection nor an ejection channel.
void append_fabric_link(const Topology& topology, LinkId link, NetworkOutline& outline) {
    const LinkEnds ends = topology.link_ends(link);
    outline.link_source.push_back(ends.from.value);
    outline.link_destination.push_back(ends.to.value);
    std::int8_t axis = -1;
    std::int8_t sign = 0;
    if (const Grid* grid = topology.coordinates()) {
        const Grid::LinkEnds along = grid->link_ends(link);
        axis = static_cast<std::int8_t>(along.axis);
        sign = along.sign == Sign::kPlus ? 1 : -1;
    }
    outline.link_axis.push_back(axis);
    outline.link_sign.push_back(sign);
}

}  // namespace

NetworkOutline network_outline(const Network& network) {
    NetworkOutline outline;
    const Topology& topology = network.topology();
    const Grid* grid = topology.coordinates();
    Drawing drawing;
    if (grid != nullptr) {
        outline.axes = grid->axes();
    } else {
        drawing = topology.drawing();
        outline.vertex_level = std::move(drawing.level_of_vertex);
        outline.panels = std::move(drawing.panels);
    }
    for (std::int32_t n = 0; n < network.node_count(); ++n) {
        outline.vertex_of_node.push_back(network.vertex(NodeId(n)).value);
    }
    // Links of the fabric come first, then the injection channels of all nodes, then the ejection channels.
    const std::int32_t first_channel = network.injection_link(NodeId(0)).value;
    for (std::int32_t l = 0; l < network.link_count(); ++l) {
        const LinkId link(l);
        if (!network.link_exists(link)) continue;
        if (l < first_channel) {
            append_fabric_link(topology, link, outline);
        } else {
            const std::int32_t vertex = network.vertex(NodeId((l - first_channel) % network.node_count())).value;
            outline.link_source.push_back(vertex);
            outline.link_destination.push_back(vertex);
            outline.link_axis.push_back(-1);
            outline.link_sign.push_back(0);
        }
        outline.link_bandwidth_bytes_per_s.push_back(network.bandwidth_bytes_per_s(link));
        if (grid != nullptr) continue;
        outline.link_names.push_back(network.link_name(link));
        outline.link_panel.push_back(l < first_channel ? drawing.panel_of_link[link.index()] : -1);
    }
    return outline;
}

MessageRoutes message_routes(const Placement& placement) {
    const Network& network = placement.job().allocation().network;
    const Mapping& mapping = placement.mapping();
    std::vector<std::int32_t> compact(static_cast<std::size_t>(network.link_count()), -1);
    std::int32_t count = 0;
    for (std::size_t l = 0; l < compact.size(); ++l) {
        if (network.link_exists(LinkId(static_cast<std::int32_t>(l)))) compact[l] = count++;
    }
    MessageRoutes routes;
    routes.first.push_back(0);
    std::vector<LinkId> route;
    for (const Message& message : placement.job().workload().messages()) {
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
