#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "netmodel/machine/allocation.h"
#include "netmodel/machine/machine.h"

namespace haichi {

/// Maximum number of clusters in which a job is tried. The largest clusters that fit the job are taken.
inline constexpr std::size_t kMostClustersTried = 8;

/// Some of a job's nodes.
struct ClusterNodes {
    std::vector<std::size_t> clusters;    ///< clusters of the machine, from 0
    std::vector<std::int32_t> terminals;  ///< terminals of the machine
};

/// The nodes on which a job is compared.
struct ComparedNodes {
    /// An entry with all nodes of a cluster, for each cluster into which the job fits.
    std::vector<ClusterNodes> in_one;
    ClusterNodes over_all{};  ///< nodes of all clusters, in proportion to their sizes
};

/// Selects nodes of the allocation for `ranks_in_one` ranks in one cluster, and for `ranks_over_all` over all clusters.
/// Each node gets as few ranks as necessary, at most the allocation's ranks per node. Throws UnsupportedError for a
/// machine without clusters. Throws OptionError if all nodes are in one cluster or the job does not fit.
ComparedNodes compared_nodes(const Machine& machine, const AllocationRequest& request, std::int32_t ranks_in_one,
                             std::int32_t ranks_over_all);

/// Ranks per node if `ranks` ranks are distributed over `nodes` nodes; at least 1.
std::int32_t ranks_per_node(std::int64_t ranks, std::int64_t nodes);

}  // namespace haichi
