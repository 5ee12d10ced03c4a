#include "cli/commands/list.h"

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/errors.h"
#include "base/json_text.h"
#include "base/table.h"
#include "cli/commands/list_options.h"
#include "cli/output/tables.h"
#include "commlog/nas/nas_log.h"
#include "commlog/readers/log_readers.h"
#include "commlog/readers/readers.h"
#include "commlog/workload/patterns.h"
#include "mapper/anneal/objective_table.h"
#include "mapper/rankmap/rankmap.h"
#include "mapper/solve/strategy.h"
#include "netmodel/machine/fold.h"
#include "netmodel/machine/machine.h"
#include "netmodel/routing/topologies.h"
#include "options/common_options.h"

namespace haichi::cli {

namespace {

using Entries = std::vector<std::pair<std::string, std::string>>;

Entries machines() {
    Entries entries;
    for (const MachinePreset& preset : machine_presets()) entries.emplace_back(preset.pattern, preset.description);
    entries.emplace_back("FILE",
                         "a machine file, haichi-machine/1, or a network file that is recognised by its content");
    return entries;
}

Entries objective_entries() {
    Entries entries;
    for (const ObjectiveRow& row : objectives()) {
        entries.emplace_back(
            row.name, std::string(row.sentence) + (row.unit == "1" ? "" : " (unit: " + std::string(row.unit) + ")"));
    }
    return entries;
}

template <class Row>
Entries entries_of(const Table<Row>& table) {
    Entries entries;
    for (const Row& row : table) entries.emplace_back(row.name, row.sentence);
    return entries;
}

/// The patterns of sets, and then the programs with calls.
Entries pattern_entries() {
    Entries entries = entries_of(patterns());
    const Entries programs = entries_of(nas_programs());
    entries.insert(entries.end(), programs.begin(), programs.end());
    return entries;
}

/// The routings of all topologies, without duplicates.
Entries routings() {
    Entries entries;
    for (const TopologyRow& row : topologies()) {
        for (const RoutingWords& routing : row.routings) {
            if (std::ranges::find(entries, routing.pattern, &Entries::value_type::first) != entries.end()) continue;
            entries.emplace_back(routing.pattern, routing.sentence);
        }
    }
    return entries;
}

/// A list that `haichi list` can print.
struct Kind {
    std::string name;
    std::string sentence;
    Entries (*entries)();
};

const Table<Kind>& kinds() {
    static const Table<Kind> kKinds(
        {"list", "lists"},
        {{"machines", "values of --machine", machines},
         {"objectives", "values of --objective", objective_entries},
         {"strategies", "values of --strategy", [] { return entries_of(strategies()); }},
         {"formats", "formats of rank maps", [] { return entries_of(rank_map_formats()); }},
         {"topologies", "topologies of machines and machine files", [] { return entries_of(topologies()); }},
         {"routings", "values of --routing", routings},
         {"folds", "values of --fold", [] { return entries_of(folds()); }},
         {"patterns", "patterns of haichi pattern", pattern_entries},
         {"workload-formats", "formats of --workload", [] { return entries_of(workload_formats()); }},
         {"log-formats", "formats of the logs of haichi log and haichi ccs",
          [] { return entries_of(log_formats()); }}});
    return kKinds;
}

std::vector<const Kind*> chosen(const std::string& name) {
    std::vector<const Kind*> chosen;
    for (const Kind& kind : kinds()) {
        if (name.empty() || name == kind.name) chosen.push_back(&kind);
    }
    if (chosen.empty()) throw OptionError("unknown list " + shown(name), kinds().hint_for(name));
    return chosen;
}

int run(const std::string& name, bool json, Console& console) {
    nlohmann::ordered_json document;
    std::string text;
    const std::vector<const Kind*> listed = chosen(name);
    for (const Kind* kind : listed) {
        const Entries entries = kind->entries();
        if (listed.size() > 1) text += (text.empty() ? "" : "\n") + kind->name + "\n\n";
        text += definition_list(entries);
        nlohmann::ordered_json rows = nlohmann::ordered_json::array();
        for (const auto& [entry, description] : entries)
            rows.push_back({{"name", entry}, {"description", description}});
        document[kind->name] = std::move(rows);
    }
    console.data(json ? json_text(document, 2) + "\n" : text);
    return kExitDone;
}

Action configure_list(const CommandSpec& program, OptionTable& options) {
    struct ListArguments {
        std::string kind;
        std::string shown_machine;
        bool json = false;
    };
    const auto o = std::make_shared<ListArguments>();
    options.begin(OptionGroup::kOutput);
    options.add_text("KIND", o->kind,
                     {.description = "List to print: " + kinds().listing() + ", or options",
                      .otherwise = "all except options",
                      .is_argument = true});
    options.add_text(
        "show", o->shown_machine,
        {.description = "Print a preset as a machine file, with the source of its values", .value = "PRESET"});
    declare_json(options, o->json, "the lists as a JSON object");
    return [o, &program](Console& console) {
        if (o->kind == "options") return list_options(program, o->json, console);
        if (o->shown_machine.empty()) return run(o->kind, o->json, console);
        if (o->kind != "machines") throw OptionError("--show requires 'haichi list machines'");
        console.data(preset_text(o->shown_machine));
        return kExitDone;
    };
}

}  // namespace

std::vector<std::string> listed_words(const std::string& list) {
    std::vector<std::string> words;
    for (const auto& [name, description] : chosen(list).front()->entries()) words.push_back(name);
    return words;
}

Command list_command(const CommandSpec& program) {
    return {"list", "list the values of options: machines, objectives, strategies, formats and more",
            "haichi list objectives", [&program](OptionTable& options) { return configure_list(program, options); }};
}

}  // namespace haichi::cli
