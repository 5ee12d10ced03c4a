#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "netmodel/packetsim/virtual_channels.h"
#include "netmodel/routing/network.h"

namespace haichi::topology_contract {

using Links = std::vector<LinkId>;

inline Links route(const Network& network, NodeId s, NodeId d) {
    Links links;
    network.append_route(s, d, links);
    return links;
}

template <class Visit>
void for_usable_pairs(const Network& network, const Visit& visit) {
    for (std::int32_t s = 0; s < network.node_count(); ++s) {
        for (std::int32_t d = 0; d < network.node_count(); ++d) {
            if (network.is_usable(NodeId(s)) && network.is_usable(NodeId(d))) visit(NodeId(s), NodeId(d));
        }
    }
}

/// Hops over links from one vertex to all others, independent of the routing.
inline std::vector<std::int32_t> searched_hops(const Topology& topology, VertexId from) {
    std::vector<std::vector<VertexId>> next(static_cast<std::size_t>(topology.vertex_count()));
    for (std::int32_t l = 0; l < topology.link_count(); ++l) {
        if (!topology.link_exists(LinkId(l))) continue;
        const LinkEnds ends = topology.link_ends(LinkId(l));
        next[ends.from.index()].push_back(ends.to);
    }
    std::vector<std::int32_t> hops(next.size(), -1);
    std::vector<VertexId> reached = {from};
    hops[from.index()] = 0;
    for (std::size_t i = 0; i < reached.size(); ++i) {
        for (const VertexId to : next[reached[i].index()]) {
            if (hops[to.index()] >= 0) continue;
            hops[to.index()] = hops[reached[i].index()] + 1;
            reached.push_back(to);
        }
    }
    return hops;
}

/// The route is connected from source to destination and passes no host and no faulty terminal. Its length equals
/// hops() and is at most longest_route().
inline void expect_routes_connect(const Network& network) {
    const Topology& topology = network.topology();
    const auto& faulty = network.options().faulty;
    for_usable_pairs(network, [&](NodeId s, NodeId d) {
        const Links links = route(network, s, d);
        VertexId at = network.vertex(s);
        std::int32_t hops = 0;
        for (const LinkId link : links) {
            ASSERT_TRUE(network.link_exists(link));
            hops += topology.link_classes()[topology.class_of_link(link)].hops;
            const LinkEnds ends = topology.link_ends(link);
            ASSERT_EQ(ends.from, at);
            at = ends.to;
            if (at == network.vertex(d)) continue;
            ASSERT_TRUE(at.value >= topology.terminal_count() || !topology.is_host(at));
            ASSERT_EQ(std::ranges::count(faulty, at), 0);
        }
        ASSERT_EQ(at, network.vertex(d));
        ASSERT_EQ(network.hops(s, d), hops);
        ASSERT_EQ(network.route_length(s, d), static_cast<std::int32_t>(links.size()));
        ASSERT_LE(static_cast<std::int32_t>(links.size()), network.longest_route());
        ASSERT_LE(network.hops(s, d), network.diameter());
    });
}

inline void expect_distances_hold(const Network& network) {
    const Topology& topology = network.topology();
    const std::vector<std::int32_t> of_blocks = network.routes().hops_of_blocks();
    const auto blocks = topology.block_sizes();
    ASSERT_TRUE(of_blocks.empty() || of_blocks.size() == blocks.size());
    for (std::int32_t s = 0; s < network.node_count(); ++s) {
        if (!network.is_usable(NodeId(s))) continue;
        const VertexId from = network.vertex(NodeId(s));
        const std::vector<std::int32_t> least = searched_hops(topology, from);
        for (std::int32_t d = 0; d < network.node_count(); ++d) {
            if (!network.is_usable(NodeId(d))) continue;
            const VertexId to = network.vertex(NodeId(d));
            const std::int32_t hops = network.hops(NodeId(s), NodeId(d));
            ASSERT_GE(hops, least[to.index()]);
            if (network.routes_are_shortest()) {
                ASSERT_EQ(hops, least[to.index()]);
            }
            if (network.hops_are_symmetric()) {
                ASSERT_EQ(hops, network.hops(NodeId(d), NodeId(s)));
            }
            if (of_blocks.empty()) continue;
            std::size_t block = 0;
            while (from.value / blocks[block] != to.value / blocks[block]) ++block;
            ASSERT_EQ(hops, of_blocks[block]);
        }
    }
}

/// The lexicographically smallest sorted list of distances.
inline void expect_nearest_distances_are_a_bound(const Network& network) {
    const auto others = static_cast<std::size_t>(network.usable_node_count()) - 1;
    std::vector<std::int32_t> smallest(others, 1 << 20);
    for (std::int32_t a = 0; a < network.node_count(); ++a) {
        if (!network.is_usable(NodeId(a))) continue;
        std::vector<std::int32_t> sorted;
        for (std::int32_t b = 0; b < network.node_count(); ++b) {
            if (a == b || !network.is_usable(NodeId(b))) continue;
            sorted.push_back(std::min(network.hops(NodeId(a), NodeId(b)), network.hops(NodeId(b), NodeId(a))));
        }
        std::ranges::sort(sorted);
        for (std::size_t k = 0; k < others; ++k) smallest[k] = std::min(smallest[k], sorted[k]);
    }
    EXPECT_EQ(network.nearest_distance_bound(others + 3), smallest);
    // Tests only the closed form, on which large machines rely.
    const DistanceHistogram histogram = network.routes().nearest();
    std::vector<std::int32_t> listed;
    for (std::size_t hops = 0; hops < histogram.count.size(); ++hops) {
        listed.insert(listed.end(), static_cast<std::size_t>(histogram.count[hops]), static_cast<std::int32_t>(hops));
    }
    if (listed.empty()) return;
    ASSERT_EQ(listed.size(), static_cast<std::size_t>(network.topology().terminal_count()) - 1);
    for (std::size_t k = 0; k < others; ++k) EXPECT_LE(listed[k], smallest[k]) << k;
    if (histogram.is_reached && listed.size() == others) {
        EXPECT_EQ(listed, smallest);
    }
}

/// The channel rule follows the links of the route, its channels exist, and no channels wait for each other in a cycle.
inline void expect_free_of_deadlock(const Network& network) {
    const VirtualChannels channels(network);
    for_usable_pairs(network, [&](NodeId s, NodeId d) {
        std::vector<ChannelHop> hops;
        channels.append_route(network, s, d, hops);
        ASSERT_TRUE(std::ranges::equal(hops, route(network, s, d), {}, &ChannelHop::link));
        for (const ChannelHop& hop : hops) ASSERT_LT(hop.vc, channels.needed());
    });
    EXPECT_TRUE(channels.find_cycle(network).empty());
}

inline void expect_links_are_named(const Topology& topology) {
    std::set<std::string> names;
    std::int64_t existing = 0;
    for (std::int32_t l = 0; l < topology.link_count(); ++l) {
        if (!topology.link_exists(LinkId(l))) continue;
        ++existing;
        const LinkEnds ends = topology.link_ends(LinkId(l));
        ASSERT_GE(ends.from.value, 0);
        ASSERT_LT(ends.from.value, topology.vertex_count());
        ASSERT_GE(ends.to.value, 0);
        ASSERT_LT(ends.to.value, topology.vertex_count());
        ASSERT_NE(ends.from, ends.to);
        EXPECT_TRUE(names.insert(topology.link_name(LinkId(l))).second) << topology.link_name(LinkId(l));
        ASSERT_LT(topology.class_of_link(LinkId(l)), topology.link_classes().size());
    }
    EXPECT_EQ(existing, topology.existing_link_count());
    std::set<std::string> vertices;
    for (std::int32_t v = 0; v < topology.vertex_count(); ++v) {
        EXPECT_TRUE(vertices.insert(topology.vertex_name(VertexId(v))).second) << topology.vertex_name(VertexId(v));
    }
    for (std::size_t c = 0; c < topology.router_classes().size(); ++c) {
        EXPECT_FALSE(topology.router_classes()[c].name.empty());
    }
}

/// Each link is drawn inside its panel, apart from all other links.
inline void expect_links_are_drawn(const Topology& topology) {
    if (topology.coordinates() != nullptr) return;
    const Drawing drawing = topology.drawing();
    ASSERT_EQ(drawing.level_of_vertex.size(), static_cast<std::size_t>(topology.vertex_count()));
    ASSERT_EQ(drawing.panel_of_link.size(), static_cast<std::size_t>(topology.link_count()));
    for (std::int32_t v = 0; v < topology.vertex_count(); ++v) {
        EXPECT_EQ(drawing.level_of_vertex[static_cast<std::size_t>(v)] == 0, v < topology.terminal_count());
    }
    std::set<std::tuple<std::int32_t, std::int32_t, std::int32_t>> cells;
    for (std::int32_t l = 0; l < topology.link_count(); ++l) {
        if (!topology.link_exists(LinkId(l))) continue;
        const std::int32_t number = drawing.panel_of_link[static_cast<std::size_t>(l)];
        ASSERT_GE(number, 0);
        ASSERT_LT(static_cast<std::size_t>(number), drawing.panels.size());
        const Panel& panel = drawing.panels[static_cast<std::size_t>(number)];
        EXPECT_FALSE(panel.title.empty() || panel.caption.empty());
        if (panel.form == Panel::Form::kPairs) continue;
        ASSERT_EQ(panel.group_of_vertex.size(), static_cast<std::size_t>(topology.vertex_count()));
        const LinkEnds ends = topology.link_ends(LinkId(l));
        EXPECT_GE(panel.group_of_vertex[ends.from.index()], 0);
        EXPECT_GE(panel.group_of_vertex[ends.to.index()], 0);
        if (panel.form != Panel::Form::kSquares) continue;
        EXPECT_EQ(panel.group_of_vertex[ends.from.index()], panel.group_of_vertex[ends.to.index()]);
        EXPECT_TRUE(cells.emplace(number, ends.from.value, ends.to.value).second) << topology.link_name(LinkId(l));
    }
}

inline void expect_near_nodes_are_valid(const Network& network) {
    for (std::int32_t n = 0; n < network.node_count(); ++n) {
        if (!network.is_usable(NodeId(n))) continue;
        const auto near = network.near_nodes(NodeId(n));
        EXPECT_LE(near.size(), NearNodes::kMost);
        EXPECT_EQ(std::set<NodeId>(near.begin(), near.end()).size(), near.size());
        for (const NodeId other : near) {
            EXPECT_NE(other, NodeId(n));
            EXPECT_TRUE(other.valid() && other.value < network.node_count() && network.is_usable(other));
        }
    }
}

inline void expect_ports_are_counted(const Network& network) {
    const Topology& topology = network.topology();
    std::map<VertexId, std::int32_t> leaving;
    std::map<VertexId, std::int32_t> entering;
    for (std::int32_t l = 0; l < topology.link_count(); ++l) {
        if (!topology.link_exists(LinkId(l))) continue;
        ++leaving[topology.link_ends(LinkId(l)).from];
        ++entering[topology.link_ends(LinkId(l)).to];
    }
    for (std::int32_t n = 0; n < network.node_count(); ++n) {
        const VertexId v = network.vertex(NodeId(n));
        EXPECT_LE(std::max(leaving[v], entering[v]), network.largest_out_degree());
    }
    std::int32_t last = -1;
    for (const std::int32_t first : topology.router_ranges()) {
        EXPECT_GT(first, last);
        EXPECT_LT(first, topology.vertex_count());
        last = first;
    }
}

/// Regions are consecutive, and no route between two nodes of a region leaves it. A longer delay on the links between
/// regions therefore has no effect within a region.
inline void expect_regions_hold(const Network& network) {
    const Topology& topology = network.topology();
    const std::vector<std::int32_t> first = topology.regions();
    ASSERT_FALSE(first.empty());
    EXPECT_EQ(first.front(), 0);
    EXPECT_TRUE(std::ranges::is_sorted(first, std::ranges::less_equal()));
    EXPECT_LT(first.back(), topology.terminal_count());
    EXPECT_EQ(topology.with_delay(1) != nullptr, first.size() > 1);
    if (first.size() == 1) return;
    const auto region = [&](VertexId v) { return std::ranges::upper_bound(first, v.value) - first.begin(); };
    std::int32_t nearest_across = std::numeric_limits<std::int32_t>::max();
    for_usable_pairs(network, [&](NodeId s, NodeId d) {
        const bool is_inside = region(network.vertex(s)) == region(network.vertex(d));
        if (s == d) return;
        if (!is_inside) return void(nearest_across = std::min(nearest_across, network.route_length(s, d)));
        for (const LinkId link : route(network, s, d)) {
            const VertexId to = topology.link_ends(link).to;
            if (to.value < topology.terminal_count()) {
                EXPECT_EQ(region(to), region(network.vertex(s)));
            }
        }
    });
    EXPECT_GT(nearest_across, 1);
    constexpr std::int64_t kDelayPs = 7'000'000;
    const auto slower = topology.with_delay(kDelayPs);
    EXPECT_EQ(slower->delay_ps(), kDelayPs);
    EXPECT_EQ(slower->regions(), first);
    EXPECT_TRUE(std::ranges::equal(slower->link_classes(), topology.link_classes()));
    EXPECT_EQ(slower->with_delay(topology.delay_ps())->vertex_count(), topology.vertex_count());
}

/// Checks the whole contract of a small topology.
inline void expect_contract(const Network& network) {
    expect_routes_connect(network);
    expect_distances_hold(network);
    expect_nearest_distances_are_a_bound(network);
    expect_free_of_deadlock(network);
    expect_links_are_named(network.topology());
    expect_links_are_drawn(network.topology());
    expect_near_nodes_are_valid(network);
    expect_ports_are_counted(network);
    expect_regions_hold(network);
    EXPECT_EQ(network.topology().routing(network.routing_name()), network.routing_name());
}

/// Checks the contract with every second node, and with one terminal down. If the faulty terminal disconnects a pair,
/// the route of this pair must be an error.
inline void expect_contract_of_parts(const Fabric& fabric, const NetworkOptions& options) {
    const std::int32_t terminals = fabric.topology->terminal_count();
    std::vector<VertexId> nodes;
    for (std::int32_t v = (terminals - 1) / 2 * 2; v >= 0; v -= 2) nodes.emplace_back(v);
    expect_contract(Network(fabric, options, nodes));
    if (terminals == 1) return;
    NetworkOptions down = options;
    down.faulty = {VertexId(terminals / 2)};
    const Network network(fabric, down);
    const auto cut = network.find_cut_pair();
    if (!cut) return expect_contract(network);
    EXPECT_EQ(cut->faulty, down.faulty.front());
    EXPECT_ANY_THROW((void)route(network, cut->source, cut->destination));
}

}  // namespace haichi::topology_contract
