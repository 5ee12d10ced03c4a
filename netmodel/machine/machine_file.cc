// Machine files, haichi-machine/1.

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/errors.h"
#include "base/located_json.h"
#include "base/printable.h"
#include "netmodel/machine/distances.h"
#include "netmodel/machine/machine.h"
#include "netmodel/machine/machine_parameters.h"
#include "netmodel/routing/topologies.h"
#include "netmodel/topology/machine_section.h"

namespace haichi {

namespace {

using nlohmann::json;
using Section = MachineSection;

/// The registry entry of "kind". Reports an unknown kind before it checks the keys of the section against the entry.
const TopologyRow& row_of(const LocatedJson& file) {
    const json& value = file.root().at("topology");
    if (value.is_object() && value.contains("kind") && value["kind"].is_string()) {
        if (const TopologyRow* row = topologies().find(value["kind"].get<std::string>())) return *row;
    }
    std::vector<std::string> keys = {"kind"};
    for (const TopologyRow& row : topologies()) keys.insert(keys.end(), row.keys.begin(), row.keys.end());
    const Section section(file, "/topology", keys);
    const std::string kind = section.text("kind");
    throw section.error("kind", "unknown topology kind " + shown(kind), topologies().hint_for(kind));
}

std::vector<std::string> with_kind(const std::vector<std::string>& keys) {
    std::vector<std::string> all = {"kind"};
    all.insert(all.end(), keys.begin(), keys.end());
    return all;
}

void parse_topology(const LocatedJson& file, Machine& machine, NamedFile& other) {
    const TopologyRow& row = row_of(file);
    const Section section(file, "/topology", with_kind(row.keys));
    ReadTopology read = row.read({section, machine.link_bandwidth_bytes_per_s, machine.packet_payload_bytes, other});
    machine.topology = std::move(read.topology);
    machine.logical = std::move(read.logical);
    machine.routing = machine.topology->routing("");
    if (!file.root().contains("routing")) return;
    const Section routing(file, "/routing", with_kind(row.routing_keys));
    machine.routing = row.read_routing != nullptr
                          ? row.read_routing(routing, *machine.topology)
                          : placed(routing, "kind", [&] { return machine.topology->routing(routing.text("kind")); });
}

/// Parses a list of distances, or the link property ("latency", "bandwidth") from which distances are derived.
void parse_stated_distances(const Section& root, Machine& machine) {
    if (!root.has("distances")) return;
    const json& stated = root.required("distances");
    const bool is_list = stated.is_array();
    if (!is_list && !stated.is_string()) {
        throw root.error("distances", "expected a list of distances, \"latency\" or \"bandwidth\", found " +
                                          Section::text_of(stated));
    }
    machine.distances = placed(root, "distances", [&] {
        return is_list ? checked_distances(root.integers("distances"), machine)
                       : parse_distances(root.text("distances"), machine);
    });
}

/// Parses a node's number, or one coordinate per axis.
VertexId parse_faulty_node(const json& value, const Section& root, const std::string& key, const Machine& machine) {
    const auto* grid = coordinates(machine);
    if (!value.is_array()) {
        return VertexId(root.integer_of(value, key, 0, terminal_count(machine) - 1));
    }
    if (grid == nullptr || value.size() != grid->axis_count()) {
        throw root.error(
            key, "expected the number of a faulty node" +
                     (grid == nullptr ? std::string{} : " or " + std::to_string(grid->axis_count()) + " coordinates") +
                     ", found " + Section::text_of(value));
    }
    Coordinates at;
    for (std::size_t k = 0; k < grid->axis_count(); ++k) {
        at.push_back(root.integer_of(value[k], key + "/" + std::to_string(k), 0, grid->axis(k).size - 1));
    }
    return grid->vertex(at);
}

void parse_faulty(const Section& root, Machine& machine) {
    if (!root.has("faulty")) return;
    const json& list = root.required("faulty");
    if (!list.is_array()) root.fail("faulty", "a list of nodes", list);
    std::vector<bool> is_faulty(static_cast<std::size_t>(terminal_count(machine)));
    for (const json& value : list) {
        const std::string key = "faulty/" + std::to_string(machine.faulty.size());
        const VertexId node = parse_faulty_node(value, root, key, machine);
        if (is_faulty[node.index()]) {
            throw root.error(key, "duplicate faulty node " + Section::text_of(value));
        }
        is_faulty[node.index()] = true;
        machine.faulty.push_back(node);
    }
}

/// Parses the shape of a job: one size per axis, at most the axis's size.
std::vector<std::int32_t> parse_shape(const json& value, const Section& root, const std::string& key,
                                      const Grid& grid) {
    if (!value.is_array() || value.size() != grid.axis_count()) {
        throw root.error(key, "expected a shape with " + std::to_string(grid.axis_count()) + " sizes, found " +
                                  Section::text_of(value));
    }
    std::vector<std::int32_t> shape;
    for (const Axis& axis : grid.axes()) {
        const std::size_t k = shape.size();
        shape.push_back(root.integer_of(value[k], key + "/" + std::to_string(k), 1, axis.size));
    }
    return shape;
}

void parse_allocations(const Section& root, Machine& machine) {
    if (!root.has("allocations")) return;
    const auto* grid = coordinates(machine);
    if (grid == nullptr) {
        throw root.error("allocations", "requires a mesh or torus",
                         "remove it, and use node lists for jobs on this machine");
    }
    std::set<std::vector<std::int32_t>> seen;
    for (const json& value : root.array("allocations")) {
        const std::string key = "allocations/" + std::to_string(machine.allocations.size());
        std::vector<std::int32_t> shape = parse_shape(value, root, key, *grid);
        if (!seen.insert(shape).second) {
            throw root.error(key, "duplicate allocation " + Section::text_of(value));
        }
        machine.allocations.push_back(std::move(shape));
    }
}

/// Checks that routers that store whole packets have buffers for at least one packet.
void check_stores(const Section& root, const Machine& machine) {
    if (!machine.packet_payload_bytes) return;
    for (const PortClass& routers : machine.topology->router_classes()) {
        if (!routers.store || !routers.store->buffer_bytes) continue;
        const std::int64_t payload = std::min(
            *machine.packet_payload_bytes, routers.store->most_payload_bytes.value_or(*machine.packet_payload_bytes));
        const std::int64_t packet = payload + machine.packet_header_bytes.value_or(0);
        if (*routers.store->buffer_bytes >= packet) continue;
        throw root.error("topology",
                         "the buffers of the " + routers.name + " have " +
                             std::to_string(*routers.store->buffer_bytes) + " bytes, too few for a packet of " +
                             std::to_string(packet),
                         "state a smaller MTU or a larger buffer for the " + routers.name +
                             ", because 'packet' states " + std::to_string(*machine.packet_payload_bytes) + " bytes");
    }
}

/// Checks the notes, which state the sources of values. A note's key is a JSON pointer, "" for the whole file.
void check_notes(const Section& root) {
    if (!root.has("notes")) return;
    const json& notes = root.required("notes");
    if (!notes.is_object()) root.fail("notes", "an object of texts", notes);
    for (const auto& note : notes.items()) {
        if (!note.value().is_string()) {
            throw root.error("notes", "the note on " + shown(note.key()) + " must be a string");
        }
        bool is_there = false;
        try {
            is_there = root.file().root().contains(json::json_pointer(note.key()));
        } catch (const json::exception&) {
            // not a JSON pointer
        }
        if (!is_there)
            throw root.error("notes", "the note on " + shown(note.key()) + " names a key that is not in the file");
    }
}

/// Only nodes without a router have cables of their own.
void check_host_cables(const Section& link, const Machine& machine) {
    if (!machine.host_cable_latency_ps) return;
    for (std::int32_t v = 0; v < machine.topology->terminal_count(); ++v) {
        if (machine.topology->is_host(VertexId(v))) return;
    }
    throw link.error("host_cable_latency", "no effect, because each node of this network is a router",
                     "remove the key; 'link.cable_latency' applies to all cables");
}

/// Reads and checks the machine's name, which is printed unchanged in messages and terminal reports.
std::string name_of(const Section& root, const std::string& file_name) {
    if (!root.has("name")) return file_name;
    constexpr std::size_t kLongestName = 255;
    std::string name = root.text("name");
    if (name.empty() || name.size() > kLongestName || without_controls(name) != name) {
        throw root.error("name", "the name of a machine is 1 to " + std::to_string(kLongestName) +
                                     " bytes without control characters, not " + shown(name));
    }
    return name;
}

}  // namespace

Machine parse_machine(std::string_view text, const std::string& file_name, NamedFile* graph) {
    const LocatedJson file = LocatedJson::parse(text, file_name);
    const Section root(file, "",
                       {"schema", "name", "topology", "routing", "distances", "faulty", "allocations", "link", "router",
                        "packet", "node", "notes"});
    if (root.text("schema") != "haichi-machine/1") {
        throw root.error("schema", "unknown schema " + shown(root.text("schema")),
                         "this version reads haichi-machine/1");
    }
    check_notes(root);
    (void)root.required("topology");
    (void)root.required("link");

    Machine machine;
    machine.name = name_of(root, file_name);
    const Section link(file, "/link", {"bandwidth", "cable_latency", "host_cable_latency"});
    machine.link_bandwidth_bytes_per_s = link.quantity("bandwidth", kBandwidths);
    link.quantity("cable_latency", kTimes, machine.cable_latency_ps);
    link.quantity("host_cable_latency", kTimes, machine.host_cable_latency_ps);
    NamedFile unkept;
    parse_machine_parameters(file, machine);
    parse_topology(file, machine, graph != nullptr ? *graph : unkept);
    check_host_cables(link, machine);
    parse_stated_distances(root, machine);
    parse_faulty(root, machine);
    parse_allocations(root, machine);
    check_stores(root, machine);
    return machine;
}

}  // namespace haichi
