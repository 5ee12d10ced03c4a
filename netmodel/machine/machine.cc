#include "netmodel/machine/machine.h"

#include <filesystem>

#include "base/errors.h"
#include "base/located_json.h"

namespace haichi {

namespace {

Machine parsed(MachineSource& source) {
    const std::string& name_or_path = source.name;
    if (source.text) return parse_machine(*source.text, name_or_path, &source.graph);
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
    return parse_machine(*source.text, name_or_path, &source.graph);
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
    const std::string size =
        machine.size_is_open ? "as many nodes as a job has" : fmt::format("{} nodes", terminal_count(machine));
    reading.log().info("machine {}: {}, {}, routing {}", shown(source.name),
                       source.text ? "a machine file" : "a preset", size, machine.routing);
    return machine;
}

const Grid* coordinates(const Machine& machine) { return machine.topology->coordinates(); }

std::int32_t terminal_count(const Machine& machine) { return machine.topology->terminal_count(); }

}  // namespace haichi
