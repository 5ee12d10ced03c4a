// Presets are machine files that are part of the program.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/errors.h"
#include "netmodel/machine/machine.h"
#include "netmodel/routing/topologies.h"

namespace haichi {
namespace {

constexpr std::int64_t kNanosecond = 1'000;

void expect_equal(const Machine& a, const Machine& b) {
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.topology->description(), b.topology->description()) << a.name;
    EXPECT_EQ(a.topology->link_count(), b.topology->link_count()) << a.name;
    EXPECT_EQ(a.logical, b.logical) << a.name;
    EXPECT_EQ(a.size_is_open, b.size_is_open) << a.name;
    EXPECT_EQ(a.routing, b.routing) << a.name;
    EXPECT_EQ(a.faulty, b.faulty) << a.name;
    EXPECT_EQ(a.allocations, b.allocations) << a.name;
    EXPECT_EQ(a.link_bandwidth_bytes_per_s, b.link_bandwidth_bytes_per_s) << a.name;
    EXPECT_EQ(a.cable_latency_ps, b.cable_latency_ps) << a.name;
    EXPECT_EQ(a.router, b.router) << a.name;
    EXPECT_EQ(a.packet_payload_bytes, b.packet_payload_bytes) << a.name;
    EXPECT_EQ(a.packet_header_bytes, b.packet_header_bytes) << a.name;
    EXPECT_EQ(a.node, b.node) << a.name;
}

TEST(Presets, as_machine_files_load_to_the_same_machines) {
    std::vector<std::string> names = {"fx10-kyushu",   "k",      "fugaku",         "fx10:10x5x8:XZ", "fx10:3x1x2",
                                      "fx100:4x4x4:Y", "switch", "torus:16x16x16", "mesh:2x3x4x5",   "fattree:1x4"};
    for (const TopologyRow& row : topologies()) {
        if (row.preset && !row.preset->machine_file.empty()) names.push_back(row.preset->example);
    }
    for (const std::string& name : names) {
        const std::string text = preset_text(name);
        expect_equal(parse_machine(text, "shown.json"), load_machine(name));
        EXPECT_TRUE(nlohmann::json::parse(text).contains("notes")) << name;
    }
}

TEST(Presets, without_sizes_or_a_file_cannot_be_shown) {
    EXPECT_THROW((void)preset_text("fx10"), OptionError);
    EXPECT_THROW((void)preset_text("graph:x.graphml"), OptionError);
    EXPECT_THROW((void)preset_text("torus"), OptionError);
    EXPECT_THROW((void)preset_text("tours:4x4"), OptionError);
}

TEST(Presets, have_the_values_of_their_studies) {
    const Machine tofu = load_machine("fx100:4x4x4:Y");
    EXPECT_EQ(tofu.link_bandwidth_bytes_per_s, 12'500'000'000);
    EXPECT_EQ(tofu.router.switch_latency_ps, 100 * kNanosecond);
    EXPECT_EQ(tofu.node.eager_limit_bytes, 32 * 1024);
    EXPECT_EQ(tofu.node.slots, 32);
    const Machine tree = load_machine("dragonfly:2,4,2");
    EXPECT_EQ(tree.link_bandwidth_bytes_per_s, 4'000'000'000);
    EXPECT_EQ(tree.node.nic_bandwidth_bytes_per_s, 2'000'000'000);
    EXPECT_EQ(tree.packet_payload_bytes, 2048);
    const Machine one_switch = load_machine("switch:16");
    EXPECT_EQ(one_switch.cable_latency_ps, 600);
    EXPECT_EQ(one_switch.node.shared_memory_latency_ps, 0);
    EXPECT_FALSE(one_switch.node.memory_bandwidth_bytes_per_s);
}

TEST(MachineFile, has_notes_on_what_it_states_only) {
    const auto with_notes = [](const std::string& notes) {
        return R"({"schema": "haichi-machine/1", "topology": {"kind": "torus", "axes": [{"name": "X", "size": 4}]},
"link": {"bandwidth": "1GB/s"},
"notes": )" + notes +
               "}";
    };
    EXPECT_NO_THROW((void)parse_machine(with_notes(R"({"": "all", "/link/bandwidth": "measured"})"), "m.json"));
    for (const char* notes : {R"({"/link/latency": "x"})", R"({"link": "x"})", R"({"/link": 3})", R"(["x"])"}) {
        try {
            (void)parse_machine(with_notes(notes), "m.json");
            FAIL() << notes;
        } catch (const InputError& error) {
            EXPECT_TRUE(std::string(error.what()).starts_with("m.json:3: ")) << error.what();
        }
    }
}

}  // namespace
}  // namespace haichi
