// Virtual channels that do not depend on datelines: graphs, dragonflies, the extended order of Tofu.

#include <gtest/gtest.h>

#include "base/errors.h"
#include "base/random.h"
#include "netmodel/routing/acyclic_order.h"
#include "tests/netmodel/packetsim/packetsim_machines.h"

namespace haichi {
namespace {

using namespace packetsim_machines;

using Edges = std::vector<std::pair<std::int32_t, std::int32_t>>;

/// One link per edge.
Network directed_network(std::int32_t vertices, std::int32_t terminals, const Edges& edges) {
    std::vector<std::string> names;
    for (std::int32_t v = 0; v < vertices; ++v) names.push_back(std::to_string(v));
    std::vector<Graph::Link> links;
    for (const auto& [a, b] : edges) links.push_back({VertexId(a), VertexId(b), 8 * kGigabyte, std::nullopt});
    Graph graph(std::move(names), terminals, std::move(links));
    return Network(graph_fabric(std::move(graph)), {});
}

/// Switches n .. 2n-1 in a ring with one host each.
Network ring_of_switches(std::int32_t n, bool one_way) {
    Edges edges;
    for (std::int32_t i = 0; i < n; ++i) {
        const std::int32_t next = n + (i + 1) % n;
        edges.insert(edges.end(), {{i, n + i}, {n + i, i}, {n + i, next}});
        if (!one_way) edges.emplace_back(next, n + i);
    }
    return directed_network(2 * n, n, edges);
}

/// Returns the same network, in which each pair uses the first of its shortest routes.
Network unspread(const Network& network) {
    return Network({graph_topology(value_of<Graph>(network.topology())), "shortest-path,unspread"}, {});
}

/// A connected graph whose vertices mostly have degree 3 or 4, with `hosts` terminals on random switches or with all
/// vertices as terminals.
Network drawn_network(Random& random, std::int32_t vertices, std::int32_t hosts) {
    Edges edges;
    const auto any = [&] {
        return hosts + static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(vertices)));
    };
    for (std::int32_t h = 0; h < hosts; ++h) edges.emplace_back(h, any());
    for (std::int32_t v = 1; v < vertices; ++v) {
        edges.emplace_back(hosts + static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(v))), hosts + v);
    }
    for (std::int32_t e = 0; e < vertices; ++e) {
        const std::int32_t a = any();
        const std::int32_t b = any();
        if (a != b) edges.emplace_back(a, b);
    }
    return graph_network(hosts + vertices, hosts == 0 ? vertices : hosts, edges);
}

/// The channels form no cycle, follow the network's routes and stay below `needed()`.
void expect_free_of_deadlock(const Network& network, const std::string& what) {
    const VirtualChannels channels(network);
    EXPECT_TRUE(channels.find_cycle(network).empty()) << what;
    std::int32_t highest = 0;
    for (std::int32_t s = 0; s < network.node_count(); ++s) {
        for (std::int32_t d = 0; d < network.node_count(); ++d) {
            if (!network.is_usable(NodeId(s)) || !network.is_usable(NodeId(d))) continue;
            std::vector<ChannelHop> hops;
            std::vector<ChannelHop> links;
            channels.append_route(network, NodeId(s), NodeId(d), hops);
            VirtualChannels::append_links(network, NodeId(s), NodeId(d), links);
            ASSERT_TRUE(std::ranges::equal(hops, links, {}, &ChannelHop::link, &ChannelHop::link)) << what;
            for (const ChannelHop& hop : hops) highest = std::max<std::int32_t>(highest, hop.vc);
        }
    }
    EXPECT_LT(highest, channels.needed()) << what;
}

/// All-to-all with one-packet buffers. (The engine throws at a deadlock.)
void expect_drained(const Network& network, const std::string& what) {
    PacketTimingOptions options = torus_study();
    options.buffer_packets = 1;
    options.virtual_channels = VirtualChannels(network).count(0);
    Recorder recorder;
    PacketEngine engine(network, PacketTiming(options), recorder);
    std::size_t messages = 0;
    for (std::int32_t shift = 1; shift < network.node_count(); ++shift) {
        for (std::int32_t s = 0; s < network.node_count(); ++s) {
            const NodeId d((s + shift) % network.node_count());
            if (!network.is_usable(NodeId(s)) || !network.is_usable(d)) continue;
            engine.inject({NodeId(s), d, 3 * 256, messages++ % Recorder::kMostTags}, 0);
        }
    }
    engine.run();
    EXPECT_TRUE(engine.is_drained()) << what;
    EXPECT_EQ(engine.counts().payload_bytes_delivered, static_cast<std::int64_t>(messages) * 3 * 256) << what;
}

TEST(AcyclicOrder, refuses_exactly_the_edges_that_close_a_cycle) {
    Random random(11);
    for (int trial = 0; trial < 200; ++trial) {
        const std::uint32_t vertices = 2 + random.below(12);
        AcyclicOrder order(static_cast<std::int32_t>(vertices));
        std::vector<std::vector<std::int32_t>> edges(vertices);
        for (std::uint32_t e = 0; e < 4 * vertices; ++e) {
            const std::uint32_t from = random.below(vertices);
            const auto to = static_cast<std::int32_t>(random.below(vertices));
            edges[from].push_back(to);
            const bool is_acyclic = find_cycle(edges).empty();
            ASSERT_EQ(order.insert(static_cast<std::int32_t>(from), to), is_acyclic);
            if (!is_acyclic) edges[from].pop_back();
        }
    }
}

TEST(VirtualChannels, graph_rings_of_either_kind_need_two) {
    for (std::int32_t n = 3; n <= 16; ++n) {
        EXPECT_EQ(VirtualChannels(ring_of_switches(n, true)).needed(), 2) << n;
        // Up to 4 switches, the shortest routes do not go around the ring.
        EXPECT_EQ(VirtualChannels(unspread(ring_of_switches(n, false))).needed(), n < 5 ? 1 : 2) << n;
        EXPECT_LE(VirtualChannels(ring_of_switches(n, false)).needed(), 2) << n;
        for (const bool one_way : {true, false}) {
            const std::string what = std::to_string(n) + (one_way ? " one way" : " both ways");
            expect_free_of_deadlock(ring_of_switches(n, one_way), what);
            expect_free_of_deadlock(unspread(ring_of_switches(n, one_way)), what);
            expect_drained(ring_of_switches(n, one_way), what);
        }
    }
}

TEST(VirtualChannels, graph_trees_need_one) {
    EXPECT_EQ(
        VirtualChannels(graph_network(9, 6, {{0, 6}, {1, 6}, {2, 6}, {3, 7}, {4, 7}, {5, 7}, {6, 8}, {7, 8}})).needed(),
        1);
    EXPECT_EQ(VirtualChannels(graph_network(4, 4, {{0, 1}, {1, 2}, {2, 3}})).needed(), 1);
    EXPECT_EQ(VirtualChannels(graph_network(2, 2, {{0, 1}})).needed(), 1);
    EXPECT_EQ(VirtualChannels(graph_network(1, 1, {})).needed(), 1);
}

TEST(VirtualChannels, drawn_graphs_have_layers_without_a_cycle_and_one_only_where_links_have_none) {
    // Layers are searched for routes that are not spread: one layer suffices exactly if the links form no cycle.
    Random random(5);
    std::int32_t with_cycles = 0;
    for (int trial = 0; trial < 60; ++trial) {
        const auto vertices = static_cast<std::int32_t>(3 + random.below(30));
        const auto hosts = trial % 3 == 0 ? 0 : static_cast<std::int32_t>(1 + random.below(30));
        const Network network = drawn_network(random, vertices, hosts);
        const std::string what = "trial " + std::to_string(trial);
        expect_free_of_deadlock(network, what);
        expect_free_of_deadlock(unspread(network), what);
        EXPECT_EQ(VirtualChannels(unspread(network)).needed() > 1, links_alone_have_a_cycle(unspread(network))) << what;
        const bool has_cycle = links_alone_have_a_cycle(network);
        EXPECT_GE(VirtualChannels(network).needed(), has_cycle ? 2 : 1) << what;
        if (has_cycle) ++with_cycles;
        if (has_cycle && with_cycles % 4 == 0) expect_drained(network, what);
    }
    EXPECT_GT(with_cycles, 20);
}

TEST(VirtualChannels, graphs_that_need_more_than_there_are_are_refused_by_their_links) {
    EXPECT_NO_THROW(VirtualChannels(ring_of_switches(5, false), 2));
    try {
        const VirtualChannels channels(ring_of_switches(5, false), 1);
        FAIL() << "accepted";
    } catch (const UnsupportedError& error) {
        EXPECT_NE(std::string(error.what()).find("5 links wait for each other in a cycle (("), std::string::npos)
            << error.what();
        EXPECT_NE(std::string(error.what()).find("even with 1 virtual"), std::string::npos) << error.what();
    }
}

TEST(VirtualChannels, hosts_do_not_change_the_layers_of_their_switches) {
    const auto needed = [](std::int32_t hosts_of_each) {
        Edges edges;
        const std::int32_t hosts = 6 * hosts_of_each;
        for (std::int32_t h = 0; h < hosts; ++h) edges.emplace_back(h, hosts + h % 6);
        for (std::int32_t i = 0; i < 6; ++i) edges.emplace_back(hosts + i, hosts + (i + 1) % 6);
        const Network network = graph_network(hosts + 6, hosts, edges);
        expect_free_of_deadlock(network, "hosts");
        return VirtualChannels(network).needed();
    };
    EXPECT_EQ(needed(1), 2);
    EXPECT_EQ(needed(7), 2);
}

TEST(VirtualChannels, graph_routes_past_faulty_terminals_have_layers_too) {
    // a torus of 5 x 5 terminals with two of them down
    Edges edges;
    for (std::int32_t x = 0; x < 5; ++x) {
        for (std::int32_t y = 0; y < 5; ++y) {
            edges.emplace_back(5 * x + y, 5 * ((x + 1) % 5) + y);
            edges.emplace_back(5 * x + y, 5 * x + (y + 1) % 5);
        }
    }
    const Graph graph = value_of<Graph>(graph_network(25, 25, edges).topology());
    NetworkOptions options;
    options.faulty = {VertexId(7), VertexId(13)};
    const Network network(graph_fabric(graph), options);
    expect_free_of_deadlock(network, "torus");
    expect_drained(network, "torus");
}

TEST(VirtualChannels, of_a_graph_are_as_many_as_the_machine_states_while_unspread_routes_manage_with_them) {
    // a torus of 6 x 6 x 6 terminals
    Edges edges;
    const auto at = [](std::int32_t x, std::int32_t y, std::int32_t z) { return 36 * (x % 6) + 6 * (y % 6) + z % 6; };
    for (std::int32_t v = 0; v < 216; ++v) {
        const std::int32_t x = v / 36;
        const std::int32_t y = v / 6 % 6;
        const std::int32_t z = v % 6;
        edges.insert(edges.end(), {{v, at(x + 1, y, z)}, {v, at(x, y + 1, z)}, {v, at(x, y, z + 1)}});
    }
    const Network network = graph_network(216, 216, edges);
    const std::int32_t spread = VirtualChannels(network).needed();
    const std::int32_t first = VirtualChannels(unspread(network)).needed();
    ASSERT_LT(first, spread);
    for (std::int32_t stated = first; stated <= kMostLayers; ++stated) {
        const Network machine({graph_topology(value_of<Graph>(network.topology()))}, {.virtual_channels = stated});
        EXPECT_EQ(machine.routing_name(), stated < spread ? "shortest-path,unspread" : "shortest-path");
        EXPECT_EQ(machine.routes().remark().empty(), stated >= spread) << machine.routes().remark();
        EXPECT_EQ(VirtualChannels(machine).count(stated), stated);
        EXPECT_EQ(VirtualChannels(machine).needed(), stated < spread ? first : spread);
    }
}

TEST(VirtualChannels, of_a_list_of_nodes_are_no_more_than_of_all) {
    Random random(8);
    for (int trial = 0; trial < 20; ++trial) {
        const Network all = drawn_network(random, 30, 0);
        std::vector<VertexId> nodes;
        for (std::int32_t v = trial % 3; v < 30; v += 3) nodes.emplace_back(v);
        const Network some({graph_topology(value_of<Graph>(all.topology()))}, {}, nodes);
        EXPECT_LE(VirtualChannels(some).needed(), VirtualChannels(all).needed());
        EXPECT_TRUE(VirtualChannels(some).find_cycle(some).empty());
    }
}

TEST(VirtualChannels, dragonflies_take_vc_1_after_their_global_link) {
    //  up, local, global, local, down
    const Network network = dragonfly_network(Dragonfly(1, 2, 1));
    std::vector<ChannelHop> hops;
    VirtualChannels(network).append_route(network, NodeId(1), NodeId(3), hops);
    std::vector<int> vcs;
    for (const ChannelHop& hop : hops) vcs.push_back(hop.vc);
    EXPECT_EQ(vcs, (std::vector<int>{0, 0, 0, 1, 0}));
    EXPECT_EQ(VirtualChannels(network).needed(), 2);
    EXPECT_EQ(VirtualChannels(dragonfly_network(Dragonfly(3, 4, 1, 1))).needed(), 1);
    EXPECT_EQ(VirtualChannels(dragonfly_network(Dragonfly(2, 1, 4))).needed(), 1);
}

TEST(VirtualChannels, dragonflies_are_free_of_deadlock_and_would_not_be_with_one) {
    for (const Dragonfly& dragonfly :
         {Dragonfly(1, 2, 1), Dragonfly(2, 4, 2), Dragonfly(1, 3, 1), Dragonfly(2, 3, 2, 4), Dragonfly(1, 1, 6),
          Dragonfly(3, 5, 1, 1), Dragonfly(1, 4, 1, 2), Dragonfly(1, 6, 2, 5)}) {
        const Network network = dragonfly_network(dragonfly);
        const std::string what = std::to_string(dragonfly.terminal_count()) + " terminals";
        expect_free_of_deadlock(network, what);
        expect_drained(network, what);
    }
    EXPECT_TRUE(links_alone_have_a_cycle(dragonfly_network(Dragonfly(2, 4, 2))));
    EXPECT_TRUE(links_alone_have_a_cycle(dragonfly_network(Dragonfly(1, 2, 1))));
}

TEST(VirtualChannels, the_extended_order_of_tofu_and_detours_past_faulty_nodes_have_a_layer_each) {
    const auto tofu = [](const std::string& order, std::vector<VertexId> faulty) {
        Grid grid({{"X", 4, true}, {"Y", 2}, {"Z", 3, true}, {"A", 2}, {"B", 3, true}, {"C", 2}});
        DimensionOrder routing = parse_dimension_order(order, grid);
        NetworkOptions options;
        options.link_bandwidth_bytes_per_s = 8 * kGigabyte;
        options.faulty = std::move(faulty);
        return Network(grid_fabric(std::move(grid), routing), std::move(options));
    };
    const std::vector<VertexId> faulty = {VertexId(17), VertexId(100)};
    const std::string extended = "dor:BCAXYZACB,tie=+,column=1.0.1";
    EXPECT_EQ(VirtualChannels(tofu("dor:XYZACB,tie=+", {})).needed(), 2);
    EXPECT_EQ(VirtualChannels(tofu(extended, {})).needed(), 4);
    EXPECT_EQ(VirtualChannels(tofu("dor:XYZACB,tie=+", faulty)).needed(), 4);
    EXPECT_EQ(VirtualChannels(tofu(extended, faulty)).needed(), 6);
    for (const std::string& order :
         {extended, std::string("dor:XBYACZBA,tie=-,column=2.1"), std::string("dor:ACXBYZCA,tie=+,column=0.1")}) {
        for (const auto& down : {std::vector<VertexId>{}, faulty}) {
            const Network network = tofu(order, down);
            if (network.find_cut_pair()) continue;
            expect_free_of_deadlock(network, order);
        }
    }
    expect_drained(tofu(extended, faulty), extended);
}

}  // namespace
}  // namespace haichi
