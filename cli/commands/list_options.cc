#include "cli/commands/list_options.h"

#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "cli/output/tables.h"

namespace haichi::cli {

namespace {

using nlohmann::ordered_json;

ordered_json option_json(const OptionRow& row) {
    const OptionTraits& traits = row.traits;
    ordered_json entry{{"name", row.name}, {"kind", name_of(row.kind)}, {"group", name_of(row.group)}};
    if (traits.letter != '\0') entry["letter"] = std::string(1, traits.letter);
    if (row.has_value()) entry["value"] = traits.value;
    entry["description"] = traits.description;
    if (!traits.otherwise.empty()) entry["default"] = traits.otherwise;
    if (!traits.choices.empty()) entry["choices"] = traits.choices;
    if (row.kind == ValueKind::kCount || row.kind == ValueKind::kNumber || row.kind == ValueKind::kBytes) {
        entry["minimum"] = traits.least;
        if (traits.most < std::numeric_limits<double>::max()) entry["maximum"] = traits.most;
    }
    if (!traits.needs.empty()) entry["requires"] = traits.needs;
    if (!traits.excludes.empty()) entry["excludes"] = traits.excludes;
    if (!traits.environment.empty()) entry["environment"] = traits.environment;
    entry["required"] = traits.is_required;
    entry["repeatable"] = row.is_repeated();
    entry["argument"] = traits.is_argument;
    entry["local"] = traits.is_local;
    return entry;
}

void add_commands(const CommandSpec& command, const std::string& path, ordered_json& commands) {
    for (const CommandSpec& sub : command.subcommands)
        add_commands(sub, path + (path.empty() ? "" : " ") + sub.name, commands);
    if (!command.options) return;
    ordered_json options = ordered_json::array();
    for (const OptionRow& row : command.options->rows()) options.push_back(option_json(row));
    commands.push_back({{"name", path},
                        {"summary", command.summary},
                        {"examples", command.examples},
                        {"options", std::move(options)}});
}

}  // namespace

int list_options(const CommandSpec& program, bool json, Console& console) {
    ordered_json commands = ordered_json::array();
    add_commands(program, "", commands);
    if (json) {
        console.data(json_text(ordered_json{{"schema", "haichi-options/1"}, {"commands", std::move(commands)}}, 1) +
                     "\n");
        return kExitDone;
    }
    std::string text;
    for (const ordered_json& command : commands) {
        std::vector<std::pair<std::string, std::string>> entries;
        for (const ordered_json& option : command["options"]) {
            const std::string dashes = option["argument"] ? "" : "--";
            entries.emplace_back(dashes + option["name"].get<std::string>(), option["description"]);
        }
        text += (text.empty() ? "" : "\n") + command["name"].get<std::string>() + "\n\n" + definition_list(entries);
    }
    console.data(text);
    return kExitDone;
}

}  // namespace haichi::cli
