#include "netmodel/machine/allocation.h"

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "base/errors.h"
#include "base/located_json.h"
#include "base/quantity.h"
#include "netmodel/machine/node_request.h"

namespace haichi {

namespace {

constexpr std::size_t kLargestListBytes = std::size_t{512} << 20;

std::vector<std::int32_t> sizes_of(const Grid& grid) {
    std::vector<std::int32_t> sizes;
    for (const Axis& axis : grid.axes()) sizes.push_back(axis.size);
    return sizes;
}

/// Axis names as "X, Y, Z, A, B, C".
std::string axis_list(const Grid& grid) {
    std::string text;
    for (const Axis& axis : grid.axes()) {
        if (!text.empty()) text += ", ";
        text += axis.name;
    }
    return text;
}

bool axis_is_open(const Machine& machine, const Grid& grid, std::size_t k) {
    return machine.size_is_open && grid.axis(k).size == 1;
}

/// The job's cuboid as a separate grid.
Grid cut_out(const Machine& machine, const Grid& grid, const std::vector<std::int32_t>& shape,
             const std::vector<std::int32_t>& origin) {
    const std::string text = sizes_text(shape);
    std::vector<Axis> axes;
    for (std::size_t k = 0; k < grid.axis_count(); ++k) {
        const Axis& axis = grid.axis(k);
        if (shape[k] < 1)
            throw OptionError("invalid shape: " + text + " (axis " + axis.name + " has size " +
                              std::to_string(shape[k]) + ")");
        if (!axis_is_open(machine, grid, k)) {
            if (shape[k] > axis.size) {
                throw OptionError("shape " + text + " does not fit machine " + machine.name + ": axis " + axis.name +
                                      " has " + std::to_string(axis.size) + " positions, not " +
                                      std::to_string(shape[k]),
                                  "use a shape of at most " + sizes_text(sizes_of(grid)));
            }
            if (origin[k] < 0 || origin[k] >= axis.size) {
                throw OptionError("origin " + sizes_text(origin) + " is outside machine " + machine.name + ": axis " +
                                  axis.name + " has " + std::to_string(axis.size) + " positions");
            }
            if (origin[k] + shape[k] > axis.size && !axis.is_ring()) {
                throw OptionError("shape " + text + " at origin " + sizes_text(origin) + " does not fit machine " +
                                  machine.name + ": axis " + axis.name + " does not wrap");
            }
        } else if (origin[k] != 0) {
            throw OptionError("origin " + sizes_text(origin) + " cannot be used: the size of machine " + machine.name +
                              " is not known");
        }
        // A wrap exists inside the job only if the job covers the whole axis.
        axes.push_back({axis.name, shape[k], axis.wraps && shape[k] == axis.size});
    }
    return Grid(std::move(axes));
}

/// Returns the function that supplies node names: the request's own, or one that reads them from the machine's
/// topology.
NodeNames names_for(const Machine& machine, const AllocationRequest& request) {
    if (request.node_names) return request.node_names;
    return [&machine] { return node_names(*machine.topology); };
}

/// The faulty nodes of the machine and of the request, ascending.
std::vector<VertexId> faulty_vertices(const Machine& machine, const AllocationRequest& request) {
    std::vector<VertexId> faulty = machine.faulty;
    if (is_given(request.faulty)) {
        if (machine.size_is_open) {
            throw OptionError("faulty nodes require a known size of machine " + machine.name,
                              "state the machine's size, as in " + machine.name + ":10x5x8:XZ");
        }
        const bool may_be_empty = true;  // empty if no node is faulty
        const ListedNodes listed =
            read_node_list(request.faulty, "§faulty", machine, names_for(machine, request), may_be_empty);
        std::ranges::copy(listed.nodes, std::back_inserter(faulty));
    }
    std::ranges::sort(faulty);
    faulty.erase(std::unique(faulty.begin(), faulty.end()), faulty.end());
    return faulty;
}

/// The faulty nodes inside a cuboid, as vertices of the cuboid. Routes of the cuboid can meet only these.
std::vector<VertexId> faulty_inside(const std::vector<VertexId>& faulty, const Grid& grid, const Grid& job,
                                    const std::vector<std::int32_t>& origin) {
    std::vector<VertexId> inside;
    for (const VertexId v : faulty) {
        Coordinates at = grid.coordinates(v);
        bool is_inside = true;
        for (std::size_t k = 0; k < at.size(); ++k) {
            at[k] = (at[k] - origin[k] + grid.axis(k).size) % grid.axis(k).size;
            is_inside = is_inside && at[k] < job.axis(k).size;
        }
        if (is_inside) inside.push_back(job.vertex(at));
    }
    std::ranges::sort(inside);
    return inside;
}

NetworkOptions network_options(const Machine& machine, const AllocationRequest& request) {
    NetworkOptions options;
    options.count_nic = request.count_nic;
    options.link_bandwidth_bytes_per_s = machine.link_bandwidth_bytes_per_s;
    // One injection and one ejection channel per node, with the bandwidth of one NIC, which limits a single message.
    options.nic_bandwidth_bytes_per_s =
        machine.node.nic_bandwidth_bytes_per_s.value_or(machine.link_bandwidth_bytes_per_s);
    options.virtual_channels = machine.router.virtual_channels.value_or(0);
    options.distances = machine.distances;
    return options;
}

void check_ranks_per_node(const Machine& machine, std::int32_t ranks_per_node) {
    if (ranks_per_node < 1) {
        throw OptionError("invalid number of ranks per node: " + std::to_string(ranks_per_node) + " (at least 1)");
    }
    if (machine.node.slots > 1 && ranks_per_node > machine.node.slots) {
        throw OptionError(std::to_string(ranks_per_node) + " ranks per node exceed the " +
                          std::to_string(machine.node.slots) + " rank slots of a node of machine " + machine.name);
    }
}

void check_request(const Machine& machine, const AllocationRequest& request) {
    if (is_given(request.nodes) && !(request.shape.empty() && request.origin.empty())) {
        throw OptionError("a node list cannot be combined with a shape or origin",
                          "remove §nodes, or remove §shape and §origin");
    }
    if (machine.size_is_open && request.shape.empty()) {
        throw OptionError("the size of machine " + machine.name + " is not known",
                          "state the job's shape, as in §shape 1x2x4x2x3x2, or the machine's size, as in " +
                              machine.name + ":10x5x8:XZ");
    }
}

/// Must be called before anything is built for the rank slots.
void check_slots(std::int64_t nodes, std::int32_t ranks_per_node) {
    if (nodes * ranks_per_node <= kMostSlots) return;
    throw OptionError(std::to_string(nodes) + " nodes with " + std::to_string(ranks_per_node) +
                          " ranks each exceed the maximum of 2^30 rank slots per job",
                      "use a smaller §shape or a smaller §ppn");
}

Network cuboid_network(const Machine& machine, const AllocationRequest& request, const std::string& routing,
                       std::vector<std::int32_t>& shape, std::vector<std::int32_t>& origin) {
    const Grid& grid = *coordinates(machine);
    shape = request.shape.empty() ? sizes_of(grid) : request.shape;
    origin = request.origin.empty() ? std::vector<std::int32_t>(grid.axis_count(), 0) : request.origin;
    for (const auto& [what, list] : {std::pair{"shape", &shape}, std::pair{"origin", &origin}}) {
        if (list->size() == grid.axis_count()) continue;
        throw OptionError(std::string(what) + " " + sizes_text(*list) + " has " + std::to_string(list->size()) +
                          (list->size() == 1 ? " number, but machine " : " numbers, but machine ") + machine.name +
                          " has " + std::to_string(grid.axis_count()) + " axes: " + axis_list(grid));
    }
    Grid job = cut_out(machine, grid, shape, origin);
    check_slots(job.vertex_count(), request.ranks_per_node.value_or(1));
    NetworkOptions options = network_options(machine, request);
    options.faulty = faulty_inside(faulty_vertices(machine, request), grid, job, origin);
    return Network({machine.topology->cuboid(std::move(job)), routing}, std::move(options));
}

/// Refuses cuboids on a machine without coordinates. A job there is a node list or the whole machine.
void check_is_whole(const Machine& machine, const AllocationRequest& request) {
    if (!request.origin.empty())
        throw OptionError("machine " + machine.name + " has no origins: it is not a mesh or torus");
    const std::int32_t terminals = terminal_count(machine);
    if (request.shape.empty() || request.shape == std::vector<std::int32_t>{terminals}) return;
    throw OptionError("shape " + sizes_text(request.shape) + " does not fit machine " + machine.name +
                          ": a job on it takes all " + std::to_string(terminals) + " nodes or a node list",
                      "use §nodes FILE for a part of the machine");
}

Network whole_network(const Machine& machine, const AllocationRequest& request, const std::string& routing,
                      std::vector<VertexId> nodes, std::int32_t ranks_per_node) {
    check_slots(nodes.empty() ? terminal_count(machine) : static_cast<std::int64_t>(nodes.size()), ranks_per_node);
    NetworkOptions options = network_options(machine, request);
    options.faulty = faulty_vertices(machine, request);
    if (coordinates(machine) == nullptr) check_is_whole(machine, request);
    return Network({machine.topology, routing}, std::move(options), std::move(nodes));
}

/// The logical sizes of a request that states logical sizes (as the scheduler does) or sizes of the machine's axes.
std::vector<std::int32_t> logical_sizes_of(const Machine& machine, const std::vector<std::int32_t>& shape) {
    const std::size_t axis_count = coordinates(machine)->axis_count();
    if (shape.size() < axis_count) {
        if (shape.size() <= machine.logical.size()) return shape;
    } else if (shape.size() == axis_count) {
        std::vector<std::int32_t> sizes;
        for (const std::vector<std::size_t>& axes : machine.logical) {
            sizes.push_back(1);
            for (const std::size_t k : axes) sizes.back() *= shape[k];
        }
        return sizes;
    }
    throw OptionError("§shape " + sizes_text(shape) + " has " + std::to_string(shape.size()) +
                      " numbers, but a request has 1 to " + std::to_string(machine.logical.size()) + " sizes");
}

/// A job on single nodes that the scheduler chooses when the job starts ("noncont"). Their distances are unknown, so
/// all are equal: only ranks of the same node are close to each other.
Allocation scattered(const Machine& machine, const AllocationRequest& request) {
    if (!has_logical_axes(machine)) {
        throw UnsupportedError("§fold noncont requires a machine with PJM, not " + machine.name,
                               "on other machines, list the nodes with §nodes");
    }
    if (is_given(request.nodes)) {
        throw OptionError("§fold noncont cannot be combined with §nodes",
                          "the list determines the nodes; their logical coordinates are in a table, §fold FILE");
    }
    if (is_given(request.faulty) || !request.origin.empty()) {
        throw OptionError("§fold noncont cannot be combined with §faulty or §origin",
                          "the scheduler chooses the nodes, and avoids nodes that are down");
    }
    if (!machine.distances.empty()) {
        throw UnsupportedError(
            "§fold noncont cannot be combined with the distances of machine " + machine.name,
            "they belong to axes, and the axes of single nodes are unknown; leave the distances out");
    }
    if (request.shape.empty()) throw OptionError("§fold noncont requires §shape", "as in §shape 96 for node=96");
    const std::vector<std::int32_t> sizes = logical_sizes_of(machine, request.shape);
    std::int64_t nodes = 1;
    for (const std::int32_t size : sizes) {
        if (size < 1) throw OptionError("§shape " + sizes_text(request.shape) + " has a size below 1");
        nodes *= size;
        if (nodes <= (machine.size_is_open ? kMostVertices : terminal_count(machine))) continue;
        throw OptionError("§shape " + sizes_text(request.shape) + " has more nodes than machine " + machine.name);
    }
    const std::int32_t ranks_per_node = request.ranks_per_node.value_or(1);
    check_ranks_per_node(machine, ranks_per_node);
    check_slots(nodes, ranks_per_node);
    const auto count = static_cast<std::int32_t>(nodes);
    const Machine one_switch = load_machine("switch:" + std::to_string(count));
    NetworkOptions options = network_options(machine, request);
    Fold fold = row_major_fold(count, request.fold);
    fold.logical_sizes = sizes;
    set_rank_order(fold, request.rank_order.axes);
    return {.machine_name = machine.name,
            .shape = {count},
            .origin = {},
            .machine_sizes = {},
            .is_scattered = true,
            .fills_by_node = request.rank_order.by_node,
            .network = Network({one_switch.topology, one_switch.routing}, std::move(options)),
            .fold = std::move(fold),
            .logical_axes = {},
            .ranks_per_node = ranks_per_node,
            .nics_per_node = machine.node.nics};
}

/// The names that the machine's network gives the job's nodes, if schedulers can use them.
std::vector<std::string> host_names_of(const Machine& machine, const Network& network) {
    const std::vector<std::string> all = node_names(*machine.topology);
    std::vector<std::string> hosts;
    if (!are_host_names(all)) return hosts;
    for (std::int32_t n = 0; n < network.node_count(); ++n) hosts.push_back(all[network.vertex(NodeId(n)).index()]);
    return hosts;
}

/// "(0,1,2)" on the machine, or the name of a node without coordinates.
std::string machine_name_of(const Allocation& allocation, VertexId vertex) {
    const Grid* grid = allocation.network.coordinates();
    if (grid == nullptr) return allocation.network.topology().node_name(vertex);
    Coordinates at = grid->coordinates(vertex);
    std::string text;
    for (std::size_t k = 0; k < at.size(); ++k) {
        if (!allocation.origin.empty()) at[k] = (at[k] + allocation.origin[k]) % allocation.machine_sizes[k];
        text += (text.empty() ? "(" : ",") + std::to_string(at[k]);
    }
    return text + ")";
}

/// Checks that routes avoid the faulty nodes, for jobs small enough to check all pairs.
void check_routes(const Allocation& allocation) {
    constexpr std::int32_t kMostNodes = 4096;
    if (allocation.node_count() > kMostNodes) return;
    const auto cut = allocation.network.find_cut_pair();
    if (!cut) return;
    throw OptionError(
        "node " + machine_name_of(allocation, cut->faulty) + " is faulty, and is on the route from node " +
            machine_name_of(allocation, allocation.network.vertex(cut->source)) + " to node " +
            machine_name_of(allocation, allocation.network.vertex(cut->destination)),
        allocation.network.coordinates() != nullptr
            ? "choose a shape or nodes that do not use this route; only the routing of Tofu avoids faulty nodes"
            : "");
}

/// True if no fold has this name, and the file exists or the name looks like a file name.
bool fold_is_file(const std::string& name) {
    if (folds().find(name) != nullptr) return false;
    std::error_code ignored;
    return name == "-" || name.find_first_of("/.") != std::string::npos || std::filesystem::exists(name, ignored);
}

/// The job's node at coordinates relative to the job's corner, or to the machine's corner for node lists and trees.
NodeId node_at_relative(const Network& network, const Coordinates& at) {
    const Grid* grid = network.coordinates();
    if (grid == nullptr) return at.size() == 1 ? network.node_at(VertexId(at[0])) : NodeId{};
    if (at.size() != grid->axis_count()) return {};
    for (std::size_t k = 0; k < at.size(); ++k) {
        if (at[k] < 0 || at[k] >= grid->axis(k).size) return {};
    }
    return network.node_at(grid->vertex(at));
}

Fold make_fold(const std::string& name, const Machine& machine, const Network& network, bool is_cuboid) {
    const Grid* grid = network.coordinates();
    if (fold_is_file(name)) {
        return table_fold(read_file(name, kLargestListBytes), name, network.node_count(),
                          grid == nullptr ? 1 : grid->axis_count(),
                          [&network](const Coordinates& at) { return node_at_relative(network, at); });
    }
    if (is_cuboid) return grid_fold(*grid, machine.logical, name);
    if (!folds().at(name).suits_node_lists) {
        throw UnsupportedError("fold " + name + " requires a cuboid of a mesh or torus, without a node list",
                               "use §fold default or a coordinate table");
    }
    return row_major_fold(network.node_count(), name);
}

}  // namespace

std::int64_t Allocation::open_slot_count() const {
    if (slots_of_node.empty()) return std::int64_t{network.usable_node_count()} * ranks_per_node;
    std::int64_t count = 0;
    for (std::int32_t n = 0; n < node_count(); ++n) {
        if (network.is_usable(NodeId(n))) count += slots(NodeId(n));
    }
    return count;
}

Coordinates Allocation::machine_coordinates(NodeId node) const {
    const VertexId vertex = network.vertex(node);
    const Grid* grid = network.coordinates();
    if (grid == nullptr) return Coordinates{vertex.value};
    Coordinates at = grid->coordinates(vertex);
    for (std::size_t k = 0; k < origin.size(); ++k) at[k] = (at[k] + origin[k]) % machine_sizes[k];
    return at;
}

NodeId Allocation::node_at_machine_coordinates(const Coordinates& at) const {
    Coordinates relative = at;
    for (std::size_t k = 0; k < origin.size() && k < at.size(); ++k) {
        if (at[k] < 0 || at[k] >= machine_sizes[k]) return {};
        relative[k] = (at[k] - origin[k] + machine_sizes[k]) % machine_sizes[k];
    }
    return node_at_relative(network, relative);
}

Allocation allocate(const Machine& machine, const AllocationRequest& asked) {
    check_request(machine, asked);
    if (asked.fold == kScatteredFold) return scattered(machine, asked);
    const AllocationRequest request = in_machine_axes(machine, asked);
    const std::string& routing = request.routing.empty() ? machine.routing : request.routing;
    const bool is_list = is_given(request.nodes);
    const auto* grid = coordinates(machine);
    const bool is_cuboid = grid != nullptr && !is_list;

    ListedNodes listed;
    if (is_list) listed = read_node_list(request.nodes, "§nodes", machine, names_for(machine, request));
    const std::int32_t ranks_per_node = listed.ranks_per_node(request.ranks_per_node);
    check_ranks_per_node(machine, ranks_per_node);

    std::vector<std::int32_t> shape;
    std::vector<std::int32_t> origin;
    Network network = is_cuboid ? cuboid_network(machine, request, routing, shape, origin)
                                : whole_network(machine, request, routing, std::move(listed.nodes), ranks_per_node);
    Fold fold = make_fold(request.fold, machine, network, is_cuboid);
    set_rank_order(fold, request.rank_order.axes);
    if (!is_cuboid) shape = {network.node_count()};
    std::vector<std::int32_t> machine_sizes = grid == nullptr ? std::vector<std::int32_t>{} : sizes_of(*grid);
    for (std::size_t k = 0; k < machine_sizes.size(); ++k) {
        if (axis_is_open(machine, *grid, k)) machine_sizes[k] = shape[k];  // nothing else is known
    }
    std::vector<std::string> hosts = listed.names.empty() ? host_names_of(machine, network) : std::move(listed.names);
    Allocation allocation{.machine_name = machine.name,
                          .shape = std::move(shape),
                          .origin = std::move(origin),
                          .machine_sizes = std::move(machine_sizes),
                          .is_node_list = is_list,
                          .is_strict = request.is_strict,
                          .fills_by_node = request.rank_order.by_node,
                          .network = std::move(network),
                          .fold = std::move(fold),
                          .logical_axes = machine.logical,
                          .ranks_per_node = ranks_per_node,
                          .nics_per_node = machine.node.nics,
                          .host_names = std::move(hosts),
                          .slots_of_node = listed.slots_of_node(request.ranks_per_node)};
    check_routes(allocation);
    return allocation;
}

}  // namespace haichi
