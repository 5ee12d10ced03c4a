// Node lists by name: the forms that schedulers and MPI launchers write.

#include <gtest/gtest.h>

#include <tuple>

#include "base/errors.h"
#include "netmodel/machine/allocation.h"
#include "netmodel/routing/graph_topology.h"

namespace haichi {
namespace {

using Strings = std::vector<std::string>;

/// A star whose nodes have these names.
Machine star(const Strings& nodes) {
    Strings names = nodes;
    names.emplace_back("switch");
    const auto count = static_cast<std::int32_t>(nodes.size());
    std::vector<Graph::Link> links;
    for (std::int32_t n = 0; n < count; ++n) {
        links.push_back({VertexId(n), VertexId(count), 1'000'000'000, {}});
        links.push_back({VertexId(count), VertexId(n), 1'000'000'000, {}});
    }
    Machine machine;
    machine.name = "star";
    machine.topology = graph_topology(Graph(names, count, links));
    machine.routing = machine.topology->routing("");
    machine.link_bandwidth_bytes_per_s = 1'000'000'000;
    return machine;
}

Strings n1_to_n6() { return {"n1", "n2", "n3", "n4", "n5", "n6"}; }

ListedNodes listed(const std::string& text, const Machine& machine) {
    return parse_node_list(text, "nodes", machine, [&] { return node_names(*machine.topology); });
}

std::string error_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& error) {
        return std::string(error.what()) + " | " + error.hint();
    }
    return "no error";
}

TEST(NodeListOfNames, has_one_of_the_forms_of_schedulers_and_launchers) {
    const Machine machine = star(n1_to_n6());
    for (const auto& [text, names] : std::vector<std::pair<std::string, Strings>>{
             {"n3\nn1 # the first\n", {"n3", "n1"}},
             {"n[2-3,6]\n", {"n2", "n3", "n6"}},
             {"n2,n1\n", {"n2", "n1"}},
             {"n[1-5:2]\n", {"n1", "n3", "n5"}},
             {"n{1..2}\n", {"n1", "n2"}},
             {"{n2,n4}\n", {"n2", "n4"}},
             {"n1 n4 n2\n", {"n1", "n4", "n2"}},
         }) {
        const ListedNodes list = listed(text, machine);
        EXPECT_EQ(list.names, names) << text;
        EXPECT_TRUE(list.slots.empty()) << text;
        EXPECT_EQ(list.ranks_per_node({}), 1) << text;
    }
}

TEST(NodeListOfNames, states_rank_slots_in_the_forms_of_launchers) {
    const Machine machine = star(n1_to_n6());
    for (const char* text : {
             "n3\nn3\nn1\nn1\n",                                 // PBS, LSF
             "n3 slots=2 max_slots=4\nn1 slots=2\n",             // Open MPI
             "n3:2\nn1:2\n",                                     // MPICH
             "n3 2\nn1 2\n",                                     // core counts
             "n3 np=2\nn1 np=2\n",                               // Torque
             "n3 2 all.q@n3 UNDEFINED\nn1 2 all.q@n1 <NULL>\n",  // SGE
             "n3 2 n1 2\n",                                      // LSB_MCPU_HOSTS
             "n3,n1\nn1,n3\n",                                   // each name twice
             "n3:2\nn1\nn1\n",                                   // mixed
         }) {
        const ListedNodes list = listed(text, machine);
        EXPECT_EQ(list.names, (Strings{"n3", "n1"})) << text;
        EXPECT_EQ(list.ranks_per_node({}), 2) << text;
        EXPECT_EQ(list.ranks_per_node(1), 1) << text;
        EXPECT_EQ(error_of([&] { (void)list.ranks_per_node(3); }).substr(0, 6), "nodes:") << text;
    }
}

TEST(NodeListOfNames, may_state_different_slots) {
    const Machine machine = star(n1_to_n6());
    for (const char* text :
         {"n1 slots=4\nn2 slots=2\n", "n1:4,n2:2\n", "n1\nn1\nn2\nn1\nn1\nn2\n", "n1:3 n[1-2],n2\n"}) {
        const ListedNodes list = listed(text, machine);
        EXPECT_EQ(list.ranks_per_node({}), 4) << text;
        EXPECT_EQ(list.slots_of_node({}), (std::vector{4, 2})) << text;
        EXPECT_EQ(list.ranks_per_node(2), 2) << text;
        EXPECT_TRUE(list.slots_of_node(2).empty()) << text;
    }
    const ListedNodes list = listed("n1 slots=4\nn2 slots=2\n", machine);
    EXPECT_EQ(error_of([&] { (void)list.ranks_per_node(3); }),
              "nodes:2: node 'n2' has 2 rank slots for 3 ranks per node | use §ppn 2, or leave §ppn out");
    EXPECT_TRUE(listed("n1:2,n2:2\n", machine).slots_of_node({}).empty());
}

TEST(NodeListOfNames, accepts_a_domain_that_only_one_side_has) {
    const Machine machine = star({"a.x.org", "b.x.org", "c"});
    EXPECT_EQ(listed("b\nc.x.org\na.x.org\n", machine).nodes, (std::vector{VertexId(1), VertexId(2), VertexId(0)}));
    EXPECT_NE(error_of([&] { (void)listed("b.y.org\n", machine); }).find("'b.y.org'"), std::string::npos);
    const Machine twins = star({"a.x.org", "a.y.org"});
    EXPECT_NE(error_of([&] { (void)listed("a\n", twins); }).find("'a'"), std::string::npos);
}

TEST(NodeListOfNames, is_refused_with_the_line_and_the_name) {
    const Machine machine = star(n1_to_n6());
    for (const auto& [text, line, value] : std::vector<std::tuple<std::string, std::string, std::string>>{
             {"n1\nn7\n", "nodes:2: ", "'n7'"},
             {"n[1-7]\n", "nodes:1: ", "'n7'"},
             {"n[1-\n", "nodes:1: ", "brackets"},
             {"n1 slots=0\n", "nodes:1: ", "0 rank slots"},
             {"n1 slots=x\n", "nodes:1: ", "'x'"},
             {"n1 color=2\n", "nodes:1: ", "'color'"},
             {"n1:2:3\n", "nodes:1: ", "'2:3'"},
             {"n1\n0\n", "nodes:2: ", "duplicate node '0' on lines 1 and 2"},
         }) {
        const std::string error = error_of([&, text = text] { (void)listed(text, machine); });
        EXPECT_TRUE(error.starts_with(line)) << error;
        EXPECT_NE(error.find(value), std::string::npos) << error;
    }
    EXPECT_NE(error_of([&] { (void)listed("n1\n", load_machine("torus:4")); }).find("§hosts"), std::string::npos);
}

TEST(NodeListOption, is_a_list_if_it_has_a_comma_or_brackets_and_no_such_file_exists) {
    const Machine machine = star(n1_to_n6());
    const auto hosts = [&](const NodeList& nodes) { return allocate(machine, {.nodes = nodes}).host_names; };
    EXPECT_EQ(hosts("n2,n1"), (Strings{"n2", "n1"}));
    EXPECT_EQ(hosts("n[1-2,5]"), (Strings{"n1", "n2", "n5"}));
    EXPECT_EQ(hosts("n4"), (Strings{"n4"}));
    EXPECT_EQ(hosts(Strings{"n4", "n2"}), (Strings{"n4", "n2"}));
    EXPECT_EQ(hosts("1,3"), (Strings{"n2", "n4"})) << "numbers; the names are those of the network";
    EXPECT_EQ(hosts(NodeList{}), n1_to_n6());
    EXPECT_NE(error_of([&] { (void)hosts("n9"); }).find("cannot read n9"), std::string::npos);
    EXPECT_EQ(allocate(machine, {.nodes = "n[1-3]", .faulty = "n2,n6"}).network.usable_node_count(), 2);
}

TEST(NodeNamesOfAMachine, are_host_names_only_if_schedulers_can_use_them) {
    EXPECT_TRUE(allocate(star({"0", "1"}), {}).host_names.empty()) << "numbers";
    EXPECT_TRUE(allocate(star({"a", "b c"}), {}).host_names.empty());
    EXPECT_TRUE(allocate(load_machine("torus:2x2"), {}).host_names.empty());
}

}  // namespace
}  // namespace haichi
