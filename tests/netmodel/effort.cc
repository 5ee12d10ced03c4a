// The work for large networks, counted in links that were visited.

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "netmodel/routing/graph_topology.h"
#include "netmodel/routing/hyperx.h"
#include "netmodel/routing/network.h"
#include "netmodel/routing/route_trees.h"
#include "netmodel/topology/near_nodes.h"

namespace haichi {
namespace {

/// Adds a cable as two links.
void add_cable(std::vector<Graph::Link>& links, std::int32_t a, std::int32_t b, std::int64_t bandwidth = 100) {
    links.push_back({VertexId(a), VertexId(b), bandwidth, std::nullopt});
    links.push_back({VertexId(b), VertexId(a), bandwidth, std::nullopt});
}

Graph graph_of(std::int32_t vertices, std::int32_t terminals, std::vector<Graph::Link> links) {
    std::vector<std::string> names;
    for (std::int32_t v = 0; v < vertices; ++v) names.push_back(std::to_string(v));
    return {std::move(names), terminals, std::move(links)};
}

Graph chain(std::int32_t terminals) {
    std::vector<Graph::Link> links;
    for (std::int32_t v = 0; v + 1 < terminals; ++v) add_cable(links, v, v + 1);
    return graph_of(terminals, terminals, std::move(links));
}

/// Every leaf has one terminal, and a cable to every root. One more switch below a leaf is on no route.
Graph leaves_and_roots(std::int32_t leaves, std::int32_t roots) {
    std::vector<Graph::Link> links;
    for (std::int32_t leaf = 0; leaf < leaves; ++leaf) {
        add_cable(links, leaf, leaves + leaf);
        for (std::int32_t root = 0; root < roots; ++root) add_cable(links, leaves + leaf, 2 * leaves + root);
    }
    add_cable(links, leaves, 2 * leaves + roots);
    return graph_of(2 * leaves + roots + 1, leaves, std::move(links));
}

/// Every terminal has a cable to every switch.
Graph shared_terminals(std::int32_t terminals, std::int32_t switches) {
    std::vector<Graph::Link> links;
    for (std::int32_t t = 0; t < terminals; ++t) {
        for (std::int32_t s = 0; s < switches; ++s) add_cable(links, t, terminals + s);
    }
    return graph_of(terminals + switches, terminals, std::move(links));
}

/// Routes of a graph that count their walks.
class CountedRoutes final : public Routes {
  public:
    CountedRoutes(std::shared_ptr<const Routes> routes, std::int64_t& walks)
        : routes_(std::move(routes)), walks_(walks) {}
    [[nodiscard]] std::string name() const override { return routes_->name(); }
    void append_route(VertexId s, VertexId d, std::vector<LinkId>& links) const override {
        ++walks_;
        routes_->append_route(s, d, links);
    }
    [[nodiscard]] std::int32_t hops(VertexId s, VertexId d) const override {
        ++walks_;
        return routes_->hops(s, d);
    }
    [[nodiscard]] std::int32_t longest() const override { return routes_->longest(); }
    [[nodiscard]] bool are_shortest() const override { return routes_->are_shortest(); }
    [[nodiscard]] bool are_symmetric() const override { return routes_->are_symmetric(); }

  private:
    std::shared_ptr<const Routes> routes_;
    std::int64_t& walks_;
};

class CountedTopology final : public TopologyOf<Graph> {
  public:
    explicit CountedTopology(const Graph& graph) : TopologyOf(graph), topology_(graph_topology(graph)) {}
    [[nodiscard]] std::int64_t walks() const { return walks_; }
    [[nodiscard]] std::span<const PortClass> link_classes() const override { return topology_->link_classes(); }
    [[nodiscard]] std::size_t class_of_link(LinkId link) const override { return topology_->class_of_link(link); }
    [[nodiscard]] std::string vertex_name(VertexId v) const override { return topology_->vertex_name(v); }
    [[nodiscard]] std::string link_name(LinkId link) const override { return topology_->link_name(link); }
    [[nodiscard]] nlohmann::ordered_json description() const override { return topology_->description(); }
    [[nodiscard]] std::string routing(std::string_view text) const override { return topology_->routing(text); }
    [[nodiscard]] std::shared_ptr<const Routes> routes(std::string_view routing,
                                                       const RouteLimits& limits) const override {
        return std::make_shared<CountedRoutes>(topology_->routes(routing, limits), walks_);
    }

  private:
    std::shared_ptr<const Topology> topology_;
    mutable std::int64_t walks_ = 0;
};

std::int64_t route_visits(const Graph& graph) {
    const GraphOrder order(graph);
    RouteTrees trees(graph, GraphRouting::kSpread, order, {});
    for (std::int32_t d = 0; d < graph.terminal_count(); ++d) trees.find(VertexId(d));
    return order.visits + trees.visits();
}

std::int64_t near_visits(const Topology& topology) {
    const std::int32_t nodes = topology.terminal_count();
    return NearNodes::by_search(topology, JobNodes(nodes, {}, {})).visits();
}

TEST(Effort, the_smallest_distance_of_a_long_chain_walks_no_route) {
    const auto topology = std::make_shared<const CountedTopology>(chain(2100));
    const Network network({topology}, {});
    EXPECT_EQ(network.nearest_distance_bound(3), (std::vector<std::int32_t>{1, 1, 1}));
    EXPECT_EQ(topology->walks(), 0);
    const Network with_nics({topology}, {.count_nic = true});
    EXPECT_EQ(with_nics.nearest_distance_bound(1), std::vector<std::int32_t>{3});
}

TEST(Effort, the_smallest_stated_distance_may_belong_to_nodes_that_are_not_neighbours) {
    constexpr std::int32_t kNodes = 2100;
    std::vector<Graph::Link> links;
    for (std::int32_t v = 0; v + 1 < kNodes; ++v) add_cable(links, v, v + 1);
    add_cable(links, 7, kNodes, 200);
    add_cable(links, 9, kNodes, 200);
    const Network network({graph_topology(graph_of(kNodes + 1, kNodes, std::move(links)))}, {.distances = {100, 3}});
    EXPECT_EQ(network.hops(NodeId(7), NodeId(9)), 6);
    EXPECT_EQ(network.nearest_distance_bound(1), std::vector<std::int32_t>{6});
}

TEST(Effort, the_smallest_distance_avoids_faulty_nodes) {
    std::vector<Graph::Link> links;
    constexpr std::int32_t kNodes = 2100;
    for (std::int32_t v = 0; v + 1 < kNodes; ++v) add_cable(links, v, kNodes + v % 2);
    add_cable(links, kNodes - 1, kNodes);
    add_cable(links, kNodes - 1, kNodes + 1);
    add_cable(links, kNodes, kNodes + 1);
    add_cable(links, 0, 1);
    const Graph graph = graph_of(kNodes + 2, kNodes, std::move(links));
    EXPECT_EQ(Network({graph_topology(graph)}, {}).nearest_distance_bound(1), std::vector<std::int32_t>{1});
    const Network network({graph_topology(graph)}, {.faulty = {VertexId(1)}});
    EXPECT_EQ(network.nearest_distance_bound(1), std::vector<std::int32_t>{2});
}

TEST(Effort, routes_visit_the_links_of_equal_switches_once_per_terminal) {
    for (const std::int32_t leaves : {100, 300}) {
        constexpr std::int32_t kRoots = 40;
        EXPECT_LE(GraphOrder(leaves_and_roots(leaves, kRoots)).visits, std::int64_t{leaves} * 4 * (leaves + kRoots));
        EXPECT_LE(route_visits(leaves_and_roots(leaves, kRoots)), std::int64_t{leaves} * 16 * (leaves + kRoots));
        EXPECT_LE(route_visits(shared_terminals(leaves, kRoots)), std::int64_t{leaves} * 16 * (leaves + kRoots));
    }
}

TEST(Effort, near_nodes_visit_the_links_of_equal_switches_once_per_node) {
    for (const std::int32_t leaves : {100, 300}) {
        constexpr std::int32_t kRoots = 40;
        const auto topology = graph_topology(leaves_and_roots(leaves, kRoots));
        EXPECT_LE(near_visits(*topology), std::int64_t{leaves} * 4 * (leaves + kRoots));
    }
}

TEST(Effort, near_nodes_of_a_router_visit_few_of_its_nodes) {
    for (const std::int32_t nodes : {1000, 16384}) {
        const auto topology = hyperx_topology(HyperX({1}, nodes));
        EXPECT_LE(near_visits(*topology), nodes * std::int64_t{NearNodes::kMost + 1});
        EXPECT_EQ(Network({topology}, {}).near_nodes(NodeId(nodes - 1)).front(), NodeId(0));
    }
}

}  // namespace
}  // namespace haichi
