// Invalid preset names, shapes, origins, routings and folds cause errors that name the value.

#include <gtest/gtest.h>

#include <array>

#include "base/errors.h"
#include "netmodel/machine/allocation.h"

namespace haichi {
namespace {

template <class Action>
void expect_option_error(const Action& action, const std::string& value, const std::string& hint = "") {
    try {
        action();
        FAIL() << "accepted; expected an error with " << value;
    } catch (const OptionError& error) {
        EXPECT_NE(std::string(error.what()).find(value), std::string::npos) << error.what();
        EXPECT_NE(error.hint().find(hint), std::string::npos) << error.what() << "\nhint: " << error.hint();
    }
}

TEST(MachineNames, that_mean_nothing_are_refused) {
    const std::vector<std::array<std::string, 3>> cases = {
        {"fx10-kyusu", "fx10-kyusu", "fx10-kyushu"},
        {"fugakku", "fugakku", "fugaku"},
        {"tourus:4x4", "tourus", "torus"},
        {"", "''", ""},
        {"nothing like a machine", "nothing like", "preset"},
        {"k:4x4x4", "k:4x4x4", ""},
        {"torus", "torus", "torus:SIZE"},
        {"torus:", "torus:", ""},
        {"torus:4x", "4x", ""},
        {"torus:4x-4", "4x-4", ""},
        {"torus:axb", "axb", ""},
        {"torus:4,4", "4,4", ""},
        {"torus:0x4", "0", ""},
        {"torus:99999999999", "99999999999", ""},
        {"torus:100000x100000", "8388608 nodes, not 100000x100000", ""},
        {"torus:1x1x1x1x1x1x1x1x1x1x1x1x1", "12", ""},
        {"mesh:3x3 ", "3x3 ", ""},
        {"fx10:10x5", "fx10:10x5", "fx10:10x5x8:XZ"},
        {"fx10:10x5x8:XW", "'W'", "X, Y and Z"},
        {"fx10:10x5x8:XX", "duplicate", ""},
        {"fx10:10x5x8:XZ:", "':'", ""},
        {"fx100:4x4x0", "0", ""},
        {"fattree:3", "fattree:3", "fattree:3x4"},
        {"fattree:0x4", "fattree:0x4", ""},
        {"fattree:3x0", "fattree:3x0", ""},
        {"fattree:40x2", "40x2", ""},
        {"switch:0", "switch:0", "switch:16"},
        {"switch:2x2", "switch:2x2", "switch:16"},
        {"switch:", "switch:", "switch:16"},
        {"dragonfly", "requires sizes", "dragonfly:P,A,H"},
        {"dragonfly:", "dragonfly:", "dragonfly:2,4,2"},
        {"dragonfly:2x4x2", "2x4x2", "dragonfly:2,4,2"},
        {"dragonfly:2,4", "dragonfly:2,4", "dragonfly:2,4,2"},
        {"dragonfly:0,4,2", "terminals per router, not 0", ""},
        {"dragonfly:2,0,2", "routers per group, not 0", ""},
        {"dragonfly:2,4,0", "global links per router, not 0", ""},
        {"dragonfly:2,4,2,0", "at least 1 group", ""},
        {"dragonfly:2,4,2,10",
         "a dragonfly of 10 groups requires 9 global links per group, but 4 routers with 2 links each have 8", "one"},
        {"dragonfly:1000,1000,1000", "8388608 nodes and switches, fewer than in", ""},
        {"dragonfly:999999999,1,1", "not 999999999", ""},
        {"dragonfly:1,1000000,1,1", "links, more than are supported", ""},
        {"fattree:9x64", "a fat tree with 64,64,64,64,64,64,64,64,64 children", ""},
    };
    for (const auto& [name, value, hint] : cases) {
        expect_option_error([&] { (void)load_machine(name); }, value, hint);
    }
}

TEST(MachineNames, of_graphs_need_a_file_that_exists) {
    EXPECT_THROW((void)load_machine("graph:no-such-file.graphml"), InputError);
    EXPECT_THROW((void)load_machine("graph"), OptionError);
    EXPECT_THROW((void)load_machine("graph:"), OptionError);
    EXPECT_THROW((void)load_machine("graph:-"), OptionError);
}

TEST(AllocationRequests, that_do_not_fit_the_machine_are_refused) {
    const Machine machine = load_machine("fx10-kyushu");
    const auto refused = [&](const AllocationRequest& request, const std::string& value, const std::string& hint = "") {
        expect_option_error([&] { (void)allocate(machine, request); }, value, hint);
    };
    refused({.shape = {1, 2, 4}}, "§shape 1x2x4 does not consist of whole units", "use §shape 2x3x4 (24 nodes)");
    refused({.shape = {1, 2, 4, 2, 3}}, "5 numbers");
    refused({.shape = {5, 2, 4, 2, 3, 2}}, "5x2x4x2x3x2", "4x2x8x2x3x2");
    refused({.shape = {0, 2, 4, 2, 3, 2}}, "axis X has size 0");
    refused({.shape = {-1, 2, 4, 2, 3, 2}}, "axis X has size -1");
    refused({.shape = {1, 2, 4, 2, 3, 2}, .origin = {0, 1, 0, 0, 0, 0}}, "Y does not wrap");
    refused({.shape = {1, 2, 4, 2, 3, 2}, .origin = {4, 0, 0, 0, 0, 0}}, "4x0x0x0x0x0");
    refused({.shape = {1, 2, 4, 2, 3, 2}, .origin = {-1, 0, 0, 0, 0, 0}}, "-1x0x0x0x0x0");
    refused({.shape = {1, 2, 4, 2, 3, 2}, .origin = {0, 0}}, "origin 0x0 has 2 numbers");
    refused({.shape = {1, 1, 1, 2, 3, 1}, .origin = {0, 0, 0, 1, 0, 0}}, "A does not wrap");
    refused({.ranks_per_node = 0}, "ranks per node: 0 (at least 1)");
    refused({.ranks_per_node = 17}, "17 ranks per node");
    const std::string slots = "4000000 nodes with 1048576 ranks each";
    for (const char* large : {"mesh:2000x2000", "fattree:2x2000"}) {
        const Machine other = load_machine(large);
        expect_option_error([&] { (void)allocate(other, {.ranks_per_node = 1 << 20}); }, slots, "§ppn");
    }
    refused({.shape = {1, 2, 4, 2, 3, 2}, .nodes = "list"}, "node list", "§nodes");
    refused({.routing = "XYZ"}, "XYZ", "dor:XYZACB");
    refused({.routing = "s-mod-k"}, "s-mod-k");
    refused({.routing = "dor:XYZ"}, "leaves out axis A");
    refused({.routing = "dor:XYZACBQ"}, "'Q'");
    refused({.routing = "dor:XYZACB,tie=up"}, "tie=up");
    refused({.routing = "dor:XYZACBBB"}, "three times");
    refused({.fold = "defualt"}, "defualt", "default");
    refused({.fold = "spiral"}, "spiral", "row-major");
}

TEST(AllocationRequests, that_do_not_fit_a_tree_are_refused) {
    const Machine machine = load_machine("fattree:2x3");
    expect_option_error([&] { (void)allocate(machine, {.shape = {3, 3}}); }, "3x3", "§nodes");
    expect_option_error([&] { (void)allocate(machine, {.shape = {8}}); }, "all 9");
    expect_option_error([&] { (void)allocate(machine, {.origin = {0}}); }, "origin");
    expect_option_error([&] { (void)allocate(machine, {.routing = "dor:XYZ"}); }, "dor:XYZ");
    EXPECT_THROW((void)allocate(machine, {.fold = "mesh"}), UnsupportedError);
}

TEST(AllocationRequests, that_do_not_fit_a_dragonfly_are_refused) {
    const Machine machine = load_machine("dragonfly:1,2,1");
    expect_option_error([&] { (void)allocate(machine, {.shape = {3, 2}}); }, "3x2", "§nodes");
    expect_option_error([&] { (void)allocate(machine, {.routing = "minimum"}); }, "minimum", "minimal");
    expect_option_error([&] { (void)allocate(machine, {.routing = "valiant"}); }, "valiant", "minimal");
    EXPECT_THROW((void)allocate(machine, {.fold = "mesh"}), UnsupportedError);
}

TEST(AllocationRequests, of_an_open_machine_need_a_shape) {
    const Machine machine = load_machine("fx10");
    expect_option_error([&] { (void)allocate(machine, {}); }, "size of machine fx10 is not known", "§shape");
    expect_option_error([&] { (void)allocate(machine, {.nodes = "list"}); }, "not known");
    expect_option_error(
        [&] {
            (void)allocate(machine, {.shape = {9, 1, 1, 2, 3, 2}, .origin = {1, 0, 0, 0, 0, 0}});
        },
        "origin");
    expect_option_error([&] { (void)allocate(machine, {.shape = {9, 1, 1, 2, 4, 2}}); }, "axis B has 3");
}

TEST(Sizes, that_are_no_numbers_are_refused) {
    for (const char* text : {"", "x", "1x", "x1", "1xx2", "1 x2", "+1", "-1", "1.0", "0x-1", "1X2", "\xff"}) {
        EXPECT_THROW((void)parse_sizes(text, "shape"), OptionError) << text;
    }
    expect_option_error([] { (void)parse_sizes("1x4294967296", "shape"); }, "4294967296");
}

}  // namespace
}  // namespace haichi
