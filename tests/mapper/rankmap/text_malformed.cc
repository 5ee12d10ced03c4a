#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/errors.h"
#include "tests/mapper/rankmap/rankmap_job.h"

namespace haichi {
namespace {

struct MalformedMapText {
    std::string name;
    std::string format;
    std::string text;
    std::string start;                ///< start of the message: file and line
    std::vector<std::string> quoted;  ///< texts that the message must mention
    std::string hint;                 ///< part of the hint; "" for any
};

void PrintTo(const MalformedMapText& file, std::ostream* os) { *os << file.name; }

class RankMapMalformed : public testing::TestWithParam<MalformedMapText> {};

/// Three ranks on the mesh 10x3 (nodes (0,0) to (9,2)), two ranks per node. If the name starts with "tree": on the tree
/// of 16 terminals.
TEST_P(RankMapMalformed, is_an_error_that_names_the_line_and_the_value) {
    const MalformedMapText& file = GetParam();
    const bool tree = file.name.starts_with("tree");
    const Allocation job = rankmap_job(tree ? "fattree:2x4" : "mesh:10x3", {}, 2);
    try {
        (void)parse_rank_map(file.text, "map", file.format, {&job, 3});
        FAIL() << "was read";
    } catch (const InputError& error) {
        const std::string message = error.what();
        EXPECT_TRUE(message.starts_with(file.start)) << message;
        for (const std::string& part : file.quoted) EXPECT_NE(message.find(part), std::string::npos) << message;
        EXPECT_NE(error.hint().find(file.hint), std::string::npos) << error.hint();
    }
}

std::vector<MalformedMapText> files() {
    return {
        {"fujitsu_empty", "fujitsu", "", "map: ", {"0 lines for 3 ranks"}, "INVALID HOSTFILE"},
        {"fujitsu_one_line_too_few", "fujitsu", "(0,0)\n(0,1)\n", "map: ", {"2 lines for 3 ranks"}, "INVALID HOSTFILE"},
        {"fujitsu_one_line_too_many",
         "fujitsu",
         "(0,0)\n(0,1)\n(1,1)\n(2,2)\n",
         "map: ",
         {"4 lines for 3 ranks"},
         "INVALID HOSTFILE"},
        {"fujitsu_position_among_coordinates", "fujitsu", "(0,0)\n(1)\n", "map:2: ", {"'(1)' has 1 coordinate"}, ""},
        {"fujitsu_coordinates_among_positions", "fujitsu", "(0)\n(0,1)\n", "map:2: ", {"'(0,1)'", "position"}, ""},
        {"tofu6d_cr_alone", "tofu6d", "0 0 0\r0 1 0\r", "map:1: ", {"carriage return", "'0 0 0\\x0d0 1 0"}, "CR LF"},
        {"tofu6d_cr_alone_after_a_comment", "tofu6d", "0 0 0\n# a\r0 1 0\n", "map:2: ", {"carriage return"}, "CR LF"},
        {"fujitsu_comment", "fujitsu", "(0,0)\n# next\n(0,1)\n(1,1)\n", "map:2: ", {"comment", "'# next'"}, ""},
        {"fujitsu_comment_behind", "fujitsu", "(0,0) # rank 0\n", "map:1: ", {"comment"}, ""},
        {"fujitsu_blank_line", "fujitsu", "(0,0)\n\n(0,1)\n(1,1)\n", "map:2: ", {"blank line"}, ""},
        {"fujitsu_blank_line_at_the_end", "fujitsu", "(0,0)\n(0,1)\n(1,1)\n\n", "map:4: ", {"blank line"}, ""},
        {"fujitsu_blank_inside", "fujitsu", "(0, 0)\n", "map:1: ", {"(x,y) without blanks", "'(0, 0)'"}, ""},
        {"fujitsu_blank_before", "fujitsu", " (0,0)\n", "map:1: ", {"' (0,0)'"}, ""},
        {"fujitsu_tab", "fujitsu", "(0,\t0)\n", "map:1: ", {"\\x09"}, ""},
        {"fujitsu_no_parentheses", "fujitsu", "0,0\n", "map:1: ", {"expected coordinates (x,y)", "'0,0'"}, ""},
        {"fujitsu_not_closed", "fujitsu", "(0,0\n", "map:1: ", {"'(0,0'"}, ""},
        {"fujitsu_two_on_a_line", "fujitsu", "(0,0)(0,1)\n", "map:1: ", {"'(0,0)(0,1)'"}, ""},
        {"fujitsu_empty_parentheses", "fujitsu", "()\n", "map:1: ", {"'()'"}, ""},
        {"fujitsu_no_number", "fujitsu", "(,0)\n", "map:1: ", {"expected a whole number, found ''"}, ""},
        {"fujitsu_too_few_coordinates",
         "fujitsu",
         "(0,0)\n(30)\n",
         "map:2: ",
         {"invalid coordinates: '(30)'", "10x3"},
         ""},
        {"fujitsu_too_many_coordinates", "fujitsu", "(0,0)\n(1,1,1)\n", "map:2: ", {"(x,y)", "'(1,1,1)'"}, ""},
        {"fujitsu_outside", "fujitsu", "(0,0)\n(0,3)\n", "map:2: ", {"'(0,3)'", "invalid coordinates", "10x3"}, ""},
        {"fujitsu_negative", "fujitsu", "(-1,0)\n", "map:1: ", {"'-1'"}, ""},
        {"fujitsu_huge",
         "fujitsu",
         "(99999999999999999999,0)\n",
         "map:1: ",
         {"'99999999999999999999' is too large"},
         ""},
        {"fujitsu_not_decimal", "fujitsu", "(0x1,0)\n", "map:1: ", {"'(0x1,0)'"}, ""},
        {"fujitsu_binary", "fujitsu", std::string("\x7f\0\x01\n", 4), "map:1: ", {"\\x7f\\x00"}, ""},
        {"fujitsu_nul_behind", "fujitsu", std::string("(0,0)\0\n", 7), "map:1: ", {"\\x00"}, ""},
        {"fujitsu_old_mac_line_ends", "fujitsu", "(0,0)\r(0,1)\r(1,1)\r", "map:1: ", {"\\x0d"}, ""},
        {"fujitsu_node_too_full",
         "fujitsu",
         "(4,1)\n(4,1)\n(4,1)\n",
         "map:3: ",
         {"rank 2", "does not fit on node (4,1)", "at most 2"},
         "§ppn"},

        {"tofu6d_empty", "tofu6d", "# nothing\n\n", "map: ", {"0 records for 3 ranks"}, ""},
        {"tofu6d_too_few_records", "tofu6d", "0 0\n0 1\n", "map: ", {"2 records for 3 ranks"}, ""},
        {"tofu6d_one_number",
         "tofu6d",
         "0\n",
         "map:1: ",
         {"expected 2 machine coordinates, optionally followed by a core number", "'0'"},
         ""},
        {"tofu6d_four_numbers", "tofu6d", "# a\n0 0 0 0\n", "map:2: ", {"'0 0 0 0'"}, ""},
        {"tofu6d_cores_on_some_lines_only",
         "tofu6d",
         "0 0 1\n0 1\n",
         "map:2: ",
         {"expected 2 machine coordinates and a core number"},
         ""},
        {"tofu6d_core_too_large",
         "tofu6d",
         "0 0 2\n",
         "map:1: ",
         {"invalid core: 2 (a node has the rank slots 0..1)"},
         "§ppn"},
        {"tofu6d_core_twice", "tofu6d", "0 0 1\n\n0 0 1\n", "map:3: ", {"core 1 of node (0,0)", "line 1"}, ""},
        {"tofu6d_outside", "tofu6d", "0 3\n", "map:1: ", {"'3' is too large (at most 2)"}, ""},
        {"tofu6d_negative", "tofu6d", "0 -1\n", "map:1: ", {"'-1'"}, ""},
        {"tofu6d_word", "tofu6d", "0 one\n", "map:1: ", {"'one'"}, ""},
        {"tofu6d_fraction", "tofu6d", "0 1.0\n", "map:1: ", {"'1.0'"}, ""},

        {"nsim_too_few_records", "nsim", "0 0 0\n", "map: ", {"1 record for 3 ranks"}, ""},
        {"nsim_rank_twice", "nsim", "0 0 0\n1 0 1\n0 1 1\n", "map:3: ", {"rank 0", "line 1"}, ""},
        {"nsim_rank_outside", "nsim", "0 0 0\n3 0 1\n", "map:2: ", {"'3' is too large (at most 2)"}, ""},
        {"nsim_no_address", "nsim", "0\n", "map:1: ", {"a rank and 2 machine coordinates", "'0'"}, ""},
        {"nsim_long_address", "nsim", "0 1 1 1\n", "map:1: ", {"'0 1 1 1'"}, ""},
        {"nsim_node_outside", "nsim", "0 10 0\n", "map:1: ", {"'10' is too large (at most 9)"}, ""},
        {"tree_nsim_node_outside", "nsim", "0 16\n", "map:1: ", {"no node (16)"}, ""},
        {"tree_nsim_word", "nsim", "0 n16\n", "map:1: ", {"'n16'"}, ""},
        {"nsim_huge_rank", "nsim", "123456789012345678901 0 0\n", "map:1: ", {"too large"}, ""},

        {"unknown_text", "", "hello\n", "map:1: ", {"unknown rank-map format", "'hello'"}, "fujitsu"},
        {"unknown_number_of_columns", "", "\n1 2 3 4 5\n", "map:2: ", {"'1 2 3 4 5'"}, "-f FORMAT"},
        {"unknown_empty", "", "", "map: ", {"empty"}, ""},
    };
}

INSTANTIATE_TEST_SUITE_P(Files, RankMapMalformed, testing::ValuesIn(files()),
                         [](const auto& tested) { return tested.param.name; });

TEST(RankMapMalformedCounts, a_map_of_any_length_may_not_exceed_the_slots) {
    const Allocation job = rankmap_job("mesh:2", {}, 1);
    try {
        (void)parse_rank_map("(0)\n(1)\n(0)\n", "map", "fujitsu", {&job, 0});
        FAIL();
    } catch (const InputError& error) {
        EXPECT_STREQ(error.what(), "map: 3 lines, but the job has only 2 rank slots");
    }
}

TEST(RankMapMalformedCounts, missing_ranks_of_a_map_of_any_length_are_named) {
    const Allocation job = rankmap_job("mesh:9", {}, 1);
    try {
        (void)parse_rank_map("0 0\n5 1\n", "map", "nsim", {&job, 0});
        FAIL();
    } catch (const InputError& error) {
        EXPECT_STREQ(error.what(), "map: rank 1 and 3 more have no record");
    }
}

TEST(RankMapMalformedCounts, nodes_of_the_machine_outside_the_job_are_no_nodes) {
    const Allocation job = rankmap_job("fx10-kyushu", {1, 1, 1, 2, 3, 2}, 1, "default", {1, 0, 0, 0, 0, 0});
    EXPECT_THROW((void)parse_rank_map("0 0 0 0 0 0\n", "map", "tofu6d", {&job, 0}), InputError);
    EXPECT_NO_THROW((void)parse_rank_map("1 0 0 0 0 0\n", "map", "tofu6d", {&job, 0}));
}

}  // namespace
}  // namespace haichi
