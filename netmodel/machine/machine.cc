#include "netmodel/machine/machine.h"

#include <filesystem>

#include "base/errors.h"
#include "base/located_json.h"
#include "base/split.h"
#include "netmodel/routing/graph_topology.h"

namespace haichi {

namespace {

/// A machine file, or a network file by its content.
Machine machine_of_text(MachineSource& source) {
    const std::string_view start = trimmed(std::string_view(*source.text).substr(0, 4096));
    if (start.starts_with('{') || start.starts_with('[')) {
        return parse_machine(*source.text, source.name, &source.graph);
    }
    NamedFile network{.path = source.name, .text = source.text};
    Machine machine = machine_of(network_topology(network), source.name);
    source.graph.notes = std::move(network.notes);
    return machine;
}

Machine parsed(MachineSource& source) {
    const std::string& name_or_path = source.name;
    if (source.text) return machine_of_text(source);
    if (auto preset = preset_machine(name_or_path, &source.graph)) return *std::move(preset);
    std::error_code ignored;
    const bool is_file = name_or_path == "-" || std::filesystem::exists(name_or_path, ignored);
    const bool looks_like_file = name_or_path.find_first_of("/.") != std::string::npos;
    if (!is_file && !looks_like_file) {
        const std::string near = did_you_mean(name_or_path.substr(0, name_or_path.find(':')), preset_words());
        throw OptionError("unknown machine " + shown(name_or_path),
                          near.empty() ? "name a preset (see 'haichi list machines') or a machine file" : near);
    }
    constexpr std::size_t kLargestBytes = std::size_t{64} << 20;
    source.text = read_file(name_or_path, kLargestBytes);
    return machine_of_text(source);
}

}  // namespace

Machine load_machine(const std::string& name_or_path, const Reading& reading) {
    MachineSource source{.name = name_or_path};
    return load_machine(source, reading);
}

Machine load_machine(MachineSource& source, const Reading& reading) {
    source.graph.below = reading.files_below();
    Machine machine = parsed(source);
    if (!source.graph.path.empty()) reading.found_file(source.graph.path);
    for (const std::string& note : source.graph.notes) {
        reading.assumed(note);
        reading.log().info("machine: {}", note);
    }
    const std::string size =
        machine.size_is_open ? "as many nodes as a job has" : fmt::format("{} nodes", terminal_count(machine));
    reading.log().info("machine {}: {}, {}, routing {}", shown(source.name),
                       source.text ? "a machine file" : "a preset", size, machine.routing);
    return machine;
}

const Grid* coordinates(const Machine& machine) { return machine.topology->coordinates(); }

std::int32_t terminal_count(const Machine& machine) { return machine.topology->terminal_count(); }

}  // namespace haichi
