#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "netmodel/machine/allocation.h"
#include "netmodel/machine/machine.h"

namespace haichi {

/// Clusters that a job is tried in at most, the largest that it fits into.
inline constexpr std::size_t kMostClustersTried = 8;

/// Some of a job's nodes.
struct ClusterNodes {
    std::vector<std::size_t> clusters;    ///< of the machine, from 0
    std::vector<std::int32_t> terminals;  ///< of the machine
};

/// The nodes on which a job is compared.
struct ComparedNodes {
    std::vector<ClusterNodes> in_one;  ///< all nodes of a cluster, for each cluster that the job fits into
    ClusterNodes over_all{};           ///< of each cluster as many as its fraction of all nodes
};

/// Nodes of the allocation for `ranks_in_one` ranks in one cluster, and for `ranks_over_all` over all of them, with as
/// few ranks to a node as they need, at most those of the allocation. Throws UnsupportedError for a machine without
/// clusters, OptionError for nodes in one only, and for a job that does not fit.
ComparedNodes compared_nodes(const Machine& machine, const AllocationRequest& request, std::int32_t ranks_in_one,
                             std::int32_t ranks_over_all);

/// On each of so many nodes; at least one.
std::int32_t ranks_per_node(std::int64_t ranks, std::int64_t nodes);

}  // namespace haichi
