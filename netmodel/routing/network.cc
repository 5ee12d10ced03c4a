#include "netmodel/routing/network.h"

#include <algorithm>
#include <utility>

namespace haichi {

Network::Network(const Fabric& fabric, NetworkOptions options, std::vector<VertexId> vertex_of_node)
    : topology_(fabric.topology),
      options_(std::move(options)),
      nodes_(topology_->terminal_count(), std::move(vertex_of_node), options_.faulty),
      routes_(topology_->routes(fabric.routing, {options_.faulty, options_.virtual_channels})),
      near_(topology_->near_nodes(nodes_)),
      fabric_link_count_(topology_->link_count()),
      link_count_(fabric_link_count_ + (options_.count_nic ? 2 * node_count() : 0)) {
    if (options_.nic_bandwidth_bytes_per_s == 0) {
        options_.nic_bandwidth_bytes_per_s = options_.link_bandwidth_bytes_per_s;
    }
    find_bandwidths();
}

void Network::find_bandwidths() {
    for (const PortClass& links : topology_->link_classes()) {
        class_bandwidth_bytes_per_s_.push_back(
            links.bandwidth_bytes_per_s.value_or(options_.link_bandwidth_bytes_per_s));
    }
    auto [least, most] = std::ranges::minmax(class_bandwidth_bytes_per_s_);
    if (options_.count_nic) {
        least = std::min(least, options_.nic_bandwidth_bytes_per_s);
        most = std::max(most, options_.nic_bandwidth_bytes_per_s);
    }
    bandwidth_is_uniform_ = least == most;
    largest_bandwidth_bytes_per_s_ = most;
}

bool Network::link_exists(LinkId link) const {
    if (link.value < 0 || link.value >= link_count_) return false;
    return link.value >= fabric_link_count_ || topology_->link_exists(link);
}

std::int64_t Network::existing_link_count() const {
    return topology_->existing_link_count() + (link_count_ - fabric_link_count_);
}

void Network::append_route(NodeId s, NodeId d, std::vector<LinkId>& links) const {
    if (s == d) return;
    if (options_.count_nic) links.push_back(injection_link(s));
    routes_->append_route(vertex(s), vertex(d), links);
    if (options_.count_nic) links.push_back(ejection_link(d));
}

std::int32_t Network::hops(NodeId s, NodeId d) const {
    return s == d ? 0 : routes_->hops(vertex(s), vertex(d)) + channel_hops();
}

std::int32_t Network::most_hops_of_link() const {
    return std::ranges::max_element(topology_->link_classes(), {}, &PortClass::hops)->hops;
}

std::int32_t Network::route_length(NodeId s, NodeId d) const {
    if (most_hops_of_link() == 1) return hops(s, d);
    std::vector<LinkId> links;
    append_route(s, d, links);
    return static_cast<std::int32_t>(links.size());
}

std::int64_t Network::bandwidth_bytes_per_s(LinkId link) const {
    if (link.value >= fabric_link_count_) return options_.nic_bandwidth_bytes_per_s;
    return class_bandwidth_bytes_per_s_[topology_->class_of_link(link)];
}

std::string Network::link_name(LinkId link) const {
    if (link.value < fabric_link_count_) return topology_->link_name(link);
    const std::int32_t channel = link.value - fabric_link_count_;
    const NodeId node(channel % node_count());
    return (channel < node_count() ? "injection " : "ejection ") + node_name(node);
}

}  // namespace haichi
