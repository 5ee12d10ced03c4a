#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <queue>
#include <set>

#include "base/random.h"
#include "netmodel/routing/hop_distance.h"
#include "netmodel/routing/network.h"
#include "netmodel/routing/route_table.h"
#include "tests/netmodel/fabrics.h"

namespace haichi {
namespace {

using namespace testing_fabrics;

constexpr std::int32_t kMostDrawnNodes = 240;

Grid drawn_grid(Random& random) {
    std::vector<Axis> axes(1 + random.below(8));
    std::int32_t room = kMostDrawnNodes;
    for (std::size_t k = 0; k < axes.size(); ++k) {
        const std::uint32_t largest = static_cast<std::uint32_t>(std::min(room, axes.size() < 3 ? 20 : 5));
        axes[k] = {std::string(1, "ABCDEFGH"[k]), static_cast<std::int32_t>(1 + random.below(largest)),
                   random.below(2) == 1};
        room /= axes[k].size;
    }
    return Grid(std::move(axes));
}

/// Draws any order, either tie rule and, if requested, leading detours on some axes.
DimensionOrder drawn_order(Random& random, const Grid& grid, bool may_detour) {
    std::vector<std::size_t> order(grid.axis_count());
    std::iota(order.begin(), order.end(), std::size_t{0});
    random.shuffle(std::span(order));
    DimensionOrder routing;
    if (may_detour) {
        const bool have_columns = random.below(3) != 0;  // all or none, as in the text form of a routing
        for (const std::size_t k : order) {
            if (random.below(3) != 0) continue;
            const auto size = static_cast<std::uint32_t>(grid.axis(k).size);
            std::optional<std::int32_t> column;
            if (have_columns) column = static_cast<std::int32_t>(random.below(size));
            routing.stages.push_back({k, false, column});
        }
    }
    random.shuffle(std::span(order));
    for (const std::size_t k : order) routing.stages.push_back({k, true, std::nullopt});
    routing.tie = random.below(2) == 0 ? Sign::kPlus : Sign::kMinus;
    return routing;
}

FatTree drawn_tree(Random& random) {
    const std::size_t levels = 1 + random.below(4);
    std::vector<std::int32_t> children;
    std::vector<std::int32_t> parents;
    std::int32_t room = kMostDrawnNodes;
    for (std::size_t l = 0; l < levels; ++l) {
        children.push_back(static_cast<std::int32_t>(1 + random.below(static_cast<std::uint32_t>(std::min(room, 6)))));
        parents.push_back(static_cast<std::int32_t>(1 + random.below(3)));
        room /= children.back();
    }
    return FatTree(children, parents);
}

/// A strongly connected graph: a tree of undirected edges, then directed and undirected edges between any two vertices,
/// parallel ones included.
Graph drawn_graph(Random& random) {
    const auto vertices = static_cast<std::int32_t>(1 + random.below(60));
    const auto terminals = static_cast<std::int32_t>(1 + random.below(static_cast<std::uint32_t>(vertices)));
    std::vector<std::string> names;
    std::vector<Graph::Link> links;
    const auto join = [&](std::int32_t a, std::int32_t b, bool both_ways) {
        links.push_back({VertexId(a), VertexId(b), 100, std::nullopt});
        if (both_ways) links.push_back({VertexId(b), VertexId(a), 100, std::nullopt});
    };
    const auto any = [&](std::int32_t count) {
        return static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(count)));
    };
    for (std::int32_t v = 0; v < vertices; ++v) {
        names.push_back(std::to_string(v));
        if (v > 0) join(any(v), v, true);
    }
    const bool all_both_ways = random.below(2) == 0;
    for (std::int32_t e = any(2 * vertices); e > 0; --e) {
        const std::int32_t a = any(vertices);
        const std::int32_t b = any(vertices);
        if (a != b) join(a, b, all_both_ways || random.below(2) == 0);
    }
    random.shuffle(std::span(links));
    return Graph(std::move(names), terminals, std::move(links));
}

Dragonfly drawn_dragonfly(Random& random) {
    const auto terminals = static_cast<std::int32_t>(1 + random.below(3));
    const auto routers = static_cast<std::int32_t>(1 + random.below(4));
    const auto global_links = static_cast<std::int32_t>(1 + random.below(3));
    const auto most = static_cast<std::uint32_t>(routers * global_links + 1);
    const auto groups = static_cast<std::int32_t>(random.below(most + 1));  // 0: all
    return Dragonfly(terminals, routers, global_links, groups);
}

std::vector<VertexId> drawn_nodes(Random& random, std::int32_t terminals) {
    if (random.below(2) == 0) return {};
    std::vector<VertexId> nodes;
    for (std::int32_t v = 0; v < terminals; ++v) nodes.emplace_back(v);
    random.shuffle(std::span(nodes));
    nodes.resize(1 + random.below(static_cast<std::uint32_t>(terminals)));
    return nodes;
}

Network drawn_fabric(std::uint64_t seed, bool may_detour = true) {
    Random random(seed);
    NetworkOptions options;
    options.count_nic = random.below(2) == 0;
    options.link_bandwidth_bytes_per_s = 100;
    if (random.below(3) == 0) {
        FatTree tree = drawn_tree(random);
        std::vector<VertexId> nodes = drawn_nodes(random, tree.terminal_count());
        const auto routing = random.below(2) == 0 ? FatTreeRouting::kSourceModK : FatTreeRouting::kDestinationModK;
        return Network(fat_tree_fabric(std::move(tree), routing), options, std::move(nodes));
    }
    if (random.below(4) == 0) {
        const Dragonfly dragonfly = drawn_dragonfly(random);
        std::vector<VertexId> nodes = drawn_nodes(random, dragonfly.terminal_count());
        return Network(dragonfly_fabric(dragonfly), options, std::move(nodes));
    }
    if (random.below(3) == 0) {
        Graph graph = drawn_graph(random);
        std::vector<VertexId> nodes = drawn_nodes(random, graph.terminal_count());
        constexpr std::array<std::size_t, 4> kBudgets = {0, 500, 4000, PathOptions{}.table_budget_bytes};
        const std::size_t budget_bytes = kBudgets[random.below(kBudgets.size())];
        const std::string routing = random.below(3) == 0 ? "shortest-path,unspread" : "";
        return Network({graph_topology(std::move(graph), budget_bytes), routing}, options, std::move(nodes));
    }
    Grid grid = drawn_grid(random);
    DimensionOrder order = drawn_order(random, grid, may_detour);
    std::vector<VertexId> nodes = drawn_nodes(random, grid.vertex_count());
    return Network(grid_fabric(std::move(grid), order), options, std::move(nodes));
}

std::vector<LinkId> route(const Network& network, NodeId s, NodeId d) {
    std::vector<LinkId> links;
    network.append_route(s, d, links);
    return links;
}

std::pair<VertexId, VertexId> ends(const Network& network, LinkId link) {
    const LinkEnds e = network.topology().link_ends(link);
    return {e.from, e.to};
}

template <class Visit>
void for_all_pairs(const Network& network, const Visit& visit) {
    for (std::int32_t s = 0; s < network.node_count(); ++s) {
        for (std::int32_t d = 0; d < network.node_count(); ++d) visit(NodeId(s), NodeId(d));
    }
}

/// Breadth-first distances over existing links, independent of axes and levels.
std::vector<std::int32_t> distances_by_search(const Network& network, NodeId from) {
    const std::int32_t channels = network.options().count_nic ? 2 * network.node_count() : 0;
    std::vector<std::vector<VertexId>> next;
    for (std::int32_t l = 0; l < network.link_count() - channels; ++l) {
        if (!network.link_exists(LinkId(l))) continue;
        const auto [a, b] = ends(network, LinkId(l));
        const std::size_t needed = std::max(a.index(), b.index()) + 1;
        if (next.size() < needed) next.resize(needed);
        next[a.index()].push_back(b);
    }
    next.resize(std::max(next.size(), network.vertex(from).index() + 1));
    std::vector<std::int32_t> distance(next.size(), -1);
    std::queue<VertexId> queue;
    queue.push(network.vertex(from));
    distance[network.vertex(from).index()] = 0;
    for (; !queue.empty(); queue.pop()) {
        for (const VertexId v : next[queue.front().index()]) {
            if (distance[v.index()] >= 0) continue;
            distance[v.index()] = distance[queue.front().index()] + 1;
            queue.push(v);
        }
    }
    return distance;
}

RC_GTEST_PROP(Routes, lead_over_existing_joined_links_from_source_to_destination, (std::uint64_t seed)) {
    const Network network = drawn_fabric(seed);
    const bool count_nic = network.options().count_nic;
    for_all_pairs(network, [&](NodeId s, NodeId d) {
        std::vector<LinkId> links = route(network, s, d);
        RC_ASSERT(static_cast<std::int32_t>(links.size()) == network.hops(s, d));
        if (s == d) {
            RC_ASSERT(links.empty());
            return;
        }
        for (const LinkId link : links) RC_ASSERT(network.link_exists(link));
        if (count_nic) {
            RC_ASSERT(links.front() == network.injection_link(s));
            RC_ASSERT(links.back() == network.ejection_link(d));
            links = {links.begin() + 1, links.end() - 1};
        }
        VertexId at = network.vertex(s);
        for (const LinkId link : links) {
            const auto [from, to] = ends(network, link);
            RC_ASSERT(from == at);
            at = to;
        }
        RC_ASSERT(at == network.vertex(d));
    });
}

RC_GTEST_PROP(Routes, are_static, (std::uint64_t seed)) {
    const Network network = drawn_fabric(seed);
    const Network again = network;
    for_all_pairs(network, [&](NodeId s, NodeId d) { RC_ASSERT(route(network, s, d) == route(again, s, d)); });
}

RC_GTEST_PROP(Routes, are_shortest_unless_they_make_a_detour, (std::uint64_t seed)) {
    const Network network = drawn_fabric(seed);
    const std::int32_t channels = network.options().count_nic ? 2 : 0;
    for (std::int32_t s = 0; s < network.node_count(); s += 7) {
        const std::vector<std::int32_t> distance = distances_by_search(network, NodeId(s));
        for (std::int32_t d = 0; d < network.node_count(); ++d) {
            if (d == s) continue;
            const std::int32_t shortest = distance[network.vertex(NodeId(d)).index()] + channels;
            if (network.routes_are_shortest()) {
                RC_ASSERT(network.hops(NodeId(s), NodeId(d)) == shortest);
            } else {
                RC_ASSERT(network.hops(NodeId(s), NodeId(d)) >= shortest);
            }
        }
    }
}

RC_GTEST_PROP(Routes, travel_each_axis_in_one_stretch_in_the_order_given, (std::uint64_t seed)) {
    Random random(seed);
    const Grid grid = drawn_grid(random);
    const DimensionOrder order = drawn_order(random, grid, false);
    std::vector<std::size_t> rank(grid.axis_count());
    for (std::size_t i = 0; i < order.stages.size(); ++i) rank[order.stages[i].axis] = i;
    const Network network(grid_fabric(grid, order), {});
    for_all_pairs(network, [&](NodeId s, NodeId d) {
        std::size_t last_rank = 0;
        std::optional<Grid::LinkEnds> last;
        for (const LinkId link : route(network, s, d)) {
            const Grid::LinkEnds e = grid.link_ends(link);
            RC_ASSERT(rank[e.axis] >= last_rank);
            if (last && last->axis == e.axis) RC_ASSERT(last->sign == e.sign);
            last_rank = rank[e.axis];
            last = e;
        }
    });
}

RC_GTEST_PROP(GraphRoutes, do_not_depend_on_the_order_of_the_links, (std::uint64_t seed)) {
    Random random(seed);
    const Graph graph = drawn_graph(random);
    std::vector<Graph::Link> links;
    std::vector<std::string> names;
    for (std::int32_t l = 0; l < graph.link_count(); ++l) links.push_back(graph.link(LinkId(l)));
    for (std::int32_t v = 0; v < graph.vertex_count(); ++v) names.push_back(graph.vertex_name(VertexId(v)));
    random.shuffle(std::span(links));
    const Graph again(names, graph.terminal_count(), links);
    const ShortestPaths paths(graph);
    const ShortestPaths paths_again(again);
    for (std::int32_t s = 0; s < graph.terminal_count(); ++s) {
        for (std::int32_t d = 0; d < graph.terminal_count(); ++d) {
            std::vector<LinkId> a;
            std::vector<LinkId> b;
            paths.append_route(graph, VertexId(s), VertexId(d), a);
            paths_again.append_route(again, VertexId(s), VertexId(d), b);
            RC_ASSERT(a.size() == b.size());
            for (std::size_t i = 0; i < a.size(); ++i) RC_ASSERT(graph.link(a[i]).to == again.link(b[i]).to);
        }
    }
}

RC_GTEST_PROP(Routes, routing_text_reads_back, (std::uint64_t seed)) {
    Random random(seed);
    const Grid grid = drawn_grid(random);
    DimensionOrder order = drawn_order(random, grid, true);
    // the text form lists a column for every repeated axis or for none
    const bool with_columns = random.below(2) == 0;
    for (DimensionOrder::Stage& stage : order.stages) {
        if (!stage.to_destination) stage.column = with_columns ? std::optional<std::int32_t>(0) : std::nullopt;
    }
    RC_ASSERT(parse_dimension_order(to_string(order, grid), grid) == order);
}

RC_GTEST_PROP(Hops, are_symmetric_when_the_network_says_so, (std::uint64_t seed)) {
    const Network network = drawn_fabric(seed);
    if (!network.hops_are_symmetric()) return;
    for_all_pairs(network, [&](NodeId a, NodeId b) { RC_ASSERT(network.hops(a, b) == network.hops(b, a)); });
}

RC_GTEST_PROP(HopDistance, equals_the_network_on_every_path, (std::uint64_t seed)) {
    const Network network = drawn_fabric(seed);
    for (const HopDistanceOptions& options :
         {HopDistanceOptions{}, HopDistanceOptions{.table_budget_bytes = 0},
          HopDistanceOptions{.table_budget_bytes = 0, .pack_coordinates = false},
          HopDistanceOptions{.walked_table_budget_bytes = 0}, HopDistanceOptions{.pack_coordinates = false}}) {
        const HopDistance distance(network, options);
        for_all_pairs(network, [&](NodeId a, NodeId b) { RC_ASSERT(distance(a, b) == network.hops(a, b)); });
    }
}

RC_GTEST_PROP(RouteTable, gives_the_routes_of_the_network_with_and_without_storage, (std::uint64_t seed)) {
    const Network network = drawn_fabric(seed);
    const RouteTable stored(network);
    const RouteTable computed(network, 0);
    RC_ASSERT(stored.is_stored());
    RC_ASSERT(!computed.is_stored());
    std::vector<LinkId> scratch;
    for_all_pairs(network, [&](NodeId s, NodeId d) {
        const std::vector<LinkId> expected = route(network, s, d);
        RC_ASSERT(std::ranges::equal(stored.route(s, d, scratch), expected));
        RC_ASSERT(std::ranges::equal(computed.route(s, d, scratch), expected));
    });
}

RC_GTEST_PROP(NearNodes, are_all_the_jobs_nodes_at_the_smallest_possible_distance, (std::uint64_t seed)) {
    const Network network = drawn_fabric(seed, /*may_detour=*/false);
    const bool is_tree = topology_value<FatTree>(network.topology()) != nullptr;
    const auto* dragonfly = topology_value<Dragonfly>(network.topology());
    // With one terminal per router, routers of a group are near; routers at the same distance in other groups are not.
    const bool by_group = dragonfly != nullptr && dragonfly->terminals_per_router() == 1;
    const auto group = [&](std::int32_t node) {
        return by_group ? dragonfly->group_of(dragonfly->router_of(network.vertex(NodeId(node)))) : 0;
    };
    std::int32_t one_step = (by_group                          ? 3
                             : is_tree || dragonfly != nullptr ? 2
                                                               : 1) +
                            (network.options().count_nic ? 2 : 0);
    for (std::int32_t a = 0; a < network.node_count(); ++a) {
        if (topology_value<Graph>(network.topology()) != nullptr) {
            one_step = 1 << 20;
            for (std::int32_t b = 0; b < network.node_count(); ++b) {
                if (a != b) one_step = std::min(one_step, network.hops(NodeId(a), NodeId(b)));
            }
        }
        std::set<NodeId> expected;
        for (std::int32_t b = 0; b < network.node_count(); ++b) {
            if (network.hops(NodeId(a), NodeId(b)) == one_step && group(a) == group(b)) expected.insert(NodeId(b));
        }
        const auto near = network.near_nodes(NodeId(a));
        RC_ASSERT(std::set<NodeId>(near.begin(), near.end()) == expected);
        RC_ASSERT(near.size() == expected.size());
    }
}

RC_GTEST_PROP(NearestDistanceBound, is_the_smallest_sorted_list_of_distances, (std::uint64_t seed)) {
    const Network network = drawn_fabric(seed);
    const auto others = static_cast<std::size_t>(network.node_count()) - 1;
    std::vector<std::int32_t> smallest(others, 1 << 20);
    for (std::int32_t a = 0; a < network.node_count(); ++a) {
        std::vector<std::int32_t> sorted;
        for (std::int32_t b = 0; b < network.node_count(); ++b) {
            if (a == b) continue;
            sorted.push_back(std::min(network.hops(NodeId(a), NodeId(b)), network.hops(NodeId(b), NodeId(a))));
        }
        std::ranges::sort(sorted);
        for (std::size_t k = 0; k < others; ++k) smallest[k] = std::min(smallest[k], sorted[k]);
    }
    RC_ASSERT(network.nearest_distance_bound(others + 5) == smallest);
    smallest.resize(others / 2);
    RC_ASSERT(network.nearest_distance_bound(others / 2) == smallest);
}

TEST(NearestDistanceBound, holds_for_node_lists_above_the_brute_force_size) {
    // every second node of a 64 x 80 torus
    Grid grid({{"X", 64, true}, {"Y", 80, true}});
    DimensionOrder order = default_dimension_order(grid);
    std::vector<VertexId> nodes;
    for (std::int32_t v = 0; v < grid.vertex_count(); v += 2) nodes.emplace_back(v);
    const Network network(grid_fabric(std::move(grid), order), {}, nodes);
    ASSERT_GT(network.node_count(), 2048);
    const std::vector<std::int32_t> bound = network.nearest_distance_bound(nodes.size());
    ASSERT_EQ(bound.size(), nodes.size() - 1);
    std::vector<std::int32_t> sorted;
    for (std::int32_t b = 1; b < network.node_count(); ++b) sorted.push_back(network.hops(NodeId(0), NodeId(b)));
    std::ranges::sort(sorted);
    for (std::size_t k = 0; k < bound.size(); ++k) ASSERT_LE(bound[k], sorted[k]);
}

}  // namespace
}  // namespace haichi
