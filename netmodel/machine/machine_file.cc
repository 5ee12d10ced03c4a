// The machine file, haichi-machine/1.

#include <algorithm>
#include <filesystem>
#include <functional>

#include "base/errors.h"
#include "base/located_json.h"
#include "base/quantity.h"
#include "netmodel/machine/graphml.h"
#include "netmodel/machine/machine.h"
#include "netmodel/routing/dimension_order.h"
#include "netmodel/routing/fat_tree_routing.h"
#include "netmodel/routing/shortest_paths.h"

namespace haichi {

namespace {

using nlohmann::json;

/// One object of the file: its keys are checked when it is opened, its values when they are asked for.
class Section {
  public:
    Section(const LocatedJson& file, std::string pointer, const std::vector<std::string>& keys)
        : file_(file), pointer_(std::move(pointer)), value_(file.root().at(json::json_pointer(pointer_))) {
        const std::string what = pointer_.empty() ? "a machine file" : shown(pointer_.substr(1));
        if (!value_.is_object()) throw InputError(place(), what + " must be an object, not " + text_of(value_));
        for (const auto& item : value_.items()) {
            if (std::ranges::find(keys, item.key()) == keys.end()) {
                const std::string near = did_you_mean(item.key(), keys);
                std::string all;
                for (const std::string& key : keys) {
                    if (!all.empty()) all += ", ";
                    all += key;
                }
                throw InputError(place(item.key()), "unknown key " + shown(item.key()) + " in " + what,
                                 near.empty() ? "keys are " + all : near);
            }
        }
    }

    [[nodiscard]] bool has(const std::string& key) const { return value_.contains(key); }
    [[nodiscard]] std::string pointer(const std::string& key) const { return pointer_ + "/" + key; }
    [[nodiscard]] SourcePlace place() const { return file_.place(pointer_); }
    [[nodiscard]] SourcePlace place(const std::string& key) const { return file_.place(pointer(key)); }
    [[nodiscard]] const LocatedJson& file() const { return file_; }

    [[nodiscard]] const json& required(const std::string& key) const {
        if (!has(key)) throw InputError(place(), "key " + shown(key) + " is missing");
        return value_.at(key);
    }

    [[nodiscard]] std::string text(const std::string& key) const {
        const json& value = required(key);
        if (!value.is_string()) fail(key, "a string", value);
        return value.get<std::string>();
    }

    [[nodiscard]] std::int32_t integer(const std::string& key, std::int32_t least, std::int32_t most) const {
        return integer_of(required(key), place(key), "'" + key + "'", least, most);
    }

    [[nodiscard]] static std::int32_t integer_of(const json& value, const SourcePlace& place, const std::string& what,
                                                 std::int32_t least, std::int32_t most) {
        const bool in_range = value.is_number_unsigned()
                                  ? value.get<std::uint64_t>() <= static_cast<std::uint64_t>(most)
                                  : value.is_number_integer() && value.get<std::int64_t>() <= most;
        if (!value.is_number_integer() || !in_range || value.get<std::int64_t>() < least) {
            throw InputError(place, what + " must be a whole number from " + std::to_string(least) + " to " +
                                        std::to_string(most) + ", not " + text_of(value));
        }
        return static_cast<std::int32_t>(value.get<std::int64_t>());
    }

    [[nodiscard]] const json& array(const std::string& key) const {
        const json& value = required(key);
        if (!value.is_array() || value.empty()) fail(key, "a list that is not empty", value);
        return value;
    }

    [[nodiscard]] std::vector<std::int32_t> integers(const std::string& key) const {
        std::vector<std::int32_t> numbers;
        for (const json& value : array(key)) {
            const std::string at = key + "/" + std::to_string(numbers.size());
            numbers.push_back(
                integer_of(value, place(at), "'" + key + "'", 1, static_cast<std::int32_t>(kMostVertices)));
        }
        return numbers;
    }

    using Parse = std::int64_t (*)(std::string_view, const SourcePlace&);
    /// Leaves `target` empty when the key is absent.
    void quantity(const std::string& key, Parse parse, std::optional<std::int64_t>& target) const {
        if (has(key)) target = parse(text(key), place(key));
    }

    [[noreturn]] void fail(const std::string& key, const std::string& expected, const json& value) const {
        throw InputError(place(key), shown(key) + " must be " + expected + ", not " + text_of(value));
    }

    static std::string text_of(const json& value) {
        return shown(value.dump(-1, ' ', true, json::error_handler_t::replace));
    }

  private:
    const LocatedJson& file_;
    std::string pointer_;
    const json& value_;
};

/// Runs `make` and gives the OptionErrors of topologies and routings a place in the file.
template <class Make>
auto placed(const SourcePlace& place, const Make& make) {
    try {
        return make();
    } catch (const OptionError& error) {
        throw InputError(place, error.what(), error.hint());
    }
}

std::int64_t parse_positive_bytes(std::string_view text, const SourcePlace& place) {
    const std::int64_t bytes = parse_bytes(text, place);
    if (bytes == 0) throw InputError(place, "size " + shown(text) + " must be positive");
    return bytes;
}

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
Graph parse_graph(const Section& section, const Machine& machine) {
    const std::string name = section.text("file");
    if (name.empty() || name == "-") {
        throw InputError(section.place("file"), "a graph is read from a file, not from " + shown(name));
    }
    const std::filesystem::path folder = std::filesystem::path(section.file().file()).parent_path();
    return load_graphml((folder / name).string(), machine.link_bandwidth_bytes_per_s);
}

void parse_topology(const LocatedJson& file, Machine& machine) {
    static const std::vector<std::string> kKinds = {"torus", "mesh", "tree", "fattree", "graph"};
    const json& value = file.root().at("topology");
    std::string kind;
    if (value.is_object() && value.contains("kind") && value["kind"].is_string()) kind = value["kind"];
    const bool is_tree = kind == "tree" || kind == "fattree";
    std::vector<std::string> keys = {"kind", "axes", "logical"};
    if (is_tree) keys = {"kind", "children", "bandwidth"};
    if (kind == "fattree") keys.emplace_back("parents");
    if (kind == "graph") keys = {"kind", "file"};
    if (std::ranges::find(kKinds, kind) == kKinds.end()) {
        keys = {"kind",    "axes",      "logical", "children",
                "parents", "bandwidth", "file"};  // the kind is the error to report
    }
    const Section section(file, "/topology", keys);
    if (section.text("kind") == "dragonfly") {
        throw UnsupportedError(to_string(section.place("kind")) + ": topology kind " + shown(kind) +
                               " does not exist yet");
    }
    if (kind == "graph") {
        machine.topology = parse_graph(section, machine);
        return;
    }
    if (!is_tree) {
        if (kind != "torus" && kind != "mesh") {
            const std::string near = did_you_mean(kind, kKinds);
            throw InputError(section.place("kind"), "unknown topology kind " + shown(kind),
                             near.empty() ? "kinds are torus, mesh, tree, fattree and graph" : near);
        }
        machine.topology = parse_grid(section, kind == "torus");
        machine.logical = parse_logical(section, std::get<Grid>(machine.topology));
        return;
    }
    const std::vector<std::int32_t> children = section.integers("children");
    const std::vector<std::int32_t> parents =
        kind == "tree" ? std::vector<std::int32_t>(children.size(), 1) : section.integers("parents");
    machine.topology = placed(section.place("children"), [&] { return FatTree(children, parents); });
    if (!section.has("bandwidth")) return;
    const json& bandwidths = section.array("bandwidth");
    if (bandwidths.size() > children.size()) {
        throw InputError(section.place("bandwidth"), std::to_string(bandwidths.size()) + " bandwidths for " +
                                                         std::to_string(children.size()) + " levels");
    }
    for (std::size_t l = 0; l < bandwidths.size(); ++l) {
        const std::string at = "bandwidth/" + std::to_string(l);
        if (!bandwidths[l].is_string()) section.fail(at, "a string", bandwidths[l]);
        machine.level_bandwidth_bytes_per_s.push_back(
            parse_positive_bandwidth(bandwidths[l].get<std::string>(), section.place(at)));
    }
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

/// "8 packets"
std::int32_t parse_buffer(const std::string& text, const SourcePlace& place) {
    const auto blank = text.find(' ');
    const std::string unit = blank == std::string::npos ? "" : text.substr(blank + 1);
    if (unit != "packets" && unit != "packet") {
        throw InputError(place, "a buffer holds a number of packets, not " + shown(text), "an example is '8 packets'");
    }
    constexpr std::int64_t kMostPackets = 1 << 20;
    const std::int64_t packets = parse_count(text.substr(0, blank), kMostPackets, place);
    if (packets == 0) throw InputError(place, "a buffer holds at least 1 packet, not " + shown(text));
    return static_cast<std::int32_t>(packets);
}

void parse_router(const LocatedJson& file, Machine::Router& router) {
    if (!file.root().contains("router")) return;
    const Section section(file, "/router",
                          {"routing_time", "vc_allocation_time", "switch_allocation_time", "switch_latency",
                           "bandwidth", "virtual_channels", "buffer"});
    section.quantity("routing_time", parse_time_ps, router.routing_time_ps);
    section.quantity("vc_allocation_time", parse_time_ps, router.vc_allocation_time_ps);
    section.quantity("switch_allocation_time", parse_time_ps, router.switch_allocation_time_ps);
    section.quantity("switch_latency", parse_time_ps, router.switch_latency_ps);
    section.quantity("bandwidth", parse_positive_bandwidth, router.bandwidth_bytes_per_s);
    if (section.has("virtual_channels")) router.virtual_channels = section.integer("virtual_channels", 1, 64);
    if (section.has("buffer")) router.buffer_packets = parse_buffer(section.text("buffer"), section.place("buffer"));
}

void parse_node(const LocatedJson& file, Machine::Node& node) {
    if (!file.root().contains("node")) return;
    const Section section(file, "/node",
                          {"nics", "nic_bandwidth", "dma_bandwidth", "memory_bandwidth", "mpi_call_overhead",
                           "rendezvous_overhead", "eager_limit", "barrier", "slots", "progress"});
    if (section.has("nics")) node.nics = section.integer("nics", 1, 64);
    section.quantity("nic_bandwidth", parse_positive_bandwidth, node.nic_bandwidth_bytes_per_s);
    section.quantity("dma_bandwidth", parse_positive_bandwidth, node.dma_bandwidth_bytes_per_s);
    section.quantity("memory_bandwidth", parse_positive_bandwidth, node.memory_bandwidth_bytes_per_s);
    section.quantity("mpi_call_overhead", parse_time_ps, node.mpi_call_overhead_ps);
    section.quantity("rendezvous_overhead", parse_time_ps, node.rendezvous_overhead_ps);
    section.quantity("eager_limit", parse_bytes, node.eager_limit_bytes);
    section.quantity("barrier", parse_time_ps, node.barrier_ps);
    if (section.has("slots")) node.slots = section.integer("slots", 1, 1 << 16);
    if (!section.has("progress")) return;
    node.progress = section.text("progress");
    if (node.progress != "nic" && node.progress != "calls") {
        throw InputError(section.place("progress"), "unknown progress " + shown(node.progress),
                         "'progress' is nic or calls");
    }
}

}  // namespace

Machine parse_machine(std::string_view text, const std::string& file_name) {
    const LocatedJson file = LocatedJson::parse(text, file_name);
    const Section root(file, "",
                       {"schema", "name", "topology", "routing", "faulty", "link", "router", "packet", "node"});
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
    parse_topology(file, machine);
    if (std::holds_alternative<Grid>(machine.topology)) {
        parse_grid_routing(file, machine);
    } else if (std::holds_alternative<FatTree>(machine.topology)) {
        parse_tree_routing(file, machine);
    } else {
        parse_graph_routing(file, machine);
    }
    parse_faulty(root, machine);
    parse_router(file, machine.router);
    if (root.has("packet")) {
        const Section packet(file, "/packet", {"payload", "header"});
        packet.quantity("payload", parse_positive_bytes, machine.packet_payload_bytes);
        packet.quantity("header", parse_bytes, machine.packet_header_bytes);
    }
    parse_node(file, machine.node);
    return machine;
}

}  // namespace haichi
