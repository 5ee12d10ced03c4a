#include "netmodel/networkfiles/topograph.h"

#include <algorithm>

#include "base/split.h"
#include "netmodel/networkfiles/slurm_model.h"
#include "netmodel/networkfiles/yaml_value.h"

namespace haichi {

namespace {

std::vector<std::string> names_of(SlurmNames& names, const YamlValue& map, std::string_view key) {
    std::vector<std::string> all;
    for (const YamlValue& item : map.list(key)) {
        const std::vector<std::string> more = names.expand(item.text, item.place);
        all.insert(all.end(), more.begin(), more.end());
    }
    return all;
}

/// Adds the nodes to the switch `name`. Creates the switch if no entry declares it.
void add_nodes(SlurmTree& tree, const std::string& name, std::vector<std::string> nodes, const SourcePlace& place) {
    auto at = std::ranges::find(tree.switches, name, &SlurmSwitch::name);
    if (at == tree.switches.end()) at = tree.switches.insert(at, {.name = name, .place = place});
    at->nodes.insert(at->nodes.end(), nodes.begin(), nodes.end());
}

}  // namespace

bool is_topograph(std::string_view text) {
    bool has_switches = false;
    for (const std::string_view raw : split(text, '\n')) {
        const std::string_view line = trimmed(raw, "\r");
        if (line.starts_with("switches:")) has_switches = true;
        if (has_switches &&
            (line.starts_with("blocks:") || line.starts_with("capacity_blocks:") || line.starts_with("nodes:"))) {
            return true;
        }
    }
    return false;
}

Graph read_topograph(const NetworkText& from) {
    const YamlValue document = read_yaml(from.text, from.file);
    document.check_keys({"switches", "blocks", "capacity_blocks", "nodes"});
    SlurmTree tree;
    SlurmNames names;
    const YamlValue& switches = document.at("switches");
    for (const auto& [name, value] : switches.entries) {
        tree.switches.push_back({.name = name, .place = value.place, .children = names_of(names, value, "switches")});
        add_nodes(tree, name, names_of(names, value, "nodes"), value.place);
    }
    for (const YamlValue& item : switches.items) {
        tree.switches.push_back(
            {.name = item.text_at("name"), .place = item.place, .children = names_of(names, item, "switches")});
        add_nodes(tree, item.text_at("name"), names_of(names, item, "nodes"), item.place);
    }
    for (const std::string_view key : {"blocks", "capacity_blocks"}) {
        for (const YamlValue& block : document.list(key)) {
            const std::string& name = block.text_at(block.find("switch") != nullptr ? "switch" : "name");
            add_nodes(tree, name, names_of(names, block, "nodes"), block.place);
        }
    }
    // A switch without nodes has no entry of its own, so the entry of its parent creates it.
    for (std::size_t i = 0; i < tree.switches.size(); ++i) {
        const SourcePlace place = tree.switches[i].place;
        for (const std::string& child : std::vector<std::string>(tree.switches[i].children)) {
            add_nodes(tree, child, {}, place);
        }
    }
    return graph_of(std::move(tree), from);
}

}  // namespace haichi
