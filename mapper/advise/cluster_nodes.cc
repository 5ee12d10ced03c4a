#include "mapper/advise/cluster_nodes.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>
#include <utility>

#include "base/errors.h"

namespace haichi {

namespace {

std::int32_t quotient_up(std::int64_t a, std::int64_t b) { return static_cast<std::int32_t>((a + b - 1) / b); }

/// By cluster: the job's usable nodes, as terminals of the machine.
using NodesOfClusters = std::vector<std::vector<std::int32_t>>;

NodesOfClusters nodes_of_clusters(const Network& network) {
    const std::vector<std::int32_t> first = network.topology().regions();
    NodesOfClusters nodes(first.size());
    for (std::int32_t n = 0; n < network.node_count(); ++n) {
        if (!network.is_usable(NodeId(n))) continue;
        const std::int32_t terminal = network.vertex(NodeId(n)).value;
        nodes[static_cast<std::size_t>(std::ranges::upper_bound(first, terminal) - first.begin()) - 1].push_back(
            terminal);
    }
    return nodes;
}

/// Distributes `needed` nodes in proportion to the clusters' sizes. Remaining nodes go to the clusters with the largest
/// remainders. Ties go to the larger cluster, then to the first.
std::vector<std::int64_t> shares_of(const NodesOfClusters& nodes, std::int64_t needed) {
    const auto size = [&](std::size_t c) { return static_cast<std::int64_t>(nodes[c].size()); };
    std::int64_t all = 0;
    for (std::size_t c = 0; c < nodes.size(); ++c) all += size(c);
    std::vector<std::int64_t> shares;
    std::vector<std::size_t> order;
    for (std::size_t c = 0; c < nodes.size(); ++c) {
        shares.push_back(size(c) * needed / all);
        order.push_back(c);
    }
    std::ranges::stable_sort(order, std::ranges::greater{},
                             [&](std::size_t c) { return std::pair(size(c) * needed % all, size(c)); });
    std::int64_t left = needed - std::accumulate(shares.begin(), shares.end(), std::int64_t{0});
    for (auto c = order.begin(); left > 0; ++c, --left) ++shares[*c];
    return shares;
}

std::vector<ClusterNodes> in_one_cluster(const Machine& machine, const NodesOfClusters& nodes, std::int64_t ranks,
                                         std::int32_t most_per_node) {
    std::vector<std::size_t> order(nodes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t c) { return nodes[c].size(); });
    std::vector<ClusterNodes> in_one;
    for (const std::size_t c : order) {
        if (in_one.size() >= kMostClustersTried) break;
        if (static_cast<std::int64_t>(nodes[c].size()) * most_per_node < ranks) break;
        in_one.push_back({{c}, nodes[c]});
    }
    if (!in_one.empty()) return in_one;
    const std::size_t most = nodes[order.front()].size();
    throw OptionError(std::to_string(ranks) + " ranks do not fit into one cluster of " + machine.name +
                          ": the largest has " + std::to_string(most) + (most == 1 ? " node" : " nodes") + " with " +
                          std::to_string(most_per_node) + (most_per_node == 1 ? " rank each" : " ranks each"),
                      "use §ppn " + std::to_string(quotient_up(ranks, static_cast<std::int64_t>(most))) +
                          "; or give a workload with fewer ranks, and this one as §spread-workload");
}

/// Takes nodes from each cluster in proportion to its size.
ClusterNodes over_all_clusters(const NodesOfClusters& nodes, std::int64_t ranks, std::int32_t most_per_node) {
    std::int64_t all = 0;
    for (const auto& list : nodes) all += static_cast<std::int64_t>(list.size());
    const std::int32_t each = ranks_per_node(ranks, all);
    if (each > most_per_node) {
        throw OptionError(
            std::to_string(ranks) + " ranks do not fit on the " + std::to_string(all) + " nodes of all clusters",
            "use §ppn " + std::to_string(each));
    }
    const std::vector<std::int64_t> shares = shares_of(nodes, std::max<std::int64_t>(quotient_up(ranks, each), 2));
    ClusterNodes over_all;
    for (std::size_t c = 0; c < nodes.size(); ++c) {
        if (shares[c] == 0) continue;
        over_all.clusters.push_back(c);
        over_all.terminals.insert(over_all.terminals.end(), nodes[c].begin(),
                                  nodes[c].begin() + static_cast<std::ptrdiff_t>(shares[c]));
    }
    return over_all;
}

}  // namespace

ComparedNodes compared_nodes(const Machine& machine, const AllocationRequest& request, std::int32_t ranks_in_one,
                             std::int32_t ranks_over_all) {
    const Allocation allocation = allocate(machine, request);
    const NodesOfClusters nodes = nodes_of_clusters(allocation.network);
    if (nodes.size() < 2) {
        throw UnsupportedError("machine " + machine.name + " has one cluster, so a job cannot be spread",
                               "use two-clusters, or a machine file with a topology of kind 'clusters'");
    }
    const auto used = std::ranges::count_if(nodes, [](const auto& list) { return !list.empty(); });
    if (used < 2) {
        throw OptionError("the job's nodes are in one cluster of " + machine.name + ", so the job cannot be spread",
                          "list nodes of at least two clusters with §nodes");
    }
    ComparedNodes compared{.in_one = in_one_cluster(machine, nodes, ranks_in_one, allocation.ranks_per_node)};
    if (ranks_over_all < ranks_in_one) {
        throw OptionError("§spread-workload has " + std::to_string(ranks_over_all) + " ranks, fewer than the " +
                              std::to_string(ranks_in_one) + " in one cluster",
                          "give the same work on the ranks of all clusters");
    }
    compared.over_all = over_all_clusters(nodes, ranks_over_all, allocation.ranks_per_node);
    return compared;
}

std::int32_t ranks_per_node(std::int64_t ranks, std::int64_t nodes) { return std::max(quotient_up(ranks, nodes), 1); }

}  // namespace haichi
