#include "cli/commands/list.h"

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/errors.h"
#include "cli/output/tables.h"
#include "commlog/readers/log_readers.h"
#include "commlog/readers/readers.h"
#include "commlog/workload/patterns.h"
#include "mapper/anneal/objective_table.h"
#include "mapper/job/map_job.h"
#include "mapper/job/strategy.h"
#include "mapper/rankmap/rankmap.h"
#include "netmodel/machine/machine.h"
#include "netmodel/routing/topologies.h"

namespace haichi::cli {

namespace {

using Entries = std::vector<std::pair<std::string, std::string>>;

Entries machines() {
    Entries entries;
    for (const MachinePreset& preset : machine_presets()) entries.emplace_back(preset.pattern, preset.description);
    entries.emplace_back("FILE", "a machine file, haichi-machine/1");
    return entries;
}

Entries objectives() {
    Entries entries;
    for (const ObjectiveRow& row : haichi::objectives()) {
        entries.emplace_back(row.name,
                             std::string(row.sentence) + (row.unit == "1" ? "" : ", in " + std::string(row.unit)));
    }
    return entries;
}

Entries strategies() {
    Entries entries;
    for (const StrategyInfo& info : strategy_infos()) entries.emplace_back(info.name, info.description);
    return entries;
}

Entries formats() {
    Entries entries;
    for (const RankMapFormat& format : rank_map_formats()) entries.emplace_back(format.name, format.description);
    return entries;
}

Entries log_format_entries() {
    Entries entries;
    for (const LogFormat& format : log_formats()) entries.emplace_back(format.name, format.description);
    return entries;
}

Entries workload_format_entries() {
    Entries entries;
    for (const WorkloadFormat& format : workload_formats()) entries.emplace_back(format.name, format.description);
    return entries;
}

Entries topology_entries() {
    Entries entries;
    for (const TopologyRow& row : topologies()) entries.emplace_back(row.name, row.sentence);
    return entries;
}

/// Kinds of topologies may share one.
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

Entries pattern_entries() {
    Entries entries;
    for (const PatternRow& row : patterns()) entries.emplace_back(row.name, row.description);
    return entries;
}

struct Kind {
    std::string name;
    Entries (*entries)();
};

const std::vector<Kind>& kinds() {
    static const std::vector<Kind> kKinds = {{"machines", machines},
                                             {"objectives", objectives},
                                             {"strategies", strategies},
                                             {"formats", formats},
                                             {"topologies", topology_entries},
                                             {"routings", routings},
                                             {"patterns", pattern_entries},
                                             {"workload-formats", workload_format_entries},
                                             {"log-formats", log_format_entries}};
    return kKinds;
}

std::string names_of_kinds() {
    std::string all;
    for (const Kind& kind : kinds()) all += (all.empty() ? "" : ", ") + kind.name;
    return all;
}

std::vector<Kind> chosen(const std::string& name) {
    if (name.empty()) return kinds();
    const auto found = std::ranges::find(kinds(), name, &Kind::name);
    if (found != kinds().end()) return {*found};
    std::vector<std::string> names;
    for (const Kind& kind : kinds()) names.push_back(kind.name);
    const std::string near = did_you_mean(name, names);
    throw OptionError("there is no list of " + shown(name), near.empty() ? "lists are " + names_of_kinds() : near);
}

int run(const std::string& name, bool json, Console& console) {
    nlohmann::ordered_json document;
    std::string text;
    const std::vector<Kind> listed = chosen(name);
    for (const Kind& kind : listed) {
        const Entries entries = kind.entries();
        if (listed.size() > 1) text += (text.empty() ? "" : "\n") + kind.name + "\n\n";
        text += definition_list(entries);
        nlohmann::ordered_json rows = nlohmann::ordered_json::array();
        for (const auto& [entry, description] : entries)
            rows.push_back({{"name", entry}, {"description", description}});
        document[kind.name] = std::move(rows);
    }
    console.data(json ? document.dump(2) + "\n" : text);
    return kExitDone;
}

Action configure(CLI::App& app) {
    struct Options {
        std::string kind;
        bool json = false;
    };
    const auto o = std::make_shared<Options>();
    app.add_option("KIND", o->kind, names_of_kinds() + "; default: all of them")->type_name("");
    app.add_flag("--json", o->json, "print a JSON object of lists");
    return [o](Console& console) { return run(o->kind, o->json, console); };
}

}  // namespace

Command list_command() {
    return {
        "list",
        "show the machines, objectives, strategies, formats, routings, patterns, workload and log formats there are",
        "haichi list objectives", configure};
}

}  // namespace haichi::cli
