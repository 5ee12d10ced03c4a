#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "netmodel/routing/dimension_order.h"
#include "netmodel/routing/dragonfly_topology.h"
#include "netmodel/routing/fat_tree_routing.h"
#include "netmodel/routing/fat_tree_topology.h"
#include "netmodel/routing/graph_topology.h"
#include "netmodel/routing/grid_topology.h"
#include "netmodel/routing/network.h"
#include "netmodel/routing/shortest_paths.h"

namespace haichi::testing_fabrics {

inline Fabric grid_fabric(Grid grid, const DimensionOrder& order) {
    const std::string routing = to_string(order, grid);
    return {grid_topology(std::move(grid)), routing};
}

inline Fabric fat_tree_fabric(FatTree tree, FatTreeRouting routing = FatTreeRouting::kSourceModK,
                              const std::vector<std::int64_t>& bandwidths = {}) {
    return {fat_tree_topology(std::move(tree), bandwidths), to_string(routing)};
}

inline Fabric dragonfly_fabric(Dragonfly dragonfly, const std::vector<std::int64_t>& bandwidths = {}) {
    return {dragonfly_topology(std::move(dragonfly), bandwidths)};
}

inline Fabric graph_fabric(Graph graph) { return {graph_topology(std::move(graph))}; }

inline std::vector<std::string> route_names(const Network& network, std::int32_t s, std::int32_t d) {
    std::vector<LinkId> links;
    network.append_route(NodeId(s), NodeId(d), links);
    std::vector<std::string> names;
    for (const LinkId link : links) names.push_back(network.link_name(link));
    return names;
}

/// All pairs of terminals except pairs with an omitted terminal.
inline void expect_equal_routes(const Graph& graph, const ShortestPaths& a, const ShortestPaths& b,
                                std::span<const VertexId> left_out = {}) {
    const auto is_left_out = [&](VertexId v) { return std::ranges::find(left_out, v) != left_out.end(); };
    for (VertexId s(0); s.value < graph.terminal_count(); ++s.value) {
        for (VertexId d(0); d.value < graph.terminal_count(); ++d.value) {
            if (is_left_out(s) || is_left_out(d)) continue;
            std::vector<LinkId> by_a;
            std::vector<LinkId> by_b;
            a.append_route(graph, s, d, by_a);
            b.append_route(graph, s, d, by_b);
            ASSERT_EQ(by_a, by_b) << s.value << " to " << d.value;
        }
    }
}

/// The value from which a topology was made.
template <class Value>
const Value& value_of(const Topology& topology) {
    const Value* value = topology_value<Value>(topology);
    if (value == nullptr) throw std::runtime_error("the topology is of another kind");
    return *value;
}

}  // namespace haichi::testing_fabrics
