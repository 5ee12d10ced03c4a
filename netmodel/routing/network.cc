#include "netmodel/routing/network.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <string>
#include <utility>

#include "base/errors.h"

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
    if (has_stated_distances()) check_distances();
}

void Network::check_distances() {
    const std::size_t blocks = topology_->block_sizes().size();
    const Grid* grid = coordinates();
    const std::size_t needed = blocks > 0        ? blocks - 1
                               : grid != nullptr ? grid->axis_count()
                                                 : topology_->link_classes().size();
    if (options_.distances.size() != needed) {
        throw OptionError("the network requires " + std::to_string(needed) + " distances, found " +
                          std::to_string(options_.distances.size()));
    }
    form_ = blocks > 0 ? Form::kBlocks : distance_grid() != nullptr ? Form::kAxes : Form::kWalked;
    const std::int64_t most = std::ranges::max(options_.distances);
    if (most * routes_->longest() > std::numeric_limits<std::int32_t>::max()) {
        throw OptionError("distances of up to " + std::to_string(most) + " are too large for routes of up to " +
                          std::to_string(routes_->longest()) + " links");
    }
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
    if (s == d) return 0;
    return form_ == Form::kHops ? routes_->hops(vertex(s), vertex(d)) + channel_hops()
                                : stated_distance(vertex(s), vertex(d));
}

std::int32_t Network::stated_distance(LinkId link) const {
    const Grid* grid = coordinates();
    return options_.distances[grid != nullptr ? grid->link_ends(link).axis : topology_->class_of_link(link)];
}

std::int32_t Network::stated_distance(VertexId s, VertexId d) const {
    std::int32_t sum = 0;
    if (form_ == Form::kBlocks) {
        const auto sizes = topology_->block_sizes();
        std::size_t level = 1;
        while (s.value / sizes[level] != d.value / sizes[level]) ++level;
        return options_.distances[level - 1];
    }
    if (form_ == Form::kAxes) {
        const Grid& grid = *distance_grid();
        for (std::size_t k = 0; k < grid.axis_count(); ++k) {
            sum += options_.distances[k] *
                   std::abs(grid.steps(k, grid.coordinate(s, k), grid.coordinate(d, k), Sign::kPlus));
        }
        return sum;
    }
    // Symmetric hops have symmetric distances, so the route in one direction gives the distance for both.
    if (routes_->are_symmetric() && d < s) std::swap(s, d);
    std::vector<LinkId> links;
    routes_->append_route(s, d, links);
    for (const LinkId link : links) sum += stated_distance(link);
    return sum;
}

bool Network::hops_are_links() const {
    return !has_stated_distances() &&
           std::ranges::all_of(topology_->link_classes(), [](const PortClass& links) { return links.hops == 1; });
}

std::int32_t Network::most_hops_of_link() const {
    if (form_ == Form::kHops) return std::ranges::max_element(topology_->link_classes(), {}, &PortClass::hops)->hops;
    if (form_ != Form::kBlocks) return std::ranges::max(options_.distances);
    return options_.distances.back();  // the largest distance of two nodes; every route has at least one link
}

std::int32_t Network::diameter() const {
    if (form_ == Form::kHops) return routes_->diameter() + channel_hops();
    if (form_ == Form::kBlocks) return options_.distances.back();
    if (form_ == Form::kWalked) return routes_->longest() * std::ranges::max(options_.distances);
    std::int32_t sum = 0;
    const Grid& grid = *distance_grid();
    for (std::size_t k = 0; k < grid.axis_count(); ++k) {
        const Axis& axis = grid.axis(k);
        sum += options_.distances[k] * (axis.is_ring() ? axis.size / 2 : axis.size - 1);
    }
    return sum;
}

std::vector<std::int32_t> Network::hops_of_blocks() const {
    if (form_ == Form::kHops) return routes_->hops_of_blocks();
    if (form_ != Form::kBlocks) return {};
    std::vector<std::int32_t> hops = {0};
    hops.insert(hops.end(), options_.distances.begin(), options_.distances.end());
    return hops;
}

std::int32_t Network::route_length(NodeId s, NodeId d) const {
    if (hops_are_links()) return hops(s, d);
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
