// Malformed node lists and coordinate tables cause an InputError with the file, the line and the value.

#include <gtest/gtest.h>

#include <fstream>
#include <ostream>

#include "base/errors.h"
#include "netmodel/machine/allocation.h"
#include "tests/base/temporary_folder.h"

namespace haichi {
namespace {

struct BrokenList {
    std::string claim;
    std::string text;
    std::string line;   ///< expected right after the file's name
    std::string value;  ///< expected somewhere in the message

    friend void PrintTo(const BrokenList& broken, std::ostream* out) { *out << broken.claim; }
};

using testing_files::written;

void expect_input_error(const AllocationRequest& request, const std::string& path, const BrokenList& broken) {
    try {
        (void)allocate(load_machine("mesh:2x3"), request);
        FAIL() << "accepted:\n" << broken.text;
    } catch (const InputError& error) {
        const std::string what = error.what();
        EXPECT_TRUE(what.starts_with(path + broken.line)) << what;
        EXPECT_NE(what.find(broken.value), std::string::npos) << what;
    }
}

class BrokenNodeList : public ::testing::TestWithParam<BrokenList> {};

TEST_P(BrokenNodeList, is_refused_with_place_and_value) {
    const std::string path = written("list_" + GetParam().claim, GetParam().text);
    expect_input_error({.nodes = path}, path, GetParam());
}

INSTANTIATE_TEST_SUITE_P(, BrokenNodeList,
                         ::testing::ValuesIn(std::vector<BrokenList>{
                             {"empty", "", ": ", "node list is empty"},
                             {"only_comments", "# a\n\n# b\n", ":3: ", "node list is empty"},
                             {"cr_alone_like_coordinates", "0\r1\r", ":1: ", "carriage return"},
                             {"cr_alone_after_a_comment", "0\r\n# a\r1\n", ":2: ", "carriage return"},
                             {"number_outside", "0\n6\n", ":2: ", "6"},
                             {"number_huge", "99999999999999999999\n", ":1: ", "99999999999999999999"},
                             {"number_negative", "-1\n", ":1: ", "-1"},
                             {"no_number", "0\nnode3\n", ":2: ", "node3"},
                             {"fraction", "1.5\n", ":1: ", "1.5"},
                             {"coordinate_outside", "0 0\n1 3\n", ":2: ", "3"},
                             {"too_many_coordinates", "0 0 0\n", ":1: ", "0 0 0"},
                             {"same_number_twice", "4\n1\n4\n", ":3: ", "duplicate node '4' on lines 1 and 3"},
                             {"number_and_coordinates_of_one_node", "4\n(1,1)\n",
                              ":2: ", "duplicate node '(1,1)' on lines 1 and 2"},
                             {"binary", std::string("\x01\xff\n", 3), ":1: ", "\\x01"},
                             {"nul_byte", std::string("1\n\0\n", 4), ":2: ", "NUL"},
                         }),
                         [](const auto& test) { return test.param.claim; });

TEST_P(BrokenNodeList, is_refused_as_a_list_of_faulty_nodes_too) {
    const std::string path = written("faulty_" + GetParam().claim, GetParam().text);
    if (GetParam().claim == "empty" || GetParam().claim == "only_comments") {
        AllocationRequest request;
        request.faulty = path;
        EXPECT_NO_THROW(allocate(load_machine("fx10-kyushu"), request)) << "no node is faulty";
        return;
    }
    expect_input_error({.faulty = path}, path, GetParam());
}

class BrokenCoordinateTable : public ::testing::TestWithParam<BrokenList> {};

TEST_P(BrokenCoordinateTable, is_refused_with_place_and_value) {
    const std::string path = written("table_" + GetParam().claim, GetParam().text);
    expect_input_error({.shape = {2, 2}, .fold = path}, path, GetParam());
}

// The job is 2x2, so a valid table is "0 0 0", "1 0 1", "2 1 0", "3 1 1".
INSTANTIATE_TEST_SUITE_P(, BrokenCoordinateTable,
                         ::testing::ValuesIn(std::vector<BrokenList>{
                             {"empty", "", ": ", "0 of the job's 4"},
                             {"only_comments", "# nothing\n", ":1: ", "0 of the job's 4"},
                             {"too_few_numbers", "0 0\n", ":1: ", "2 columns"},
                             {"too_many_numbers", "0 0 0 0 0 0\n", ":1: ", "6 columns"},
                             {"count_changes", "0 0 0\n1 0 0 1\n", ":2: ", "4 columns"},
                             {"no_number", "0 0 0\n1 0 b\n", ":2: ", "b"},
                             {"negative", "0 0 0\n-1 0 1\n", ":2: ", "-1"},
                             {"machine_coordinate_outside", "0 0 0\n1 0 2\n", ":2: ", "(0,2)"},
                             {"machine_coordinate_huge", "0 0 99999999999\n", ":1: ", "99999999999"},
                             {"logical_coordinate_outside", "0 0 0\n4 0 1\n2 1 0\n3 1 1\n", ":4: ", "box 5"},
                             {"node_twice", "0 0 0\n1 0 0\n", ":2: ", "duplicate node (0,0) on lines 1 and 2"},
                             {"logical_twice", "0 0 0\n1 0 1\n2 1 0\n1 1 1\n", ":4: ", "on lines 2 and 4"},
                             {"logical_twice_with_the_right_box", "0 0 0\n3 0 1\n2 1 0\n2 1 1\n",
                              ":4: ", "on lines 3 and 4"},
                             {"node_missing", "0 0 0\n1 0 1\n3 1 1\n", ":3: ", "the first missing node is number 2"},
                             {"hole_in_the_box", "0 0 0 0\n0 1 0 1\n2 0 1 0\n2 1 1 1\n", ":4: ", "3x2"},
                         }),
                         [](const auto& test) { return test.param.claim; });

TEST(BrokenLists, missing_files_are_input_errors) {
    EXPECT_THROW((void)allocate(load_machine("mesh:2x3"), {.nodes = "./no-such-list"}), InputError);
    EXPECT_THROW((void)allocate(load_machine("mesh:2x3"), {.fold = "./no-such-table"}), InputError);
}

}  // namespace
}  // namespace haichi
