#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/errors.h"
#include "base/json_text.h"
#include "netmodel/machine/distances.h"
#include "netmodel/machine/machine.h"
#include "netmodel/machine/machine_texts.h"
#include "netmodel/routing/fat_tree_topology.h"
#include "netmodel/routing/graph_topology.h"
#include "netmodel/routing/grid_topology.h"
#include "netmodel/routing/topologies.h"
#include "netmodel/topology/sizes.h"

namespace haichi {

namespace {

/// Sizes of X, Y, Z, and which of them wrap. A and C are always meshes of 2, B is always a ring of 3.
struct TofuExtent {
    std::array<std::int32_t, 3> sizes;
    std::array<bool, 3> wraps;
};

/// Parses "10x5x8" or "10x5x8:XZ".
TofuExtent parse_extent(std::string_view text, std::string_view name) {
    const auto colon = text.find(':');
    const std::vector<std::int32_t> sizes = parse_sizes(text.substr(0, colon), "machine " + std::string(name));
    if (sizes.size() != 3) {
        throw OptionError("machine " + shown(name) + " requires the sizes of X, Y and Z, found " +
                              std::to_string(sizes.size()) + " numbers",
                          "an example is fx10:10x5x8:XZ");
    }
    TofuExtent extent{{sizes[0], sizes[1], sizes[2]}, {}};
    if (colon == std::string_view::npos) return extent;
    for (const char c : text.substr(colon + 1)) {
        const auto axis = std::string_view("XYZ").find(c);
        if (axis == std::string_view::npos || extent.wraps[axis]) {
            throw OptionError("machine " + shown(name) +
                                  (axis == std::string_view::npos ? ": invalid" : ": duplicate") + " wrapped axis " +
                                  shown(std::string(1, c)),
                              "X, Y and Z may wrap; an example is fx10:10x5x8:XZ");
        }
        extent.wraps[axis] = true;
    }
    return extent;
}

/// The machine in machines/FILE.json.
Machine machine_of_file(const std::string& file) { return parse_machine(machine_text(file), file + ".json"); }

/// A Tofu machine with the X, Y and Z that `name` states. If `name` states no sizes, the machine has no fixed size.
Machine tofu_machine(std::string_view name, const std::string& file) {
    Machine machine = machine_of_file(file);
    machine.name = name;
    const auto colon = name.find(':');
    machine.size_is_open = colon == std::string_view::npos;
    const TofuExtent extent =
        machine.size_is_open ? TofuExtent{{1, 1, 1}, {}} : parse_extent(name.substr(colon + 1), name);
    std::vector<Axis> axes = coordinates(machine)->axes();
    for (std::size_t k = 0; k < extent.sizes.size(); ++k) {
        axes[k].size = extent.sizes[k];
        axes[k].wraps = extent.wraps[k];
    }
    machine.topology = grid_topology(Grid(std::move(axes)));
    return machine;
}

/// The fat tree of NSIM's study, with the levels and the arity that `name` states.
Machine nsim_fat_tree(std::string_view name, const std::string& file) {
    Machine machine = machine_of_file(file);
    machine.name = name;
    const auto colon = name.find(':');
    if (colon != std::string_view::npos)
        machine.topology = fat_tree_topology(k_ary_n_tree(name.substr(colon + 1), name));
    return machine;
}

/// The switch of a study, with the number of nodes that `name` states.
Machine one_switch(std::string_view name, const std::string& file) {
    Machine machine = machine_of_file(file);
    machine.name = name;
    const auto colon = name.find(':');
    if (colon == std::string_view::npos) return machine;
    const std::vector<std::int32_t> nodes =
        parse_sizes(name.substr(colon + 1), "machine " + std::string(name), 'x', "switch:16");
    if (nodes.size() != 1 || nodes[0] < 1) {
        throw OptionError("machine " + shown(name) + " requires a number of nodes", "an example is switch:16");
    }
    machine.topology = fat_tree_topology(FatTree(nodes, {1}));
    return machine;
}

/// The machine's bandwidth if only the topology is known: the bandwidth of its fastest links.
std::int64_t fastest_link(const Topology& topology) {
    std::int64_t fastest = 1;  // for a single node without links
    for (const PortClass& links : topology.link_classes()) {
        fastest = std::max(fastest, links.bandwidth_bytes_per_s.value_or(1));
    }
    return fastest;
}

/// A machine whose topology has the parameters in `name`. Its other values come from the machine file of the preset.
Machine machine_of(const TopologyPreset& preset, std::string_view name, NamedFile& file) {
    const auto colon = name.find(':');
    std::optional<std::string_view> parameters;
    if (colon != std::string_view::npos) parameters = name.substr(colon + 1);
    Machine machine;
    if (!preset.machine_file.empty()) machine = machine_of_file(preset.machine_file);
    std::shared_ptr<const Topology> topology = preset.read({name, parameters, file});
    if (preset.machine_file.empty()) return machine_of(std::move(topology), std::string(name));
    machine.name = name;
    machine.topology = std::move(topology);
    machine.logical.clear();
    machine.routing = machine.topology->routing("");
    return machine;
}

enum class Parameters { kNone, kOptional, kRequired };

struct PresetRow {
    std::string word;
    std::string pattern;
    Parameters parameters;
    std::string description;
    /// Null for a named computer, whose machine file has the topology and the routing.
    const TopologyPreset* topology = nullptr;
    /// Makes a named computer from its name and its machine file. Null if the name cannot have parameters.
    Machine (*read)(std::string_view name, const std::string& file) = nullptr;
};

/// Presets of named computers.
std::vector<PresetRow> named_computers() {
    return {
        {"fx10-kyushu", "fx10-kyushu", Parameters::kNone,
         "FX10 of Kyushu University, Tofu 4x2x8x2x3x2 = 768 nodes, X, Z and B wrap, 5 GB/s links, 4 NICs per node"},
        {"k", "k", Parameters::kNone,
         "K computer, Tofu 24x18x16x2x3x2 = 82,944 nodes, X, Z and B wrap, 5 GB/s links, 4 NICs per node"},
        {"fugaku", "fugaku", Parameters::kNone,
         "Fugaku, TofuD 24x23x24x2x3x2 = 158,976 nodes, X, Z and B wrap, 6.8 GB/s links, 6 NICs per node"},
        {"fx10", "fx10[:XxYxZ[:WRAPS]]", Parameters::kOptional,
         "an FX10 with these sizes and wrapped axes (fx10:10x5x8:XZ), 5 GB/s links, 4 NICs per node. Without sizes, a "
         "job requires a shape, and X, Y and Z do not wrap",
         nullptr, tofu_machine},
        {"fx100", "fx100[:XxYxZ[:WRAPS]]", Parameters::kOptional,
         "an FX100 (Tofu2), as fx10, 12.5 GB/s links, 4 NICs per node", nullptr, tofu_machine},
        {"t2k", "t2k", Parameters::kNone,
         "T2K Open Supercomputer (Tsukuba), fat tree of 648 nodes, 4 InfiniBand NICs of 2 GB/s per node"},
        {"nsim-fattree", "nsim-fattree[:LEVELSxARITY]", Parameters::kOptional,
         "the fat tree of NSIM's study (nsim-fattree:2x8): fattree: with a latency on the cables of nodes, and s-mod-k",
         nullptr, nsim_fat_tree},
        {"switch", "switch[:NODES]", Parameters::kOptional,
         "nodes on one switch, 16 by default (switch:16), 4 GB/s links, 2.8 GB/s DMA", nullptr, one_switch},
    };
}

const std::vector<PresetRow>& rows() {
    static const std::vector<PresetRow> kRows = [] {
        std::vector<PresetRow> rows = named_computers();
        for (const TopologyRow& row : topologies()) {
            if (!row.preset) continue;
            const bool is_required = row.preset->parameters == TopologyPreset::Parameters::kRequired;
            rows.push_back({row.preset->word, row.preset->pattern,
                            is_required ? Parameters::kRequired : Parameters::kOptional, row.preset->sentence,
                            &*row.preset});
        }
        for (const TopologyPreset& preset : network_file_presets()) {
            rows.push_back({preset.word, preset.pattern, Parameters::kOptional, preset.sentence, &preset});
        }
        return rows;
    }();
    return kRows;
}

/// Splits "tree:4x8x6,distance=1:10:100" into the name and the distances, if there are any.
std::pair<std::string_view, std::optional<std::string_view>> without_distances(std::string_view name) {
    constexpr std::string_view kKey = ",distance=";
    const auto at = name.rfind(kKey);
    if (at == std::string_view::npos) return {name, std::nullopt};
    if (name.find(kKey) != at) throw OptionError("machine " + shown(name) + " states distances twice");
    return {name.substr(0, at), name.substr(at + kKey.size())};
}

/// The preset with the word before the first colon; null if there is none.
const PresetRow* row_of(std::string_view name) {
    const auto colon = name.find(':');
    const auto row = std::ranges::find(rows(), name.substr(0, colon), &PresetRow::word);
    if (row == rows().end()) return nullptr;
    const bool has_parameters = colon != std::string_view::npos;
    if (has_parameters && row->parameters == Parameters::kNone) {
        throw OptionError("machine " + shown(name) + ": preset " + row->word + " has no parameters");
    }
    if (!has_parameters && row->parameters == Parameters::kRequired) {
        throw OptionError("machine " + shown(name) + " requires sizes", "use the form " + row->pattern);
    }
    return &*row;
}

}  // namespace

Machine machine_of(std::shared_ptr<const Topology> topology, std::string name) {
    Machine machine;
    machine.name = std::move(name);
    machine.routing = topology->routing("");
    machine.link_bandwidth_bytes_per_s = fastest_link(*topology);
    machine.topology = std::move(topology);
    return machine;
}

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

std::optional<Machine> preset_machine(std::string_view full_name, NamedFile* graph) {
    const auto [name, distances] = without_distances(full_name);
    const PresetRow* row = row_of(name);
    if (row == nullptr) return std::nullopt;
    NamedFile unkept;
    Machine machine = row->topology != nullptr ? machine_of(*row->topology, name, graph != nullptr ? *graph : unkept)
                      : row->read == nullptr   ? machine_of_file(row->word)
                                               : row->read(name, row->word);
    if (distances) {
        machine.name = full_name;
        machine.distances = parse_distances(*distances, machine);
    }
    return machine;
}

std::string preset_text(std::string_view name) {
    const PresetRow* row = row_of(without_distances(name).first);
    if (row == nullptr) {
        throw OptionError("unknown preset " + shown(name),
                          did_you_mean(name.substr(0, name.find(':')), preset_words()));
    }
    const std::string& file = row->topology == nullptr ? row->word : row->topology->machine_file;
    if (file.empty()) throw OptionError("machine " + shown(name) + " has no parameters besides its own file");
    const Machine machine = *preset_machine(name);
    const bool is_whole_file = row->parameters == Parameters::kNone && machine.distances.empty();
    if (is_whole_file) return std::string(machine_text(file));
    if (machine.size_is_open) {
        throw OptionError("machine " + shown(name) + " leaves its sizes open, but a machine file requires them",
                          "state the sizes: the form is " + row->pattern);
    }
    auto document = parse_ordered_json(machine_text(file));
    document["name"] = name;
    nlohmann::ordered_json topology = machine.topology->description();
    if (document["topology"].contains("logical")) topology["logical"] = document["topology"]["logical"];
    document["topology"] = std::move(topology);
    if (row->topology != nullptr) document.erase("routing");  // the default routing
    if (!machine.distances.empty()) document["distances"] = machine.distances;
    return json_text(document, 2) + "\n";
}

}  // namespace haichi
