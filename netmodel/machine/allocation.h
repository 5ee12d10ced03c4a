#pragma once

#include <optional>
#include <string>
#include <vector>

#include "netmodel/machine/fold.h"
#include "netmodel/machine/machine.h"
#include "netmodel/machine/node_list.h"
#include "netmodel/routing/network.h"
#include "netmodel/topology/sizes.h"

namespace haichi {

/// Maximum number of rank slots of a job; tables have an entry for each.
inline constexpr std::int64_t kMostSlots = std::int64_t{1} << 30;

/// The order in which the scheduler's own placement fills the nodes, PJM's rank-map-bychip and rank-map-bynode.
struct RankOrder {
    bool by_node = false;  ///< whether ranks go to the nodes in rounds of one rank each, instead of node by node
    std::string axes{};    ///< logical axes, the fastest first, as in "ZYX"; empty for the order of the fold
};

/// The part of a machine that a user requests for a job.
struct AllocationRequest {
    /// A cuboid with one size per axis, or 1 to 3 sizes as PJM counts them (node_request.h); empty for the whole
    /// machine.
    std::vector<std::int32_t> shape{};
    std::vector<std::int32_t> origin{};  ///< corner of the cuboid on the machine; empty for zeros
    NodeList nodes{};                    ///< list instead of a cuboid
    NodeList faulty{};                   ///< nodes that are down, in addition to the machine's
    /// Maximum number of ranks per node. If empty, the rank slots of the node list apply, or 1 if the list states none.
    std::optional<std::int32_t> ranks_per_node{};
    NodeNames node_names{};        ///< for lists of names; null for the names of the machine's network
    std::string routing{};         ///< empty for the machine's routing
    std::string fold = "default";  ///< an entry of folds(), or a coordinate-table file
    bool count_nic = false;
    bool is_strict = false;  ///< the scheduler must not rotate the shape
    RankOrder rank_order{};
};

/// The nodes of a job (a cuboid of the machine or a node list), the network of its messages, and its logical view. A
/// value.
struct Allocation {
    std::string machine_name;
    std::vector<std::int32_t>
        shape;  ///< the cuboid's sizes; {number of nodes} for node lists, trees, dragonflies and graphs
    std::vector<std::int32_t> origin;         ///< machine coordinates of node 0 of a cuboid; otherwise empty
    std::vector<std::int32_t> machine_sizes;  ///< axis sizes of the machine (grid machines)
    bool is_node_list = false;
    /// The scheduler chooses single nodes, which are unknown. The network is then a switch, on which all nodes are
    /// equally far apart.
    bool is_scattered = false;
    bool is_strict = false;      ///< the scheduler must not rotate the shape
    bool fills_by_node = false;  ///< see RankOrder; the fold has the order of the nodes
    Network network;
    Fold fold;
    AxisPairs logical_axes;  ///< logical axes of the machine; empty if they are the machine's axes, or if it has none
    std::int32_t ranks_per_node = 1;  ///< maximum on every node
    std::int32_t nics_per_node = 1;
    /// Names of the job's nodes in node order, from the node list or the machine's network. Empty if they have no names
    /// that schedulers can use.
    std::vector<std::string> host_names{};
    std::vector<std::int32_t> slots_of_node{};  ///< rank slots of each node; empty if all have ranks_per_node

    [[nodiscard]] std::int32_t node_count() const { return network.node_count(); }
    /// The number of slot ids. Nodes with fewer slots than ranks_per_node never use their last ids.
    [[nodiscard]] std::int64_t slot_count() const { return std::int64_t{node_count()} * ranks_per_node; }
    [[nodiscard]] std::int32_t slots(NodeId node) const {
        return slots_of_node.empty() ? ranks_per_node : slots_of_node[node.index()];
    }
    /// Rank slots of all usable nodes.
    [[nodiscard]] std::int64_t open_slot_count() const;
    /// Machine coordinates of a node on a grid machine (origin added); one number on other topologies.
    [[nodiscard]] Coordinates machine_coordinates(NodeId node) const;
    /// The inverse of machine_coordinates(). Returns an invalid id if the job has no such node.
    [[nodiscard]] NodeId node_at_machine_coordinates(const Coordinates& at) const;
};

/// Allocates a job's nodes. An axis wraps inside a cuboid job only if the job covers the whole wrapped axis of the
/// machine. Throws OptionError or InputError (node lists, coordinate table) for requests that do not fit the machine.
/// Throws OptionError, naming the nodes, if faulty nodes block all routes between two of the job's nodes. For jobs
/// above 4,096 nodes this is not checked for all pairs; the network then throws when such a route is requested.
Allocation allocate(const Machine& machine, const AllocationRequest& request);

}  // namespace haichi
