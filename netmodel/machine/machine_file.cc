// The machine file, haichi-machine/1.

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/errors.h"
#include "base/located_json.h"
#include "base/quantity.h"
#include "base/regular_file.h"
#include "netmodel/machine/machine.h"
#include "netmodel/machine/machine_parameters.h"
#include "netmodel/routing/dimension_order.h"
#include "netmodel/routing/dragonfly_routing.h"
#include "netmodel/routing/fat_tree_routing.h"
#include "netmodel/routing/shortest_paths.h"
#include "netmodel/topology/graphml.h"
#include "netmodel/topology/machine_section.h"

namespace haichi {

namespace {

using nlohmann::json;
using Section = MachineSection;

Axis parse_axis(const LocatedJson& file, const std::string& pointer, bool may_wrap) {
    const Section section(
        file, pointer,
        may_wrap ? std::vector<std::string>{"name", "size", "wraps"} : std::vector<std::string>{"name", "size"});
    Axis axis;
    axis.name = section.text("name");
    constexpr std::size_t kLongestName = 16;
    const bool is_plain = std::ranges::all_of(axis.name, [](char c) {
        return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    });
    if (axis.name.empty() || axis.name.size() > kLongestName || !is_plain) {
        throw InputError(section.place("name"), "axis name " + shown(axis.name) + " must be 1 to " +
                                                    std::to_string(kLongestName) + " letters, digits or underscores");
    }
    axis.size = section.integer("size", 1, static_cast<std::int32_t>(kMostVertices));
    if (section.has("wraps")) {
        const json& wraps = section.required("wraps");
        if (!wraps.is_boolean()) section.fail("wraps", "true or false", wraps);
        axis.wraps = wraps.get<bool>();
    }
    return axis;
}

Grid parse_grid(const Section& section, bool may_wrap) {
    std::vector<Axis> axes;
    for (std::size_t k = 0; k < section.array("axes").size(); ++k) {
        const std::string pointer = section.pointer("axes/" + std::to_string(k));
        axes.push_back(parse_axis(section.file(), pointer, may_wrap));
        const auto same = [&](const Axis& axis) { return axis.name == axes.back().name; };
        if (std::ranges::count_if(axes, same) > 1) {
            throw InputError(section.file().place(pointer + "/name"),
                             "axis name " + shown(axes.back().name) + " stands twice");
        }
    }
    return placed(section.place("axes"), [&] { return Grid(std::move(axes)); });
}

std::vector<std::vector<std::size_t>> parse_logical(const Section& section, const Grid& grid) {
    std::vector<std::vector<std::size_t>> logical;
    if (!section.has("logical")) return logical;
    std::vector<std::string> names;
    for (const Axis& axis : grid.axes()) names.push_back(axis.name);
    std::vector<bool> used(names.size());
    for (const json& group : section.array("logical")) {
        const SourcePlace place = section.place("logical/" + std::to_string(logical.size()));
        if (!group.is_array() || group.empty() || group.size() > 2) {
            throw InputError(place,
                             "a logical axis is a list of one or two axis names, not " + Section::text_of(group));
        }
        logical.emplace_back();
        for (const json& name : group) {
            const auto found = name.is_string() ? std::ranges::find(names, name.get<std::string>()) : names.end();
            if (found == names.end()) {
                throw InputError(place, "there is no axis " + Section::text_of(name),
                                 name.is_string() ? did_you_mean(name.get<std::string>(), names) : "");
            }
            const auto k = static_cast<std::size_t>(found - names.begin());
            if (used[k]) throw InputError(place, "axis " + shown(*found) + " stands twice in 'logical'");
            used[k] = true;
            logical.back().push_back(k);
        }
    }
    if (logical.size() > 3) {
        throw InputError(section.place("logical"),
                         "there are 1 to 3 logical axes, not " + std::to_string(logical.size()));
    }
    const auto left_out = std::ranges::find(used, false);
    if (left_out != used.end()) {
        throw InputError(
            section.place("logical"),
            "axis " + shown(names[static_cast<std::size_t>(left_out - used.begin())]) + " is missing in 'logical'");
    }
    return logical;
}

/// The graph file, from the folder of the machine file; edges without a bandwidth have the machine's.
Graph parse_graph(const Section& section, const Machine& machine, std::optional<std::string>& graph_text) {
    const std::string name = section.text("file");
    if (name.empty() || name == "-") {
        throw InputError(section.place("file"), "a graph is read from a file, not from " + shown(name));
    }
    const std::filesystem::path folder = std::filesystem::path(section.file().file()).parent_path();
    const std::string path = (folder / name).string();
    if (!graph_text) {
        check_regular_file(path);
        graph_text = read_graphml(path);
    }
    return parse_graphml(*graph_text, path, machine.link_bandwidth_bytes_per_s);
}

/// From the host links upwards; levels without one have the machine's.
void parse_level_bandwidths(const Section& section, std::size_t levels, Machine& machine) {
    if (!section.has("bandwidth")) return;
    const json& bandwidths = section.array("bandwidth");
    if (bandwidths.size() > levels) {
        throw InputError(section.place("bandwidth"),
                         std::to_string(bandwidths.size()) + " bandwidths for " + std::to_string(levels) + " levels");
    }
    for (std::size_t l = 0; l < bandwidths.size(); ++l) {
        const std::string at = "bandwidth/" + std::to_string(l);
        if (!bandwidths[l].is_string()) section.fail(at, "a string", bandwidths[l]);
        machine.level_bandwidth_bytes_per_s.push_back(
            parse_positive_bandwidth(bandwidths[l].get<std::string>(), section.place(at)));
    }
}

void parse_dragonfly(const Section& section, Machine& machine) {
    constexpr auto kMost = static_cast<std::int32_t>(kMostVertices);
    const std::int32_t terminals = section.integer("terminals", 1, kMost);
    const std::int32_t routers = section.integer("routers", 1, kMost);
    const std::int32_t global_links = section.integer("global_links", 0, kMost);
    const std::int32_t groups = section.has("groups") ? section.integer("groups", 1, kMost) : 0;
    machine.topology = placed(section.place(section.has("groups") ? "groups" : "global_links"),
                              [&] { return Dragonfly(terminals, routers, global_links, groups); });
}

void parse_topology(const LocatedJson& file, Machine& machine, std::optional<std::string>& graph_text) {
    static const std::vector<std::string> kKinds = {"torus", "mesh", "tree", "fattree", "dragonfly", "graph"};
    const json& value = file.root().at("topology");
    std::string kind;
    if (value.is_object() && value.contains("kind") && value["kind"].is_string()) kind = value["kind"];
    const bool is_tree = kind == "tree" || kind == "fattree";
    std::vector<std::string> keys = {"kind", "axes", "logical"};
    if (is_tree) keys = {"kind", "children", "bandwidth"};
    if (kind == "fattree") keys.emplace_back("parents");
    if (kind == "dragonfly") keys = {"kind", "terminals", "routers", "global_links", "groups", "bandwidth"};
    if (kind == "graph") keys = {"kind", "file"};
    if (std::ranges::find(kKinds, kind) == kKinds.end()) {
        // the kind is the error to report
        keys = {"kind", "axes",      "logical", "children",     "parents", "bandwidth",
                "file", "terminals", "routers", "global_links", "groups"};
    }
    const Section section(file, "/topology", keys);
    if (section.text("kind") == "graph") {
        machine.topology = parse_graph(section, machine, graph_text);
        return;
    }
    if (kind == "dragonfly") {
        parse_dragonfly(section, machine);
        parse_level_bandwidths(section, 3, machine);
        return;
    }
    if (!is_tree) {
        if (kind != "torus" && kind != "mesh") {
            const std::string near = did_you_mean(kind, kKinds);
            throw InputError(section.place("kind"), "unknown topology kind " + shown(kind),
                             near.empty() ? "kinds are torus, mesh, tree, fattree, dragonfly and graph" : near);
        }
        machine.topology = parse_grid(section, kind == "torus");
        machine.logical = parse_logical(section, std::get<Grid>(machine.topology));
        return;
    }
    const std::vector<std::int32_t> children = section.integers("children");
    const std::vector<std::int32_t> parents =
        kind == "tree" ? std::vector<std::int32_t>(children.size(), 1) : section.integers("parents");
    machine.topology = placed(section.place("children"), [&] { return FatTree(children, parents); });
    parse_level_bandwidths(section, children.size(), machine);
}

void parse_grid_routing(const LocatedJson& file, Machine& machine) {
    const Grid& grid = std::get<Grid>(machine.topology);
    machine.routing = to_string(default_dimension_order(grid), grid);
    if (!file.root().contains("routing")) return;
    const Section section(file, "/routing", {"kind", "order", "tie", "column"});
    if (section.text("kind") != "dimension-order") {
        throw InputError(section.place("kind"),
                         "routing kind " + shown(section.text("kind")) + " does not fit a mesh or torus",
                         "the kind is dimension-order");
    }
    std::string text = machine.routing.substr(0, machine.routing.find(','));
    if (section.has("order")) text = "dor:" + section.text("order");
    if (section.has("tie")) text += ",tie=" + section.text("tie");
    if (section.has("column")) text += ",column=" + section.text("column");
    const std::string at = section.has("order") ? "order" : section.has("tie") ? "tie" : "column";
    machine.routing = placed(section.place(at), [&] { return to_string(parse_dimension_order(text, grid), grid); });
}

void parse_graph_routing(const LocatedJson& file, Machine& machine) {
    machine.routing = kShortestPath;
    if (!file.root().contains("routing")) return;
    const Section section(file, "/routing", {"kind"});
    placed(section.place("kind"), [&] { check_graph_routing(section.text("kind")); });
}

void read_dragonfly_routing(const LocatedJson& file, Machine& machine) {
    machine.routing = to_string(DragonflyRouting::kMinimal);
    if (!file.root().contains("routing")) return;
    const Section section(file, "/routing", {"kind"});
    machine.routing =
        placed(section.place("kind"), [&] { return to_string(parse_dragonfly_routing(section.text("kind"))); });
}

void parse_tree_routing(const LocatedJson& file, Machine& machine) {
    machine.routing = to_string(FatTreeRouting::kDownStraight);
    if (!file.root().contains("routing")) return;
    const Section section(file, "/routing", {"kind"});
    machine.routing =
        placed(section.place("kind"), [&] { return to_string(parse_fat_tree_routing(section.text("kind"))); });
}

/// A node's number, or one coordinate per axis.
VertexId parse_faulty_node(const json& value, const SourcePlace& place, const Machine& machine) {
    const auto* grid = std::get_if<Grid>(&machine.topology);
    if (!value.is_array()) {
        return VertexId(Section::integer_of(value, place, "a faulty node", 0, terminal_count(machine) - 1));
    }
    if (grid == nullptr || value.size() != grid->axis_count()) {
        throw InputError(place, "a faulty node is its number" +
                                    (grid == nullptr ? std::string{}
                                                     : " or " + std::to_string(grid->axis_count()) + " coordinates") +
                                    ", not " + Section::text_of(value));
    }
    Coordinates at;
    for (std::size_t k = 0; k < grid->axis_count(); ++k) {
        at.push_back(
            Section::integer_of(value[k], place, "coordinate " + grid->axis(k).name, 0, grid->axis(k).size - 1));
    }
    return grid->vertex(at);
}

void parse_faulty(const Section& root, Machine& machine) {
    if (!root.has("faulty")) return;
    const json& list = root.required("faulty");
    if (!list.is_array()) root.fail("faulty", "a list of nodes", list);
    std::vector<bool> is_faulty(static_cast<std::size_t>(terminal_count(machine)));
    for (const json& value : list) {
        const SourcePlace place = root.place("faulty/" + std::to_string(machine.faulty.size()));
        const VertexId node = parse_faulty_node(value, place, machine);
        if (is_faulty[node.index()]) {
            throw InputError(place, "faulty node " + Section::text_of(value) + " is listed twice");
        }
        is_faulty[node.index()] = true;
        machine.faulty.push_back(node);
    }
}

/// The shape of a job: one size per axis, none larger than the axis.
std::vector<std::int32_t> parse_shape(const json& value, const SourcePlace& place, const Grid& grid) {
    if (!value.is_array() || value.size() != grid.axis_count()) {
        throw InputError(place, "a shape is a list of " + std::to_string(grid.axis_count()) + " sizes, not " +
                                    Section::text_of(value));
    }
    std::vector<std::int32_t> shape;
    for (const Axis& axis : grid.axes()) {
        shape.push_back(Section::integer_of(value[shape.size()], place, "the size along " + axis.name, 1, axis.size));
    }
    return shape;
}

void parse_allocations(const Section& root, Machine& machine) {
    if (!root.has("allocations")) return;
    const auto* grid = std::get_if<Grid>(&machine.topology);
    if (grid == nullptr) {
        throw InputError(root.place("allocations"), "allocations are shapes of jobs on a mesh or torus",
                         "jobs on other machines have node lists");
    }
    std::set<std::vector<std::int32_t>> seen;
    for (const json& value : root.array("allocations")) {
        const SourcePlace place = root.place("allocations/" + std::to_string(machine.allocations.size()));
        std::vector<std::int32_t> shape = parse_shape(value, place, *grid);
        if (!seen.insert(shape).second) {
            throw InputError(place, "allocation " + Section::text_of(value) + " is listed twice");
        }
        machine.allocations.push_back(std::move(shape));
    }
}

}  // namespace

Machine parse_machine(std::string_view text, const std::string& file_name, std::optional<std::string>* graph_text) {
    const LocatedJson file = LocatedJson::parse(text, file_name);
    const Section root(
        file, "",
        {"schema", "name", "topology", "routing", "faulty", "allocations", "link", "router", "packet", "node"});
    if (root.text("schema") != "haichi-machine/1") {
        throw InputError(root.place("schema"), "unknown schema " + shown(root.text("schema")),
                         "this version reads haichi-machine/1");
    }
    (void)root.required("topology");
    (void)root.required("link");

    Machine machine;
    machine.name = root.has("name") ? root.text("name") : file_name;
    const Section link(file, "/link", {"bandwidth", "cable_latency"});
    machine.link_bandwidth_bytes_per_s = parse_positive_bandwidth(link.text("bandwidth"), link.place("bandwidth"));
    link.quantity("cable_latency", parse_time_ps, machine.cable_latency_ps);
    std::optional<std::string> unkept;
    parse_topology(file, machine, graph_text != nullptr ? *graph_text : unkept);
    if (std::holds_alternative<Grid>(machine.topology)) {
        parse_grid_routing(file, machine);
    } else if (std::holds_alternative<FatTree>(machine.topology)) {
        parse_tree_routing(file, machine);
    } else if (std::holds_alternative<Dragonfly>(machine.topology)) {
        read_dragonfly_routing(file, machine);
    } else {
        parse_graph_routing(file, machine);
    }
    parse_faulty(root, machine);
    parse_allocations(root, machine);
    parse_machine_parameters(file, machine);
    return machine;
}

}  // namespace haichi
