#include "netmodel/machine/machine.h"

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "base/decimal.h"
#include "base/errors.h"
#include "base/input_file.h"
#include "base/split.h"
#include "netmodel/networkfiles/network_file.h"
#include "netmodel/routing/graph_topology.h"

namespace haichi {

namespace {

/// "torus:8x8" for "torus8x8"; empty if no preset word is followed by its sizes.
std::string with_missing_colon(const std::string& name) {
    std::string best;
    for (const std::string& word : preset_words()) {
        if (!name.starts_with(word) || word.size() < best.find(':') + 1) continue;
        const auto first = name.find_first_not_of(" -_=(", word.size());
        if (first == std::string::npos || !is_digit(name[first])) continue;
        std::string meant = word + ":" + name.substr(first);
        if (meant.ends_with(')')) meant.pop_back();
        try {
            if (preset_machine(meant)) best = std::move(meant);
        } catch (const Error&) {
            // the sizes do not fit this preset
        }
    }
    return best;
}

std::string hint_for_machine(const std::string& name) {
    if (const std::string meant = with_missing_colon(name); !meant.empty()) return "did you mean '" + meant + "'?";
    const bool is_hierarchy = name.find(':') != std::string::npos && is_digit(name.back()) &&
                              name.find_first_not_of("0123456789:") == std::string::npos;
    if (is_hierarchy) {
        std::string children = name;
        std::ranges::replace(children, ':', 'x');
        return "did you mean 'tree:" + children + "'?";
    }
    // Words of one or two letters resemble too many others for a useful hint.
    constexpr std::size_t kShortest = 3;
    std::vector<std::string> words;
    std::ranges::copy_if(preset_words(), std::back_inserter(words),
                         [](const std::string& word) { return word.size() >= kShortest; });
    const std::string near = did_you_mean(name.substr(0, name.find(':')), words);
    if (!near.empty() && name.find(':') != 0 && !is_digit(name.front())) return near;
    return "name a preset or a network file (see 'haichi list machines'), or a machine file";
}

/// Reads a machine file or a network file, which the content distinguishes.
Machine machine_of_text(MachineSource& source) {
    const std::string_view start = trimmed(std::string_view(*source.text).substr(0, 4096));
    const bool is_json = start.starts_with('{') || start.starts_with('[');
    if (is_json && recognised_network_file(*source.text) == nullptr) {
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
    std::error_code ignored;
    const bool is_file = name_or_path == "-" || std::filesystem::exists(name_or_path, ignored);
    // A file named like a network file format ("slurm") is read as a file, not looked up as a preset.
    const bool is_format = network_files().find(name_or_path) != nullptr;
    if (!is_file || !is_format) {
        if (auto preset = preset_machine(name_or_path, &source.graph)) return *std::move(preset);
    }
    const bool looks_like_file = name_or_path.find_first_of("/.") != std::string::npos;
    if (!is_file && !looks_like_file) {
        throw OptionError("unknown machine " + shown(name_or_path), hint_for_machine(name_or_path));
    }
    constexpr std::size_t kLargestBytes = std::size_t{64} << 20;
    source.text = input_text(name_or_path, kLargestBytes);
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
