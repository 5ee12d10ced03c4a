#include <algorithm>
#include <array>

#include "base/errors.h"
#include "netmodel/machine/machine.h"
#include "netmodel/routing/grid_topology.h"
#include "netmodel/routing/topologies.h"
#include "netmodel/topology/sizes.h"

namespace haichi {

namespace {

constexpr std::int64_t kGigabyte = 1'000'000'000;
constexpr std::int64_t kNanosecond = 1'000;
constexpr std::int64_t kMicrosecond = 1'000'000;

/// What the members of the Tofu family differ in.
struct TofuModel {
    std::int64_t link_bandwidth_bytes_per_s;
    std::int32_t nics;
    std::int32_t cores;
};
constexpr TofuModel kKComputer{5 * kGigabyte, 4, 8};
constexpr TofuModel kFx10{5 * kGigabyte, 4, 16};
constexpr TofuModel kFx100{12'500'000'000, 4, 32};
constexpr TofuModel kFugaku{6'800'000'000, 6, 48};

/// Sizes of X, Y, Z and which of them wrap. A and C are always meshes of 2, B is always a ring of 3.
struct TofuExtent {
    std::array<std::int32_t, 3> sizes;
    std::array<bool, 3> wraps;
};

Machine tofu_machine(std::string name, const TofuModel& model, const TofuExtent& extent) {
    std::vector<Axis> axes = {{"X", extent.sizes[0], extent.wraps[0]},
                              {"Y", extent.sizes[1], extent.wraps[1]},
                              {"Z", extent.sizes[2], extent.wraps[2]},
                              {"A", 2, false},
                              {"B", 3, true},
                              {"C", 2, false}};
    Machine machine;
    machine.name = std::move(name);
    machine.topology = grid_topology(Grid(std::move(axes)));
    machine.logical = {{0, 3}, {1, 4}, {2, 5}};
    machine.routing = "dor:XYZACB,tie=+";
    machine.link_bandwidth_bytes_per_s = model.link_bandwidth_bytes_per_s;
    machine.packet_payload_bytes = 1920;
    machine.packet_header_bytes = 72;
    // 100 ns per hop is all that is known (an estimate); it stands in one term, the others are 0.
    machine.router.routing_time_ps = 0;
    machine.router.vc_allocation_time_ps = 0;
    machine.router.switch_allocation_time_ps = 0;
    machine.router.switch_latency_ps = 100 * kNanosecond;
    machine.cable_latency_ps = 0;
    machine.router.buffer_packets = 8;  // virtual channels as needed: 2, and more past faulty nodes
    machine.node.nics = model.nics;
    machine.node.nic_bandwidth_bytes_per_s = model.link_bandwidth_bytes_per_s;
    machine.node.slots = model.cores;
    // Host times fitted to the contention-free FX10 runs of the CG kernel, taken over for the whole family: every call
    // of the library, and what a rendezvous costs its sender besides.
    machine.node.mpi_call_overhead_ps = 1 * kMicrosecond;
    machine.node.rendezvous_overhead_ps = 36 * kMicrosecond;
    machine.node.barrier_ps = 5 * kMicrosecond;
    // Not published: the library lets its users set the limit and chooses by distance otherwise. This is a common order
    // of magnitude.
    machine.node.eager_limit_bytes = 32 * 1024;
    return machine;
}

/// "10x5x8" or "10x5x8:XZ"
TofuExtent parse_extent(std::string_view text, std::string_view name) {
    const auto colon = text.find(':');
    const std::vector<std::int32_t> sizes = parse_sizes(text.substr(0, colon), "machine " + std::string(name));
    if (sizes.size() != 3) {
        throw OptionError("machine " + shown(name) + " needs the sizes of X, Y and Z, not " +
                              std::to_string(sizes.size()) + " numbers",
                          "an example is fx10:10x5x8:XZ");
    }
    TofuExtent extent{{sizes[0], sizes[1], sizes[2]}, {}};
    if (colon == std::string_view::npos) return extent;
    for (const char c : text.substr(colon + 1)) {
        const auto axis = std::string_view("XYZ").find(c);
        if (axis == std::string_view::npos || extent.wraps[axis]) {
            throw OptionError("machine " + shown(name) + " names wrapped axis " + shown(std::string(1, c)) +
                                  (axis == std::string_view::npos ? "" : " twice"),
                              "X, Y and Z may wrap; an example is fx10:10x5x8:XZ");
        }
        extent.wraps[axis] = true;
    }
    return extent;
}

Machine tofu_family(std::string_view name, const TofuModel& model) {
    const auto colon = name.find(':');
    if (colon != std::string_view::npos) {
        return tofu_machine(std::string(name), model, parse_extent(name.substr(colon + 1), name));
    }
    Machine machine = tofu_machine(std::string(name), model, {{1, 1, 1}, {}});
    machine.size_is_open = true;
    return machine;
}

/// The NSIM study of 3D tori.
void time_direct_network(Machine& machine) {
    machine.link_bandwidth_bytes_per_s = 8 * kGigabyte;
    machine.cable_latency_ps = 100 * kNanosecond;
    machine.router.routing_time_ps = 2 * kNanosecond;
    machine.router.vc_allocation_time_ps = 2 * kNanosecond;
    machine.router.switch_allocation_time_ps = 2 * kNanosecond;
    machine.router.switch_latency_ps = 140 * kNanosecond;
    machine.router.bandwidth_bytes_per_s = 8 * kGigabyte;
    machine.packet_payload_bytes = 256;
    machine.node.dma_bandwidth_bytes_per_s = 10 * kGigabyte;
    machine.node.memory_bandwidth_bytes_per_s = 10 * kGigabyte;
    machine.node.mpi_call_overhead_ps = 200 * kNanosecond;
}

/// The NSIM study of InfiniBand (QDR 8X) fat trees. No study says what a dragonfly's parameters are, or a HyperX's:
/// these.
void time_infiniband(Machine& machine) {
    machine.link_bandwidth_bytes_per_s = 4 * kGigabyte;
    machine.cable_latency_ps = 200 * kNanosecond;
    machine.router.routing_time_ps = 10 * kNanosecond;
    machine.router.vc_allocation_time_ps = 10 * kNanosecond;
    machine.router.switch_allocation_time_ps = 10 * kNanosecond;
    machine.router.switch_latency_ps = 140 * kNanosecond;
    machine.router.bandwidth_bytes_per_s = 4 * kGigabyte;
    machine.packet_payload_bytes = 2048;
    machine.node.nic_bandwidth_bytes_per_s = 2 * kGigabyte;
    machine.node.dma_bandwidth_bytes_per_s = 10 * kGigabyte;
    machine.node.memory_bandwidth_bytes_per_s = 10 * kGigabyte;
    machine.node.mpi_call_overhead_ps = 200 * kNanosecond;
}

/// The study of RDMA on InfiniBand (QDR): all nodes on one switch. Its node latency is the host's time per call; memory
/// has no limit, nor have messages within a node.
void time_rdma(Machine& machine) {
    machine.link_bandwidth_bytes_per_s = 4 * kGigabyte;
    machine.cable_latency_ps = 600;
    machine.router.routing_time_ps = 4 * kNanosecond;
    machine.router.vc_allocation_time_ps = 4 * kNanosecond;
    machine.router.switch_allocation_time_ps = 4 * kNanosecond;
    machine.router.switch_latency_ps = 128 * kNanosecond;
    machine.router.bandwidth_bytes_per_s = 4 * kGigabyte;
    machine.packet_payload_bytes = 2048;  // assumed, the study does not state it
    machine.node.dma_bandwidth_bytes_per_s = 2'800'000'000;
    machine.node.mpi_call_overhead_ps = 1 * kMicrosecond;
    machine.node.shared_memory_latency_ps = 0;
}

/// The topology says it all; where its links differ, the machine's bandwidth is that of the fastest.
void time_nothing(Machine& machine) {
    machine.link_bandwidth_bytes_per_s = 1;  // of a single node without links
    for (const PortClass& links : machine.topology->link_classes()) {
        machine.link_bandwidth_bytes_per_s =
            std::max(machine.link_bandwidth_bytes_per_s, links.bandwidth_bytes_per_s.value_or(1));
    }
}

using Timing = void (*)(Machine&);
Timing preset_timing(std::string_view name) {
    static constexpr std::array<std::pair<std::string_view, Timing>, 4> kTimings = {
        {{"", time_nothing}, {"direct", time_direct_network}, {"infiniband", time_infiniband}, {"rdma", time_rdma}}};
    const auto found = std::ranges::find(kTimings, name, &std::pair<std::string_view, Timing>::first);
    if (found == kTimings.end()) throw InternalError("no preset has the timing " + shown(name));
    return found->second;
}

Machine fx10_kyushu(std::string_view name) {
    return tofu_machine(std::string(name), kFx10, {{4, 2, 8}, {true, false, true}});
}
Machine k_computer(std::string_view name) {
    return tofu_machine(std::string(name), kKComputer, {{24, 18, 16}, {true, false, true}});
}
Machine fugaku(std::string_view name) {
    return tofu_machine(std::string(name), kFugaku, {{24, 23, 24}, {true, false, true}});
}
Machine fx10(std::string_view name) { return tofu_family(name, kFx10); }
Machine fx100(std::string_view name) { return tofu_family(name, kFx100); }

/// A topology by its parameters, with the timing of its row.
Machine machine_of(const TopologyPreset& preset, std::string_view name, std::optional<std::string>& file_text) {
    const auto colon = name.find(':');
    std::optional<std::string_view> parameters;
    if (colon != std::string_view::npos) parameters = name.substr(colon + 1);
    Machine machine;
    machine.name = name;
    machine.topology = preset.read({name, parameters, file_text});
    machine.routing = machine.topology->routing("");
    preset_timing(preset.timing)(machine);
    return machine;
}

enum class Parameters { kNone, kOptional, kRequired };

struct PresetRow {
    std::string word;
    std::string pattern;
    Parameters parameters;
    Machine (*make)(std::string_view name);  ///< null: `topology`
    std::string description;
    const TopologyPreset* topology = nullptr;
};

/// The computers that have names.
std::vector<PresetRow> named_computers() {
    return {
        {"fx10-kyushu", "fx10-kyushu", Parameters::kNone, fx10_kyushu,
         "FX10 of Kyushu University, Tofu 4x2x8x2x3x2 = 768 nodes, X, Z and B wrap, 5 GB/s links, 4 NICs per node"},
        {"k", "k", Parameters::kNone, k_computer,
         "K computer, Tofu 24x18x16x2x3x2 = 82,944 nodes, X, Z and B wrap, 5 GB/s links, 4 NICs per node"},
        {"fugaku", "fugaku", Parameters::kNone, fugaku,
         "Fugaku, TofuD 24x23x24x2x3x2 = 158,976 nodes, X, Z and B wrap, 6.8 GB/s links, 6 NICs per node"},
        {"fx10", "fx10[:XxYxZ[:WRAPS]]", Parameters::kOptional, fx10,
         "an FX10 with these sizes and wrapped axes (fx10:10x5x8:XZ), 5 GB/s links, 4 NICs; without sizes a job needs "
         "--shape and no X, Y or Z wraps"},
        {"fx100", "fx100[:XxYxZ[:WRAPS]]", Parameters::kOptional, fx100,
         "an FX100 (Tofu2), as fx10, 12.5 GB/s links, 4 NICs per node"},
    };
}

const std::vector<PresetRow>& rows() {
    static const std::vector<PresetRow> kRows = [] {
        std::vector<PresetRow> rows = named_computers();
        for (const TopologyRow& row : topologies()) {
            if (!row.preset) continue;
            const bool is_required = row.preset->parameters == TopologyPreset::Parameters::kRequired;
            rows.push_back({row.preset->word, row.preset->pattern,
                            is_required ? Parameters::kRequired : Parameters::kOptional, nullptr, row.preset->sentence,
                            &*row.preset});
        }
        return rows;
    }();
    return kRows;
}

}  // namespace

const std::vector<MachinePreset>& machine_presets() {
    static const std::vector<MachinePreset> kPresets = [] {
        std::vector<MachinePreset> presets;
        for (const PresetRow& row : rows()) presets.push_back({row.pattern, row.description});
        return presets;
    }();
    return kPresets;
}

const std::vector<std::string>& preset_words() {
    static const std::vector<std::string> kWords = [] {
        std::vector<std::string> words;
        for (const PresetRow& row : rows()) words.push_back(row.word);
        return words;
    }();
    return kWords;
}

std::optional<Machine> preset_machine(std::string_view name, std::optional<std::string>* graph_text) {
    const auto colon = name.find(':');
    const auto row = std::ranges::find(rows(), name.substr(0, colon), &PresetRow::word);
    if (row == rows().end()) return std::nullopt;
    const bool has_parameters = colon != std::string_view::npos;
    if (has_parameters && row->parameters == Parameters::kNone) {
        throw OptionError("machine " + shown(name) + ": preset " + row->word + " has no parameters");
    }
    if (!has_parameters && row->parameters == Parameters::kRequired) {
        throw OptionError("machine " + shown(name) + " lacks its sizes", "the form is " + row->pattern);
    }
    if (row->make != nullptr) return row->make(name);
    std::optional<std::string> unkept;
    return machine_of(*row->topology, name, graph_text != nullptr ? *graph_text : unkept);
}

}  // namespace haichi
