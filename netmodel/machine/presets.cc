#include <algorithm>
#include <array>

#include "base/errors.h"
#include "netmodel/machine/machine.h"
#include "netmodel/routing/dimension_order.h"
#include "netmodel/routing/dragonfly_routing.h"
#include "netmodel/routing/shortest_paths.h"
#include "netmodel/topology/graphml.h"
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
    machine.topology = Grid(std::move(axes));
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

/// What stands behind the ":".
std::vector<std::int32_t> numbers_of(std::string_view name) {
    return parse_sizes(name.substr(name.find(':') + 1), "machine " + std::string(name));
}

/// Parameters of the NSIM study of 3D tori.
Machine plain_grid(std::string_view name, bool wraps) {
    const std::vector<std::int32_t> sizes = numbers_of(name);
    std::vector<Axis> axes;
    for (std::size_t k = 0; k < sizes.size(); ++k) {
        std::string axis = sizes.size() <= 3 ? std::string(1, "XYZ"[k]) : std::to_string(k).insert(0, 1, 'd');
        axes.push_back({std::move(axis), sizes[k], wraps});
    }
    Machine machine;
    machine.name = name;
    machine.topology = Grid(std::move(axes));
    const Grid& grid = std::get<Grid>(machine.topology);
    machine.routing = to_string(default_dimension_order(grid), grid);
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
    return machine;
}

Machine torus(std::string_view name) { return plain_grid(name, true); }
Machine mesh(std::string_view name) { return plain_grid(name, false); }

/// Everything but the topology of the NSIM study of InfiniBand (QDR 8X) fat trees.
Machine infiniband(std::string_view name) {
    Machine machine;
    machine.name = name;
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
    return machine;
}

/// The k-ary n-tree with full bisection.
Machine fat_tree(std::string_view name) {
    const std::vector<std::int32_t> numbers = numbers_of(name);
    if (numbers.size() != 2 || numbers[0] < 1 || numbers[1] < 1) {
        throw OptionError("machine " + shown(name) + " needs its levels and its arity",
                          "an example is fattree:3x4, three levels of switches and 4^3 terminals");
    }
    if (static_cast<std::size_t>(numbers[0]) > FatTree::kMostLevels) {
        throw OptionError("machine " + shown(name) + " has more than " + std::to_string(FatTree::kMostLevels) +
                          " levels");
    }
    const auto levels = static_cast<std::size_t>(numbers[0]);
    std::vector<std::int32_t> parents(levels, numbers[1]);
    parents[0] = 1;
    Machine machine = infiniband(name);
    machine.topology = FatTree(std::vector<std::int32_t>(levels, numbers[1]), std::move(parents));
    machine.routing = "down-straight";
    return machine;
}

/// The study of RDMA on InfiniBand (QDR): all nodes on one switch. Its node latency is the host's time per call; memory
/// has no limit, nor have messages within a node.
Machine one_switch(std::string_view name) {
    constexpr std::int32_t kNodesOfTheStudy = 16;
    std::vector<std::int32_t> numbers = {kNodesOfTheStudy};
    if (name.find(':') != std::string_view::npos) numbers = numbers_of(name);
    if (numbers.size() != 1 || numbers[0] < 1) {
        throw OptionError("machine " + shown(name) + " needs its number of nodes", "an example is switch:16");
    }
    Machine machine;
    machine.name = name;
    machine.topology = FatTree(numbers, {1});
    machine.routing = "down-straight";
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
    return machine;
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

/// The graph says it all; where its links differ, the machine's bandwidth is that of the fastest.
Machine graph_file(std::string_view name, std::optional<std::string>& graph_text) {
    const auto colon = name.find(':');
    const std::string path(colon == std::string_view::npos ? "" : name.substr(colon + 1));
    if (path.empty()) throw OptionError("machine " + shown(name) + " lacks its file", "the form is graph:FILE");
    Machine machine;
    machine.name = name;
    if (!graph_text) graph_text = read_graphml(path);
    machine.topology = parse_graphml(*graph_text, path, std::nullopt);
    const Graph& graph = std::get<Graph>(machine.topology);
    machine.routing = kShortestPath;
    machine.link_bandwidth_bytes_per_s = 1;  // of a single node without links
    for (std::int32_t l = 0; l < graph.link_count(); ++l) {
        machine.link_bandwidth_bytes_per_s =
            std::max(machine.link_bandwidth_bytes_per_s, graph.link(LinkId(l)).bandwidth_bytes_per_s);
    }
    return machine;
}

/// No study says what a dragonfly's parameters are: those of the InfiniBand fat tree.
Machine dragonfly(std::string_view name) {
    constexpr std::string_view kExample = "dragonfly:2,4,2";
    const std::vector<std::int32_t> numbers =
        parse_sizes(name.substr(name.find(':') + 1), "machine " + std::string(name), ',', kExample);
    if (numbers.size() != 3 && numbers.size() != 4) {
        throw OptionError(
            "machine " + shown(name) + " needs its terminals per router, routers per group and global links per router",
            "an example is " + std::string(kExample));
    }
    if (numbers.size() == 4 && numbers[3] < 1) throw OptionError("machine " + shown(name) + " has no group");
    Machine machine = infiniband(name);
    machine.topology = Dragonfly(numbers[0], numbers[1], numbers[2], numbers.size() == 4 ? numbers[3] : 0);
    machine.routing = to_string(DragonflyRouting::kMinimal);
    return machine;
}

enum class Parameters { kNone, kOptional, kRequired };

struct PresetRow {
    std::string word;
    std::string pattern;
    Parameters parameters;
    Machine (*make)(std::string_view name);  ///< null: graph_file(), which alone reads a file
    std::string description;
};

const std::vector<PresetRow>& rows() {
    static const std::vector<PresetRow> kRows = {
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
        {"torus", "torus:SIZExSIZE...", Parameters::kRequired, torus,
         "a torus of 1 to 12 axes that all wrap (torus:16x16x16), 8 GB/s links"},
        {"mesh", "mesh:SIZExSIZE...", Parameters::kRequired, mesh, "a mesh of 1 to 12 axes (mesh:10x10), 8 GB/s links"},
        {"fattree", "fattree:LEVELSxARITY", Parameters::kRequired, fat_tree,
         "the k-ary n-tree with full bisection and ARITY^LEVELS nodes (fattree:3x4), 4 GB/s links, 2 GB/s NICs"},
        {"switch", "switch[:NODES]", Parameters::kOptional, one_switch,
         "nodes on one switch, 16 if not stated (switch:16), 4 GB/s links, 2.8 GB/s DMA"},
        {"dragonfly", "dragonfly:P,A,H[,GROUPS]", Parameters::kRequired, dragonfly,
         "P nodes per router, A routers per group, H global links per router (dragonfly:2,4,2), A*H+1 groups if not "
         "stated, 4 GB/s links, 2 GB/s NICs"},
        {"graph", "graph:FILE", Parameters::kOptional, nullptr,
         "any network of up to 8,192 nodes, from a GraphML file: edges with a bandwidth, nodes that are terminals or "
         "not"},
    };
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
    return graph_file(name, graph_text != nullptr ? *graph_text : unkept);
}

}  // namespace haichi
