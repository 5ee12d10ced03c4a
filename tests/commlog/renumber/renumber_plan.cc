#include "commlog/renumber/plan.h"

#include <gtest/gtest.h>

#include "base/errors.h"
#include "tests/base/temporary_folder.h"

namespace haichi::renumber {
namespace {

using testing_files::written;

/// Two processes on each node of a 2 x 2 grid, in the order of the machine: (0,0) (0,0) (0,1) (0,1) (1,0) ..
std::vector<Process> two_on_each_node() {
    std::vector<Process> processes;
    for (int x = 0; x < 2; ++x) {
        for (int y = 0; y < 2; ++y) {
            processes.push_back({std::string(1, static_cast<char>('a' + 2 * x + y)), {x, y}});
            processes.push_back(processes.back());
        }
    }
    return processes;
}

std::string why(const std::string& map) {
    try {
        (void)program_ranks(two_on_each_node(), {2, 2}, written("map", map));
    } catch (const InputError& error) {
        const std::string text = error.what();
        return text.substr(text.find("map") + 3);
    }
    return "";
}

TEST(RenumberPlan, ranks_go_to_the_processes_of_their_nodes_in_rank_order) {
    // Ranks 0 and 4 are on (1,1), 1 and 5 on (0,0), 2 and 6 on (1,0), 3 and 7 on (0,1).
    const std::string map = written("map", "1 1\n0 0\n1 0\n0 1 # comment\n\n1 1\r\n0 0\n1 0\n0 1");
    EXPECT_EQ(program_ranks(two_on_each_node(), {2, 2}, map), (std::vector<int>{1, 5, 3, 7, 2, 6, 0, 4}));
}

TEST(RenumberPlan, cores_decide_the_order_on_a_node) {
    const std::string map = written("map", "1 1 1\n0 0 0\n1 0 1\n0 1 0\n1 1 0\n0 0 1\n1 0 0\n0 1 1\n");
    EXPECT_EQ(program_ranks(two_on_each_node(), {2, 2}, map), (std::vector<int>{1, 5, 3, 7, 6, 2, 4, 0}));
}

TEST(RenumberPlan, a_mapping_of_haichi_numbers_nodes_with_the_last_axis_fastest) {
    const std::string map =
        written("map", "{\"schema\": \"haichi-mapping/1\", \"shape\": [2, 2], \"node_of_rank\": [3,0,2,1,3,0,2,1]}");
    EXPECT_EQ(program_ranks(two_on_each_node(), {2, 2}, map), (std::vector<int>{1, 5, 3, 7, 2, 6, 0, 4}));
}

TEST(RenumberPlan, maps_that_do_not_fit_are_refused_with_their_line) {
    EXPECT_EQ(why("0 0\n"), ": the map has 1 rank, but the job has 8 processes");
    EXPECT_EQ(why(""), ": the map has 0 ranks, but the job has 8 processes");
    EXPECT_EQ(why("0 0\n0 2\n"), ":2: coordinate 2 on axis 1 is outside the shape 2x2");
    EXPECT_EQ(why("0 0\n0 -1\n"), ":2: expected a coordinate, found '-1'");
    EXPECT_EQ(why("0 0\n0 99999999999999\n"), ":2: expected a coordinate, found '99999999999999'");
    EXPECT_EQ(why("0 0 0\n0 0\n"), ":2: expected 2 coordinates and optionally a core in every line, found 2 words");
    EXPECT_EQ(why("0 0\n0 0\n0 0\n0 1\n1 0\n1 0\n1 1\n1 1\n"),
              ":3: the map puts 3 ranks on node (0,0), which has 2 processes");
    EXPECT_EQ(why("{\"node_of_rank\": [0, 4]}"), ":1: the shape 2x2 has no node 4");
    EXPECT_EQ(why("{\"node_of_rank\": [0, -1]}"), ":1: the shape 2x2 has no node -1");
    EXPECT_EQ(why("{\"node_of_rank\": [0, 0.5]}"), ":1: the shape 2x2 has no node 0.5");
    EXPECT_EQ(why("{\"node_of_rank\": 3}"), ":1: a JSON map requires a list \"node_of_rank\"");
}

TEST(RenumberPlan, a_rank_on_a_node_without_a_process_is_refused) {
    std::vector<Process> processes = two_on_each_node();
    processes.resize(6);
    EXPECT_THROW((void)program_ranks(processes, {2, 2}, written("map", "0 0\n0 0\n0 1\n0 1\n1 0\n1 1\n")), InputError);
}

TEST(CoordinateTable, names_hosts_with_or_without_their_domain_and_ranks_first) {
    std::vector<Process> processes = {{"a.cluster", {}}, {"b", {}}, {"b", {}}};
    read_coordinate_table(written("table", "a 0 0 # first\nb 0 1\nrank 2 1 0\n"), processes);
    EXPECT_EQ(processes[0].node, (Coordinates{0, 0}));
    EXPECT_EQ(processes[1].node, (Coordinates{0, 1}));
    EXPECT_EQ(processes[2].node, (Coordinates{1, 0}));
    EXPECT_EQ(shape_of(processes), (Coordinates{2, 2}));
}

TEST(CoordinateTable, refuses_what_it_cannot_mean) {
    for (const char* text : {"a\n", "rank 0\n", "rank x 0\n", "a 0\na 1\n", "rank 0 1\nrank 0 1\n", "a 0 0\nb 0\n",
                             "a 0 0 0 0 0 0 0 0 0 0 0 0 0\n", "b 0\n", "a x\n"}) {
        std::vector<Process> processes = {{"a", {}}};
        EXPECT_THROW(read_coordinate_table(written("table", text), processes), InputError) << text;
    }
}

TEST(RenumberShape, is_written_and_read_as_in_haichi) {
    EXPECT_EQ(shape_text({1, 2, 4, 2, 3, 2}), "1x2x4x2x3x2");
    EXPECT_EQ(parse_shape("1x2x4x2x3x2"), (Coordinates{1, 2, 4, 2, 3, 2}));
    for (const char* text : {"", "x", "1x", "0x1", "1x-1", "a", "1x1x1x1x1x1x1x1x1x1x1x1x1"}) {
        EXPECT_THROW((void)parse_shape(text), InputError) << text;
    }
    EXPECT_THROW((void)shape_of({{"a", {}}}), InputError);
}

}  // namespace
}  // namespace haichi::renumber
