// Presets are machine files embedded in the program.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/errors.h"
#include "netmodel/machine/machine.h"
#include "netmodel/machine/machine_texts.h"
#include "netmodel/networkfiles/network_file.h"
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
    EXPECT_EQ(a.host_cable_latency_ps, b.host_cable_latency_ps) << a.name;
    EXPECT_EQ(a.router, b.router) << a.name;
    EXPECT_EQ(a.packet_payload_bytes, b.packet_payload_bytes) << a.name;
    EXPECT_EQ(a.packet_header_bytes, b.packet_header_bytes) << a.name;
    EXPECT_EQ(a.node, b.node) << a.name;
}

TEST(Presets, as_machine_files_load_to_the_same_machines) {
    std::vector<std::string> names = {"fx10-kyushu",  "k",
                                      "fugaku",       "fx10:10x5x8:XZ",
                                      "fx10:3x1x2",   "fx100:4x4x4:Y",
                                      "switch",       "torus:16x16x16",
                                      "mesh:2x3x4x5", "fattree:1x4",
                                      "nsim-fattree", "nsim-fattree:3x2"};
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

TEST(Presets, have_templates_that_are_the_machines_of_their_names) {
    for (const std::string& word : preset_words()) {
        // A network file contains all values.
        if (word == "graph" || network_files().find(word) != nullptr) continue;
        const Machine written = parse_machine(machine_text(word), word + ".json");
        EXPECT_EQ(written.name.substr(0, written.name.find(':')), word);
        expect_equal(written, load_machine(written.name));
    }
}

/// All values except topology, routing and name.
void expect_values(const std::string& name, const Machine& values) {
    const Machine machine = load_machine(name);
    EXPECT_EQ(machine.logical, values.logical) << name;
    EXPECT_EQ(machine.size_is_open, values.size_is_open) << name;
    EXPECT_TRUE(machine.faulty.empty() && machine.allocations.empty()) << name;
    EXPECT_EQ(machine.link_bandwidth_bytes_per_s, values.link_bandwidth_bytes_per_s) << name;
    EXPECT_EQ(machine.cable_latency_ps, values.cable_latency_ps) << name;
    EXPECT_EQ(machine.host_cable_latency_ps, values.host_cable_latency_ps) << name;
    EXPECT_EQ(machine.router, values.router) << name;
    EXPECT_EQ(machine.packet_payload_bytes, values.packet_payload_bytes) << name;
    EXPECT_EQ(machine.packet_header_bytes, values.packet_header_bytes) << name;
    EXPECT_EQ(machine.node, values.node) << name;
}

/// Values common to the Tofu family.
Machine tofu() {
    Machine machine;
    machine.logical = {{0, 3}, {1, 4}, {2, 5}};
    machine.cable_latency_ps = 0;
    machine.router.routing_time_ps = 0;
    machine.router.vc_allocation_time_ps = 0;
    machine.router.switch_allocation_time_ps = 0;
    machine.router.switch_latency_ps = 100 * kNanosecond;
    machine.packet_payload_bytes = 1920;
    machine.packet_header_bytes = 72;
    machine.node.mpi_call_overhead_ps = 1'000 * kNanosecond;
    machine.node.rendezvous_overhead_ps = 36'000 * kNanosecond;
    machine.node.eager_limit_bytes = 32 * 1024;  // half of the FX10 value
    machine.node.barrier_ps = 5'000 * kNanosecond;
    return machine;
}

TEST(Presets, of_the_tofu_family_differ_in_links_interfaces_and_cores) {
    struct Row {
        std::string name;
        std::int64_t link_bandwidth_bytes_per_s;
        std::int32_t nics;
        std::int32_t cores;
    };
    const std::vector<Row> rows = {{"k", 5'000'000'000, 4, 8},
                                   {"fx10-kyushu", 5'000'000'000, 4, 16},
                                   {"fugaku", 6'800'000'000, 6, 48},
                                   {"fx10", 5'000'000'000, 4, 16},
                                   {"fx10:10x5x8:XZ", 5'000'000'000, 4, 16},
                                   {"fx100", 12'500'000'000, 4, 32},
                                   {"fx100:4x4x4", 12'500'000'000, 4, 32}};
    for (const Row& row : rows) {
        Machine values = tofu();
        values.size_is_open = row.name == "fx10" || row.name == "fx100";
        values.link_bandwidth_bytes_per_s = row.link_bandwidth_bytes_per_s;
        values.node.nics = row.nics;
        values.node.nic_bandwidth_bytes_per_s = row.link_bandwidth_bytes_per_s;
        values.node.slots = row.cores;
        if (row.name.starts_with("fx10-") || row.name == "fx10" || row.name.starts_with("fx10:")) {
            values.router.buffer_packets = 8;  // from the study; the other presets specify none
            values.node.eager_limit_bytes = 16 * 1024;
        }
        expect_values(row.name, values);
        EXPECT_EQ(load_machine(row.name).routing, "dor:XYZACB,tie=+") << row.name;
    }
}

TEST(Presets, of_the_tofu_family_have_units_of_2_x_3_x_2_with_a_ring) {
    const std::vector<std::pair<std::string, std::string>> rows = {
        {"k", "X24+ Y18 Z16+ A2 B3+ C2 "},      {"fx10-kyushu", "X4+ Y2 Z8+ A2 B3+ C2 "},
        {"fugaku", "X24+ Y23 Z24+ A2 B3+ C2 "}, {"fx10", "X1 Y1 Z1 A2 B3+ C2 "},
        {"fx10:3x1x2", "X3 Y1 Z2 A2 B3+ C2 "},  {"fx100:4x5x6:Y", "X4 Y5+ Z6 A2 B3+ C2 "},
    };
    for (const auto& [name, axes] : rows) {
        std::string found;
        const Machine machine = load_machine(name);
        for (const Axis& axis : coordinates(machine)->axes()) {
            found += axis.name + std::to_string(axis.size) + (axis.wraps ? "+ " : " ");
        }
        EXPECT_EQ(found, axes) << name;
    }
}

/// Values common to the torus and fat-tree studies; `decision_ps` applies to the routing and to each of the two
/// allocations.
Machine study(std::int64_t bandwidth_bytes_per_s, std::int64_t cable_ps, std::int64_t decision_ps) {
    Machine study;
    study.link_bandwidth_bytes_per_s = bandwidth_bytes_per_s;
    study.router.bandwidth_bytes_per_s = bandwidth_bytes_per_s;
    study.cable_latency_ps = cable_ps;
    study.router.routing_time_ps = study.router.vc_allocation_time_ps = study.router.switch_allocation_time_ps =
        decision_ps;
    study.router.switch_latency_ps = 140 * kNanosecond;
    study.node.dma_bandwidth_bytes_per_s = study.node.memory_bandwidth_bytes_per_s = 10'000'000'000;
    study.node.mpi_call_overhead_ps = 200 * kNanosecond;
    return study;
}

TEST(Presets, of_grids_have_the_values_of_the_study_of_tori) {
    Machine tori = study(8'000'000'000, 100 * kNanosecond, 2 * kNanosecond);
    tori.packet_payload_bytes = 256;
    for (const char* name : {"torus:8x8x8", "torus:5", "mesh:10x10", "mesh:2x3x4x5"}) expect_values(name, tori);
}

TEST(Presets, of_networks_of_switches_have_the_values_of_the_study_of_fat_trees) {
    Machine trees = study(4'000'000'000, 200 * kNanosecond, 10 * kNanosecond);
    trees.packet_payload_bytes = 2048;
    trees.node.nic_bandwidth_bytes_per_s = 2'000'000'000;
    for (const char* name :
         {"fattree:3x4", "fattree:1x4", "dragonfly:2,4,2", "dragonfly-plus:4,4,2,5", "hyperx:4x4,2"}) {
        expect_values(name, trees);
    }
}

TEST(Presets, of_the_fat_tree_in_the_study_have_latencies_on_all_cables_and_route_by_the_source) {
    Machine trees = study(4'000'000'000, 200 * kNanosecond, 10 * kNanosecond);
    trees.host_cable_latency_ps = 200 * kNanosecond;
    trees.packet_payload_bytes = 2048;
    trees.node.nic_bandwidth_bytes_per_s = 2'000'000'000;
    for (const char* name : {"nsim-fattree", "nsim-fattree:3x4"}) {
        expect_values(name, trees);
        EXPECT_EQ(load_machine(name).routing, "s-mod-k") << name;
    }
    EXPECT_EQ(terminal_count(load_machine("nsim-fattree")), 64);
    EXPECT_EQ(terminal_count(load_machine("nsim-fattree:3x4")), 64);
    EXPECT_EQ(load_machine("nsim-fattree:2x8").topology->description(),
              load_machine("nsim-fattree").topology->description());
    EXPECT_THROW((void)load_machine("nsim-fattree:8"), OptionError);
}

TEST(Presets, of_one_switch_have_the_values_of_the_study_of_puts) {
    Machine study;
    study.link_bandwidth_bytes_per_s = 4'000'000'000;
    study.cable_latency_ps = 600;
    study.router.routing_time_ps = 4 * kNanosecond;
    study.router.vc_allocation_time_ps = 4 * kNanosecond;
    study.router.switch_allocation_time_ps = 4 * kNanosecond;
    study.router.switch_latency_ps = 128 * kNanosecond;
    study.router.bandwidth_bytes_per_s = 4'000'000'000;
    study.packet_payload_bytes = 2048;
    study.node.dma_bandwidth_bytes_per_s = 2'800'000'000;
    study.node.mpi_call_overhead_ps = 1'000 * kNanosecond;
    study.node.shared_memory_latency_ps = 0;
    for (const char* name : {"switch", "switch:5"}) expect_values(name, study);
    EXPECT_EQ(terminal_count(load_machine("switch")), 16);
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
