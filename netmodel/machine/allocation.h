#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "netmodel/machine/fold.h"
#include "netmodel/machine/machine.h"
#include "netmodel/routing/network.h"
#include "netmodel/topology/sizes.h"

namespace haichi {

/// Places for ranks, node by node: tables of them have an entry for each.
inline constexpr std::int64_t kMostSlots = std::int64_t{1} << 30;

/// Nodes of a machine, in order: a file (parse_node_list() says how; empty: none is given), their numbers, or their
/// coordinates on a grid.
using NodeList = std::variant<std::string, std::vector<std::int32_t>, std::vector<Coordinates>>;
bool is_given(const NodeList& list);

/// Which part of a machine a job gets, as asked by a user.
struct AllocationRequest {
    std::vector<std::int32_t> shape{};   ///< cuboid, one size per axis; empty: the whole machine
    std::vector<std::int32_t> origin{};  ///< corner of the cuboid on the machine; empty: zeros
    NodeList nodes{};                    ///< instead of a cuboid
    NodeList faulty{};                   ///< nodes that are down, besides the machine's
    std::int32_t ranks_per_node = 1;
    std::string routing{};         ///< empty: the machine's
    std::string fold = "default";  ///< of folds(), or a coordinate-table file
    bool count_nic = false;
};

/// The nodes a job runs on: a cuboid of the machine or a list of its nodes, the network that its messages use, and the
/// logical view of it. A value.
struct Allocation {
    std::string machine_name;
    std::vector<std::int32_t>
        shape;  ///< the cuboid's sizes; {number of nodes} for node lists, trees, dragonflies and graphs
    std::vector<std::int32_t> origin;         ///< machine coordinates of node 0 of a cuboid; empty for the others
    std::vector<std::int32_t> machine_sizes;  ///< axis sizes of the machine (grid machines)
    bool is_node_list = false;
    Network network;
    Fold fold;
    AxisPairs logical_axes;  ///< of the machine; empty: the axes themselves, or there are none
    std::int32_t ranks_per_node = 1;
    std::int32_t nics_per_node = 1;

    [[nodiscard]] std::int32_t node_count() const { return network.node_count(); }
    [[nodiscard]] std::int64_t slot_count() const { return std::int64_t{node_count()} * ranks_per_node; }
    /// Machine coordinates of a node of a grid machine (origin added); a single number on the other topologies.
    [[nodiscard]] Coordinates machine_coordinates(NodeId node) const;
    /// The inverse; invalid id when the job does not have that node.
    [[nodiscard]] NodeId node_at_machine_coordinates(const Coordinates& at) const;
};

/// An axis wraps inside a cuboid job only if the job covers the whole wrapped axis of the machine. Throws OptionError
/// or InputError (lists of nodes, coordinate table) for what does not fit the machine, and OptionError, naming the
/// nodes, when no route between two of the job's nodes passes the faulty ones. (Of jobs above 4,096 nodes the routes
/// are not all looked at here; the network throws when such a one is asked for.)
Allocation allocate(const Machine& machine, const AllocationRequest& request);

/// A list of nodes, a job's or faulty ones, in its order: one node per line, its number or its coordinates on the
/// machine; "#" starts a comment. Throws InputError with file and line, also for a node that is named twice.
std::vector<VertexId> parse_node_list(std::string_view text, const std::string& file, const Machine& machine,
                                      bool may_be_empty = false);

}  // namespace haichi
