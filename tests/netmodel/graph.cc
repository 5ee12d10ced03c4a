#include <gtest/gtest.h>

#include <fstream>

#include "base/errors.h"
#include "netmodel/machine/allocation.h"
#include "netmodel/routing/hop_distance.h"
#include "netmodel/routing/network.h"
#include "netmodel/topology/graphml.h"
#include "tests/base/temporary_folder.h"
#include "tests/netmodel/fabrics.h"

namespace haichi {
namespace {

using namespace testing_fabrics;

Graph::Link link(std::int32_t from, std::int32_t to, std::int64_t bandwidth = 100) {
    return {VertexId(from), VertexId(to), bandwidth, std::nullopt};
}

/// Both directions of every pair.
std::vector<Graph::Link> both_ways(const std::vector<std::pair<std::int32_t, std::int32_t>>& edges) {
    std::vector<Graph::Link> links;
    for (const auto& [a, b] : edges) {
        links.push_back(link(a, b));
        links.push_back(link(b, a));
    }
    return links;
}

std::vector<std::string> names(std::int32_t count) {
    std::vector<std::string> names;
    for (std::int32_t v = 0; v < count; ++v) names.push_back(std::to_string(v).insert(0, 1, 'v'));
    return names;
}

Network network_of(const Graph& graph, NetworkOptions options = {}, std::vector<VertexId> nodes = {},
                   const std::string& routing = {}) {
    return Network({graph_topology(graph), routing}, std::move(options), std::move(nodes));
}

/// A GraphML document with the usual keys.
std::string graphml(const std::string& direction, const std::string& body) {
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
           "<key id=\"t\" for=\"node\" attr.name=\"terminal\" attr.type=\"boolean\"/>\n"
           "<key id=\"b\" for=\"edge\" attr.name=\"bandwidth\" attr.type=\"string\"/>\n"
           "<key id=\"l\" for=\"edge\" attr.name=\"latency\" attr.type=\"string\"/>\n"
           "<graph id=\"G\" edgedefault=\"" +
           direction + "\">\n" + body + "</graph></graphml>\n";
}

TEST(GraphRoutes, unspread_go_by_a_switch_before_a_terminal_then_by_the_lowest_number) {
    //      v3(switch) v4(switch)       all of v2, v3, v4 join v0 and v1
    //     /  \       /  \              .
    //   v0    v1   v0   v1             v2 is a terminal
    const Graph graph(names(5), 3, both_ways({{0, 2}, {2, 1}, {0, 4}, {4, 1}, {0, 3}, {3, 1}}));
    const auto unspread = [](const Graph& g) { return network_of(g, {}, {}, "shortest-path,unspread"); };
    EXPECT_EQ(route_names(unspread(graph), 0, 1), (std::vector<std::string>{"(v0)->(v3)", "(v3)->(v1)"}));
    const Graph without_switches(names(4), 4, both_ways({{0, 3}, {3, 1}, {0, 2}, {2, 1}}));
    EXPECT_EQ(route_names(unspread(without_switches), 0, 1), (std::vector<std::string>{"(v0)->(v2)", "(v2)->(v1)"}));
}

TEST(GraphRoutes, unspread_take_the_first_of_parallel_links_which_stay_separate) {
    const Graph graph(names(2), 2, {link(0, 1), link(0, 1), link(1, 0), link(0, 1)});
    const Network network = network_of(graph, {}, {}, "shortest-path,unspread");
    EXPECT_EQ(network.link_count(), 4);
    EXPECT_EQ(network.existing_link_count(), 4);
    EXPECT_EQ(route_names(network, 0, 1), std::vector<std::string>{"(v0)->(v1)"});
    EXPECT_EQ(network.link_name(LinkId(1)), "(v0)->(v1) #2");
    EXPECT_EQ(network.link_name(LinkId(3)), "(v0)->(v1) #3");
}

TEST(GraphRoutes, of_a_one_way_ring_go_round_it) {
    const Graph graph(names(4), 4, {link(0, 1), link(1, 2), link(2, 3), link(3, 0)});
    const Network network = network_of(graph);
    EXPECT_EQ(network.hops(NodeId(0), NodeId(1)), 1);
    EXPECT_EQ(network.hops(NodeId(1), NodeId(0)), 3);
    EXPECT_FALSE(network.hops_are_symmetric());
    EXPECT_EQ(network.longest_route(), 3);
    // the shorter direction of each pair: 1, 2 and 1 hops
    EXPECT_EQ(network.nearest_distance_bound(9), (std::vector<std::int32_t>{1, 1, 2}));
}

TEST(GraphRoutes, without_the_table_are_the_same) {
    std::vector<std::pair<std::int32_t, std::int32_t>> edges;
    for (std::int32_t v = 0; v < 30; ++v) edges.emplace_back(v, (v + 1) % 30);
    for (std::int32_t v = 0; v < 30; v += 7) edges.emplace_back(v, (v + 11) % 30);
    const Graph graph(names(30), 20, both_ways(edges));
    const ShortestPaths stored(graph);
    const ShortestPaths computed(graph, {}, {GraphRouting::kSpread, 0});
    EXPECT_TRUE(stored.has_table());
    EXPECT_FALSE(computed.has_table());
    expect_equal_routes(graph, stored, computed);
    // The next links to two destinations are kept.
    const ShortestPaths kept(graph, {}, {GraphRouting::kSpread, 599});
    EXPECT_FALSE(kept.has_table());
    expect_equal_routes(graph, stored, kept);
    expect_equal_routes(graph, stored, kept);
}

TEST(GraphRoutes, to_the_hosts_of_a_switch_are_kept_together_if_there_is_no_choice) {
    for (const std::int32_t spines : {1, 2}) {
        // three leaves with four hosts each, below the spines
        std::vector<std::pair<std::int32_t, std::int32_t>> edges;
        for (std::int32_t host = 0; host < 12; ++host) edges.emplace_back(host, 12 + host / 4);
        for (std::int32_t leaf = 12; leaf < 15; ++leaf) {
            for (std::int32_t spine = 0; spine < spines; ++spine) edges.emplace_back(leaf, 15 + spine);
        }
        const Graph graph(names(15 + spines), 12, both_ways(edges));
        const ShortestPaths stored(graph);
        for (const std::size_t budget_bytes : {40, 45}) {  // a quarter has room for one column of four or five rows
            const ShortestPaths kept(graph, {}, {GraphRouting::kSpread, budget_bytes});
            EXPECT_FALSE(kept.has_table());
            expect_equal_routes(graph, stored, kept);
            EXPECT_EQ(kept.longest_route(), stored.longest_route());
        }
    }
}

TEST(GraphRoutes, of_a_switch_with_three_hundred_hosts_need_wider_numbers) {
    std::vector<std::pair<std::int32_t, std::int32_t>> star;
    for (std::int32_t v = 0; v < 300; ++v) star.emplace_back(v, 300);
    const Graph graph(names(301), 300, both_ways(star));
    const Network network = network_of(graph);
    EXPECT_EQ(route_names(network, 0, 299), (std::vector<std::string>{"(v0)->(v300)", "(v300)->(v299)"}));
    // only the switch has a table row, with two bytes per host
    EXPECT_TRUE(ShortestPaths(graph, {}, {GraphRouting::kSpread, 600}).has_table());
    EXPECT_FALSE(ShortestPaths(graph, {}, {GraphRouting::kSpread, 599}).has_table());
}

TEST(GraphRoutes, pass_faulty_nodes_and_say_when_none_does) {
    // a ring of 5 with v5 attached as a tail
    const Graph graph(names(6), 6, both_ways({{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 0}, {3, 5}}));
    EXPECT_EQ(network_of(graph).hops(NodeId(0), NodeId(2)), 2);
    const Network network = network_of(graph, {.faulty = {VertexId(1)}});
    EXPECT_EQ(network.hops(NodeId(0), NodeId(2)), 3);
    EXPECT_FALSE(network.find_cut_pair());
    EXPECT_FALSE(network.is_usable(NodeId(1)));
    EXPECT_EQ(network.usable_node_count(), 5);
    const Network cut = network_of(graph, {.faulty = {VertexId(3)}});
    const auto pair = cut.find_cut_pair();
    ASSERT_TRUE(pair);
    EXPECT_EQ(pair->destination, NodeId(0));
    EXPECT_EQ(pair->source, NodeId(5));
    EXPECT_EQ(pair->faulty, VertexId(3));
    std::vector<LinkId> links;
    EXPECT_THROW(cut.append_route(NodeId(5), NodeId(0), links), OptionError);
    EXPECT_THROW((void)ShortestPaths(graph, std::vector{VertexId(3)}, {GraphRouting::kSpread, 0})
                     .hops(graph, VertexId(5), VertexId(0)),
                 OptionError);
}

TEST(Graph, refuses_what_is_no_network) {
    EXPECT_THROW(Graph(names(2), 0, both_ways({{0, 1}})), OptionError);
    EXPECT_THROW(Graph(names(2), 3, both_ways({{0, 1}})), OptionError);
    EXPECT_THROW(Graph(names(2), 2, both_ways({{0, 2}})), OptionError);
    EXPECT_THROW(Graph(names(2), 2, {link(0, 0)}), OptionError);
    EXPECT_THROW(Graph(names(2), 2, {link(0, 1, 0), link(1, 0)}), OptionError);
    try {
        Graph(names(4), 3, both_ways({{0, 1}, {2, 3}}));
        FAIL();
    } catch (const OptionError& error) {
        EXPECT_STREQ(error.what(), "there is no path from 'v0' to 'v2'");
    }
    try {
        Graph(names(3), 3, {link(0, 1), link(1, 2), link(1, 0)});
        FAIL();
    } catch (const OptionError& error) {
        EXPECT_STREQ(error.what(), "there is no path from 'v2' to 'v0'");
    }
    EXPECT_NO_THROW(Graph(names(4), 2, both_ways({{0, 1}, {2, 3}})));  // switches may be unconnected
}

TEST(Graph, near_nodes_are_the_nearest_terminals) {
    // v0 v1 v2 under v4, v3 under v5
    const Graph graph(names(6), 4, both_ways({{0, 4}, {1, 4}, {2, 4}, {4, 5}, {5, 3}}));
    const Network network = network_of(graph);
    const auto near = [&](const Network& n, std::int32_t node) {
        const auto list = n.near_nodes(NodeId(node));
        return std::vector<NodeId>(list.begin(), list.end());
    };
    EXPECT_EQ(near(network, 1), (std::vector<NodeId>{NodeId(2), NodeId(0)}));
    EXPECT_EQ(near(network, 3), (std::vector<NodeId>{NodeId(0), NodeId(1), NodeId(2)}));
    EXPECT_EQ(near(network_of(graph, {.faulty = {VertexId(2)}}), 1), std::vector<NodeId>{NodeId(0)});
}

TEST(Graphml, has_names_bandwidths_latencies_and_terminals_first) {
    const Graph graph = parse_graphml(
        graphml(
            "undirected",
            "<node id=\"s&amp;1\"/><node id=\"a\"><data key=\"t\"> True </data></node>\n"
            "<node id='b'><data key=\"t\">1</data></node><node id=\"x\"><data key=\"t\">false</data></node>\n"
            "<edge source=\"s&#38;1\" target=\"a\"><data key=\"b\">5GB/s</data><data key=\"l\">100ns</data></edge>\n"
            "<edge source=\"b\" target=\"s&amp;1\"><data key=\"b\">2.5e9</data><data key=\"l\">1e-7</data></edge>\n"
            "<edge source=\"x\" target=\"a\"/>\n"),
        "g.xml", 7);
    EXPECT_EQ(graph.terminal_count(), 2);
    EXPECT_EQ(graph.vertex_name(VertexId(0)), "a");
    EXPECT_EQ(graph.vertex_name(VertexId(1)), "b");
    EXPECT_EQ(graph.vertex_name(VertexId(2)), "s&1");
    EXPECT_EQ(graph.vertex_name(VertexId(3)), "x");
    ASSERT_EQ(graph.link_count(), 6);
    EXPECT_EQ(graph.link(LinkId(0)), (Graph::Link{VertexId(2), VertexId(0), 5'000'000'000, 100'000}));
    EXPECT_EQ(graph.link(LinkId(1)), (Graph::Link{VertexId(0), VertexId(2), 5'000'000'000, 100'000}));
    EXPECT_EQ(graph.link(LinkId(2)), (Graph::Link{VertexId(1), VertexId(2), 2'500'000'000, 100'000}));
    EXPECT_EQ(graph.link(LinkId(4)), (Graph::Link{VertexId(3), VertexId(0), 7, std::nullopt}));
}

TEST(Graphml, edges_may_have_directions_of_their_own) {
    const Graph graph = parse_graphml(graphml("directed",
                                              "<edge source=\"a\" target=\"b\" directed=\"false\"/>\n"
                                              "<edge source=\"b\" target=\"c\"/><edge source=\"c\" target=\"a\"/>\n"
                                              "<node id=\"a\"/><node id=\"b\"/><node id=\"c\"/>\n"),
                                      "g.xml", 7);
    EXPECT_EQ(graph.link_count(), 4);
    EXPECT_EQ(graph.terminal_count(), 3);
    EXPECT_EQ(graph.vertex_name(VertexId(0)), "a");
}

TEST(Graphml, a_default_of_a_key_counts) {
    const Graph graph = parse_graphml(
        "<graphml><key id=\"t\" for=\"node\" attr.name=\"terminal\" attr.type=\"boolean\">"
        "<default>true</default></key><key id=\"b\" for=\"edge\" attr.name=\"bandwidth\" attr.type=\"long\">"
        "<default>12</default></key><graph edgedefault=\"undirected\"><node id=\"a\"/>"
        "<node id=\"s\"><data key=\"t\">false</data></node><edge source=\"a\" target=\"s\"/></graph></graphml>",
        "g.xml", std::nullopt);
    EXPECT_EQ(graph.terminal_count(), 1);
    EXPECT_EQ(graph.link(LinkId(0)).bandwidth_bytes_per_s, 12);
}

TEST(Graphml, comments_other_elements_and_byte_order_mark_are_passed_over) {
    const Graph graph = parse_graphml(
        "\xef\xbb\xbf<?xml version=\"1.0\"?><!-- <node> --><graphml><desc>x &lt; y</desc>"
        "<graph edgedefault=\"undirected\"><desc><![CDATA[<node]]></desc>"
        "<node id=\"\xe9\x85\x8d\"><port name=\"p\"/></node></graph></graphml> <!-- end -->",
        "g.xml", std::nullopt);
    EXPECT_EQ(graph.vertex_count(), 1);
    EXPECT_EQ(graph.vertex_name(VertexId(0)), "\xe9\x85\x8d");
}

TEST(Graphml, of_networkx_is_read) {
    // Like the output of nx.write_graphml() 3.x for a MultiDiGraph: a name with values of two types has two keys.
    const Graph graph = parse_graphml(
        "<?xml version='1.0' encoding='utf-8'?>\n"
        "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\" "
        "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" "
        "xsi:schemaLocation=\"http://graphml.graphdrawing.org/xmlns "
        "http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd\">\n"
        "<key id=\"d2\" for=\"edge\" attr.name=\"bandwidth\" attr.type=\"string\" />\n"
        "<key id=\"d1\" for=\"edge\" attr.name=\"bandwidth\" attr.type=\"double\" />\n"
        "<key id=\"d0\" for=\"node\" attr.name=\"terminal\" attr.type=\"boolean\" />\n"
        "<graph edgedefault=\"directed\"><node id=\"0\">\n  <data key=\"d0\">True</data>\n</node>\n<node id=\"1\" />\n"
        "<edge source=\"0\" target=\"1\" id=\"0\">\n  <data key=\"d1\">2500000000.0</data>\n</edge>\n"
        "<edge source=\"0\" target=\"1\" id=\"1\">\n  <data key=\"d2\">5GB/s</data>\n</edge>\n"
        "<edge source=\"1\" target=\"0\" id=\"0\"><data key=\"d1\">1e9</data></edge>\n</graph></graphml>\n",
        "g.xml", std::nullopt);
    EXPECT_EQ(graph.terminal_count(), 1);
    ASSERT_EQ(graph.link_count(), 3);
    EXPECT_EQ(graph.link(LinkId(0)).bandwidth_bytes_per_s, 2'500'000'000);
    EXPECT_EQ(graph.link(LinkId(1)).bandwidth_bytes_per_s, 5'000'000'000);
}

TEST(Graphml, of_igraph_is_read) {
    // Like the output of igraph's write_graph(format = "graphml"): prefixed key names, numbers as doubles.
    const Graph graph = parse_graphml(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\"\n"
        "         xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"\n"
        "         xsi:schemaLocation=\"http://graphml.graphdrawing.org/xmlns\n"
        "         http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd\">\n<!-- Created by igraph -->\n"
        "  <key id=\"v_terminal\" for=\"node\" attr.name=\"terminal\" attr.type=\"double\"/>\n"
        "  <key id=\"e_bandwidth\" for=\"edge\" attr.name=\"bandwidth\" attr.type=\"double\"/>\n"
        "  <key id=\"e_latency\" for=\"edge\" attr.name=\"latency\" attr.type=\"double\"/>\n"
        "  <graph id=\"G\" edgedefault=\"undirected\">\n    <node id=\"n0\">\n"
        "      <data key=\"v_terminal\">1</data>\n    </node>\n    <node id=\"n1\">\n"
        "      <data key=\"v_terminal\">1.0</data>\n    </node>\n"
        "    <edge source=\"n0\" target=\"n1\">\n      <data key=\"e_bandwidth\">5e+09</data>\n"
        "      <data key=\"e_latency\">1e-07</data>\n    </edge>\n  </graph>\n</graphml>\n",
        "g.xml", std::nullopt);
    EXPECT_EQ(graph.terminal_count(), 2);
    EXPECT_EQ(graph.link(LinkId(1)), (Graph::Link{VertexId(1), VertexId(0), 5'000'000'000, 100'000}));
}

TEST(Graphml, of_yed_is_read_and_its_groups_are_refused) {
    // Like the output of yEd 3.x: keys without names, drawings in their own namespace, data on the graph and at the
    // root.
    const std::string head =
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n"
        "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\" xmlns:y=\"http://www.yworks.com/xml/graphml\" "
        "xmlns:yed=\"http://www.yworks.com/xml/yed/3\">\n  <!--Created by yEd 3.22-->\n"
        "  <key attr.name=\"Description\" attr.type=\"string\" for=\"graph\" id=\"d0\"/>\n"
        "  <key for=\"port\" id=\"d1\" yfiles.type=\"portgraphics\"/>\n"
        "  <key for=\"node\" id=\"d6\" yfiles.type=\"nodegraphics\"/>\n"
        "  <key for=\"graphml\" id=\"d7\" yfiles.type=\"resources\"/>\n"
        "  <key attr.name=\"bandwidth\" attr.type=\"string\" for=\"edge\" id=\"d8\">\n    <default "
        "xml:space=\"preserve\">5GB/s</default>\n  </key>\n"
        "  <graph edgedefault=\"directed\" id=\"G\">\n    <data key=\"d0\" xml:space=\"preserve\"/>\n";
    const std::string node =
        "    <node id=\"n0\">\n      <data key=\"d6\">\n        <y:ShapeNode>\n          <y:NodeLabel "
        "alignment=\"center\">a"
        "<y:LabelModel><y:SmartNodeLabelModel distance=\"4.0\"/></y:LabelModel></y:NodeLabel>\n"
        "        </y:ShapeNode>\n      </data>\n      <port name=\"p\"><data key=\"d1\"><y:Port/></data></port>\n    "
        "</node>\n";
    const std::string tail = "  </graph>\n  <data key=\"d7\">\n    <y:Resources/>\n  </data>\n</graphml>\n";
    const Graph graph = parse_graphml(head + node +
                                          "<node id=\"n1\"/>\n"
                                          "<edge id=\"e0\" source=\"n0\" sourceport=\"p\" target=\"n1\"/>\n"
                                          "<edge id=\"e1\" source=\"n1\" target=\"n0\"/>\n" +
                                          tail,
                                      "g.xml", std::nullopt);
    EXPECT_EQ(graph.link_count(), 2);
    EXPECT_EQ(graph.link(LinkId(1)), (Graph::Link{VertexId(1), VertexId(0), 5'000'000'000, std::nullopt}));
    const std::string group =
        "    <node id=\"n0\" yfiles.foldertype=\"group\">\n      <graph edgedefault=\"directed\" id=\"n0:\"/></node>\n";
    EXPECT_THROW((void)parse_graphml(head + group + tail, "g.xml", std::nullopt), InputError);
}

TEST(Graphml, of_gephi_is_read) {
    // Gephi's own keys come first; a key without a name is identified by its id.
    const Graph graph = parse_graphml(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?><graphml "
        "xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
        "<key attr.name=\"label\" attr.type=\"string\" for=\"node\" id=\"label\"/>\n"
        "<key attr.name=\"r\" attr.type=\"int\" for=\"node\" id=\"r\"/>\n"
        "<key attr.name=\"weight\" attr.type=\"double\" for=\"edge\" id=\"weight\"/>\n"
        "<key id=\"bandwidth\"/>\n"
        "<graph edgedefault=\"undirected\">\n<node id=\"0\">\n<data key=\"label\">a</data>\n<data key=\"r\">0</data>\n"
        "</node>\n<node id=\"1\"><data key=\"bandwidth\">passed over</data></node>\n"
        "<edge id=\"0\" source=\"0\" target=\"1\">\n<data key=\"weight\">1.0</data>\n"
        "<data key=\"bandwidth\">\n<![CDATA[4]]>e9 </data>\n</edge>\n</graph>\n</graphml>\n",
        "g.xml", std::nullopt);
    EXPECT_EQ(graph.link(LinkId(0)).bandwidth_bytes_per_s, 4'000'000'000);
}

TEST(Graphml, may_have_a_prefix_or_another_encoding) {
    const std::string body =
        "<g:graph edgedefault=\"undirected\"><g:node id=\"\xc3\xa4\"/><graph edgedefault=\"directed\"/></g:graph>";
    const std::string utf8 = "<g:graphml xmlns:g=\"http://graphml.graphdrawing.org/xmlns\">" + body + "</g:graphml>";
    EXPECT_EQ(parse_graphml(utf8, "g.xml", std::nullopt).vertex_name(VertexId(0)), "\xc3\xa4");
    const std::string latin1 =
        "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><graphml><graph edgedefault=\"directed\"><node "
        "id=\"\xe4\"/></graph>"
        "</graphml>";
    EXPECT_EQ(parse_graphml(latin1, "g.xml", std::nullopt).vertex_name(VertexId(0)), "\xc3\xa4");
    std::string utf16 = "\xff\xfe";
    for (const char c : std::string("<graphml><graph edgedefault=\"directed\"><node id=\"a\"/></graph></graphml>")) {
        utf16 += c;
        utf16 += '\0';
    }
    EXPECT_EQ(parse_graphml(utf16, "g.xml", std::nullopt).vertex_name(VertexId(0)), "a");
}

TEST(GraphMachine, is_read_beside_its_machine_file) {
    const testing_files::TemporaryFolder folder;
    (void)folder.written("x.graphml",
                         graphml("undirected", "<node id=\"a\"/><node id=\"b\"/><edge source=\"a\" target=\"b\"/>"));
    const std::string path = folder.written("m.json",
                                            R"({"schema": "haichi-machine/1",
"topology": {"kind": "graph", "file": "x.graphml"}, "routing": {"kind": "shortest-path"}, "faulty": [1],
"link": {"bandwidth": "3GB/s"}, "node": {"slots": 4}})");
    const Machine machine = load_machine(path);
    const Graph& graph = value_of<Graph>(*machine.topology);
    EXPECT_EQ(graph.link(LinkId(1)).bandwidth_bytes_per_s, 3'000'000'000);
    EXPECT_EQ(machine.faulty, std::vector{VertexId(1)});
    const Allocation job = allocate(machine, {.ranks_per_node = 4});
    EXPECT_EQ(job.network.routing_name(), "shortest-path");
    EXPECT_EQ(job.network.node_name(NodeId(1)), "(b)");
    EXPECT_EQ(job.network.usable_node_count(), 1);
    EXPECT_EQ(job.machine_coordinates(NodeId(1)), Coordinates{1});
    const std::string list = folder.written("nodes", "1\n0\n");
    const Allocation some = allocate(load_machine(path), {.nodes = list});
    EXPECT_EQ(some.network.node_name(NodeId(0)), "(b)");
    EXPECT_FALSE(some.network.is_usable(NodeId(0)));
}

TEST(GraphMachine, takes_no_shape_origin_or_other_routing) {
    const testing_files::TemporaryFolder folder;
    const std::string path =
        folder.written("y.graphml", graphml("undirected",
                                            "<node id=\"a\"/><node id=\"b\"/><edge source=\"a\" target=\"b\">"
                                            "<data key=\"b\">5GB/s</data></edge>"));
    const Machine machine = load_machine("graph:" + path);
    EXPECT_EQ(machine.link_bandwidth_bytes_per_s, 5'000'000'000);
    EXPECT_NO_THROW((void)allocate(machine, {.shape = {2}}));
    EXPECT_THROW((void)allocate(machine, {.shape = {1}}), OptionError);
    EXPECT_THROW((void)allocate(machine, {.origin = {0}}), OptionError);
    EXPECT_THROW((void)allocate(machine, {.routing = "s-mod-k"}), OptionError);
    EXPECT_THROW((void)allocate(machine, {.fold = "mesh"}), UnsupportedError);
}

TEST(HopDistance, of_a_graph_is_a_table_well_beyond_a_grids_size) {
    std::vector<std::pair<std::int32_t, std::int32_t>> star;
    for (std::int32_t v = 0; v < 2000; ++v) star.emplace_back(v, 2000);
    const Network network = network_of(Graph(names(2001), 2000, both_ways(star)), {.count_nic = true});
    const HopDistance distance(network);
    EXPECT_EQ(distance.path(), HopDistance::Path::kTable8);
    EXPECT_EQ(distance(NodeId(3), NodeId(1999)), 4);
    EXPECT_EQ(distance(NodeId(3), NodeId(3)), 0);
    EXPECT_EQ(HopDistance(network, {.walked_table_budget_bytes = 0}).path(), HopDistance::Path::kNetwork);
    EXPECT_EQ(network.largest_out_degree(), 1);
}

}  // namespace
}  // namespace haichi
