#include "netmodel/networkfiles/slurm_yaml.h"

#include <algorithm>
#include <array>

#include "base/quantity.h"
#include "base/split.h"
#include "netmodel/networkfiles/graph_builder.h"
#include "netmodel/networkfiles/slurm_model.h"
#include "netmodel/networkfiles/yaml_value.h"

namespace haichi {

namespace {

using Cell = std::array<std::int64_t, 3>;

/// The names in a hostlist or a list of hostlists; empty if the key is missing.
std::vector<std::string> names_at(SlurmNames& names, const YamlValue& map, std::string_view key) {
    const YamlValue* value = map.find(key);
    if (value == nullptr || value->kind == YamlValue::Kind::kNothing) return {};
    if (value->kind == YamlValue::Kind::kText) return names.expand(value->text, value->place);
    std::vector<std::string> all;
    for (const YamlValue& item : map.list(key)) {
        const std::vector<std::string> more = names.expand(item.text, item.place);
        all.insert(all.end(), more.begin(), more.end());
    }
    return all;
}

SlurmTree tree_of(const YamlValue& from) {
    from.check_keys({"switches"});
    SlurmTree tree;
    SlurmNames names;
    for (const YamlValue& item : from.list("switches")) {
        item.check_keys({"switch", "children", "nodes", "link_speed"});
        tree.switches.push_back({.name = item.text_at("switch"),
                                 .place = item.place,
                                 .children = names_at(names, item, "children"),
                                 .nodes = names_at(names, item, "nodes")});
    }
    return tree;
}

SlurmBlocks blocks_of(const YamlValue& from) {
    from.check_keys({"block_sizes", "blocks"});
    SlurmBlocks blocks;
    SlurmNames names;
    for (const YamlValue& size : from.list("block_sizes")) {
        blocks.sizes.push_back(parse_count(size.text, INT32_MAX, size.place));
        blocks.place_of_sizes = size.place;
    }
    for (const YamlValue& item : from.list("blocks")) {
        item.check_keys({"block", "nodes"});
        blocks.blocks.push_back({item.text_at("block"), names_at(names, item, "nodes"), item.place});
    }
    return blocks;
}

/// Joins separate rings or toruses by cables from their first nodes to a switch.
void join_at_first_nodes(GraphBuilder& graph, const std::string& what, std::int64_t bandwidth,
                         const NetworkText& from) {
    const std::vector<GraphBuilder::Vertex> parts = graph.parts();
    if (parts.size() <= 1) return;
    const GraphBuilder::Vertex middle = graph.network_switch("assumed switch");
    for (const GraphBuilder::Vertex part : parts) graph.connect(part, middle, bandwidth);
    from.notes.push_back(from.file + " does not state how its " + std::to_string(parts.size()) + " " + what +
                         " are connected, so a switch between their first nodes is assumed");
}

Graph graph_of_rings(const YamlValue& rings, const NetworkText& from) {
    rings.check_keys({"rings"});
    const std::int64_t bandwidth = from.assumed_bandwidth();
    GraphBuilder graph;
    SlurmNames hostlists;
    for (const YamlValue& ring : rings.list("rings")) {
        ring.check_keys({"ring", "nodes"});
        std::vector<GraphBuilder::Vertex> nodes;
        for (const std::string& name : names_at(hostlists, ring, "nodes")) {
            if (graph.has_node(name)) throw InputError(ring.place, "duplicate node " + shown(name));
            nodes.push_back(graph.node(name));
        }
        for (std::size_t i = 0; i + 1 < nodes.size(); ++i) graph.connect(nodes[i], nodes[i + 1], bandwidth);
        if (nodes.size() > 2) graph.connect(nodes.back(), nodes.front(), bandwidth);
    }
    join_at_first_nodes(graph, "rings", bandwidth, from);
    return graph.graph(from.file);
}

Cell cell_at(const YamlValue& map, std::string_view key, std::int64_t least, std::int64_t most) {
    constexpr std::array<std::string_view, 3> kAxes = {"x", "y", "z"};
    const YamlValue& value = map.at(key);
    value.check_keys({"x", "y", "z"});
    Cell cell{};
    for (std::size_t k = 0; k < 3; ++k) {
        cell[k] = parse_count(value.text_at(kAxes[k]), most, value.at(kAxes[k]).place);
        if (cell[k] < least) throw InputError(value.place, "expected a positive size for " + shown(kAxes[k]));
    }
    return cell;
}

/// Calls visit(cell) for the cells of a box, X fastest.
template <class Visit>
void for_cells(const Cell& anchor, const Cell& dims, const Visit& visit) {
    for (std::int64_t z = 0; z < dims[2]; ++z) {
        for (std::int64_t y = 0; y < dims[1]; ++y) {
            for (std::int64_t x = 0; x < dims[0]; ++x) visit(Cell{anchor[0] + x, anchor[1] + y, anchor[2] + z});
        }
    }
}

void add_torus(const YamlValue& torus, SlurmNames& hostlists, GraphBuilder& graph, std::int64_t bandwidth) {
    torus.check_keys({"name", "dims", "nodes", "regions", "placements"});
    const Cell dims = cell_at(torus, "dims", 1, 1024);
    if (dims[0] * dims[1] * dims[2] > Graph::kMostVertices) {
        throw InputError(torus.at("dims").place,
                         "the torus has more than " + std::to_string(Graph::kMostVertices) + " cells");
    }
    const auto index = [&dims](const Cell& at) {
        return static_cast<std::size_t>(at[0] + dims[0] * (at[1] + dims[1] * at[2]));
    };
    std::vector<std::optional<GraphBuilder::Vertex>> vertices(static_cast<std::size_t>(dims[0] * dims[1] * dims[2]));
    const auto place_nodes = [&](const Cell& anchor, const Cell& size, const YamlValue& map) {
        const std::vector<std::string> names = names_at(hostlists, map, "nodes");
        for (std::size_t k = 0; k < 3; ++k) {
            if (anchor[k] + size[k] > dims[k]) throw InputError(map.place, "the region is larger than the torus");
        }
        if (names.size() > static_cast<std::size_t>(size[0] * size[1] * size[2])) {
            throw InputError(map.place, std::to_string(names.size()) + " nodes, more than cells");
        }
        std::size_t next = 0;
        for_cells(anchor, size, [&](const Cell& at) {
            if (next == names.size()) return;
            if (vertices[index(at)]) throw InputError(map.place, "two nodes in one cell: " + shown(names[next]));
            if (graph.has_node(names[next])) throw InputError(map.place, "duplicate node " + shown(names[next]));
            vertices[index(at)] = graph.node(names[next++]);
        });
    };
    if (torus.find("nodes") != nullptr) place_nodes({}, dims, torus);
    for (const YamlValue& region : torus.list("regions")) {
        region.check_keys({"anchor", "dims", "nodes"});
        place_nodes(cell_at(region, "anchor", 0, 1023), cell_at(region, "dims", 1, 1024), region);
    }
    // A cell without a node becomes a switch, because it still forwards messages.
    for_cells({}, dims, [&](const Cell& at) {
        auto& vertex = vertices[index(at)];
        if (vertex) return;
        vertex = graph.network_switch(torus.text_at("name") + " " + std::to_string(at[0]) + "," +
                                      std::to_string(at[1]) + "," + std::to_string(at[2]));
    });
    for_cells({}, dims, [&](const Cell& at) {
        for (std::size_t k = 0; k < 3; ++k) {
            Cell next = at;
            next[k] = (at[k] + 1) % dims[k];
            const bool is_second = dims[k] == 2 && at[k] == 1;  // the cable that cell 0 has added
            if (dims[k] > 1 && !is_second) graph.connect(*vertices[index(at)], *vertices[index(next)], bandwidth);
        }
    });
}

Graph graph_of_toruses(const YamlValue& toruses, const NetworkText& from) {
    toruses.check_keys({"toruses"});
    const std::int64_t bandwidth = from.assumed_bandwidth();
    GraphBuilder graph;
    SlurmNames hostlists;
    for (const YamlValue& torus : toruses.list("toruses")) add_torus(torus, hostlists, graph, bandwidth);
    join_at_first_nodes(graph, "toruses", bandwidth, from);
    return graph.graph(from.file);
}

/// The default topology of the cluster, which Slurm uses for partitions that name none.
const YamlValue& default_topology(const YamlValue& document, const NetworkText& from) {
    if (document.kind != YamlValue::Kind::kList || document.items.empty()) {
        throw InputError(document.place, "expected a list of topologies, each with the key 'topology'");
    }
    const YamlValue* chosen = &document.items.front();
    for (const YamlValue& item : document.items) {
        const YamlValue* is_default = item.find("cluster_default");
        if (is_default == nullptr || is_default->text != "true") continue;
        chosen = &item;
        break;
    }
    if (document.items.size() > 1) {
        from.notes.push_back(from.file + " has " + std::to_string(document.items.size()) + " topologies; haichi uses " +
                             shown(chosen->text_at("topology")) + ", the default of the cluster");
    }
    return *chosen;
}

}  // namespace

bool is_slurm_yaml(std::string_view text) {
    for (const std::string_view line : split(text.substr(0, std::size_t{1} << 16), '\n')) {
        const std::string_view content = trimmed(line);
        if (content.empty() || content.front() == '#' || content == "---") continue;
        return content.starts_with("- topology:") || content.starts_with("- cluster_default:");
    }
    return false;
}

Graph read_slurm_yaml(const NetworkText& from) {
    const YamlValue document = read_yaml(from.text, from.file);
    const YamlValue& topology = default_topology(document, from);
    topology.check_keys({"topology", "cluster_default", "tree", "block", "ring", "torus3d", "flat"});
    if (topology.entries.size() > (topology.find("cluster_default") != nullptr ? 3U : 2U)) {
        throw InputError(topology.place, "expected one kind of topology in " + shown(topology.text_at("topology")),
                         "keep one of tree, block, ring, torus3d and flat");
    }
    if (const YamlValue* tree = topology.find("tree")) return graph_of(tree_of(*tree), from);
    if (const YamlValue* block = topology.find("block")) return graph_of(blocks_of(*block), from);
    if (const YamlValue* ring = topology.find("ring")) return graph_of_rings(*ring, from);
    if (const YamlValue* torus = topology.find("torus3d")) return graph_of_toruses(*torus, from);
    throw InputError(topology.place,
                     "the topology " + shown(topology.text_at("topology")) + " is flat and names no nodes",
                     "use the preset switch:N for N nodes at one switch");
}

}  // namespace haichi
