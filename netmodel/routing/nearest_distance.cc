// Network::nearest_distance_bound: how near the nearest nodes of any node can be.

#include <algorithm>

#include "netmodel/routing/hop_distance.h"
#include "netmodel/routing/network.h"

namespace haichi {

namespace {

constexpr std::int32_t kMostBruteForceNodes = 2048;

/// Histogram of sums: positions of the product of two axes by their distance.
std::vector<std::int64_t> convolved(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
    std::vector<std::int64_t> sum(a.size() + b.size() - 1);
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (a[i] == 0) continue;
        for (std::size_t j = 0; j < b.size(); ++j) sum[i + j] += a[i] * b[j];
    }
    return sum;
}

/// Positions of an axis by their distance from its centre.
std::vector<std::int64_t> distances_from_centre(const Grid& grid, std::size_t k) {
    const std::int32_t size = grid.axis(k).size;
    std::vector<std::int64_t> histogram(static_cast<std::size_t>(size / 2) + 1);
    for (std::int32_t position = 0; position < size; ++position) {
        const std::int32_t steps = grid.steps(k, size / 2, position, Sign::kPlus);
        ++histogram[static_cast<std::size_t>(std::abs(steps))];
    }
    return histogram;
}

/// The first `most` entries of the sorted list that a histogram over distances stands for, `extra` added to each.
std::vector<std::int32_t> sorted_list(const std::vector<std::int64_t>& histogram, std::size_t most,
                                      std::int32_t extra) {
    std::vector<std::int32_t> list;
    for (std::size_t distance = 0; distance < histogram.size() && list.size() < most; ++distance) {
        const auto room = static_cast<std::int64_t>(most - list.size());
        const auto times = static_cast<std::size_t>(std::min(histogram[distance], room));
        list.insert(list.end(), times, static_cast<std::int32_t>(distance) + extra);
    }
    return list;
}

}  // namespace

std::vector<std::int64_t> Network::best_distance_histogram() const {
    std::vector<std::int64_t> histogram = {1};
    if (const auto* fabric = std::get_if<GridFabric>(&fabric_)) {
        // The centre dominates every other position: on one axis the sorted distances from the centre are, entry by
        // entry, at most those from any other position. That is a one-to-one map of the axis to itself which never
        // makes a distance longer; applied to every axis at once it is one of the whole grid.
        for (std::size_t k = 0; k < fabric->topology.axis_count(); ++k) {
            histogram = convolved(histogram, distances_from_centre(fabric->topology, k));
        }
    } else if (const auto* dragonfly = std::get_if<DragonflyFabric>(&fabric_)) {
        // From the first router of a group, which has as many groups one hop away as any.
        const Dragonfly& d = dragonfly->topology;
        const std::int64_t here = d.terminals_per_router();
        const std::int64_t others = here * (d.routers_per_group() - 1);
        const std::int64_t groups = d.group_count() - 1;
        const std::int64_t joined = std::min<std::int64_t>(groups, d.global_links_per_router());
        // The router of a group at which one enters, and the others: one local hop more.
        histogram = {1,
                     0,
                     here - 1,
                     others + joined * here,
                     joined * others + (groups - joined) * here,
                     (groups - joined) * others};
    } else {
        const FatTree& tree = std::get<FatTreeFabric>(fabric_).topology;  // all terminals are alike
        for (std::size_t level = 1; level <= tree.level_count(); ++level) {
            histogram.push_back(0);
            histogram.push_back(tree.terminals_below(level) - tree.terminals_below(level - 1));
        }
    }
    --histogram[0];  // the node itself
    return histogram;
}

std::vector<std::int32_t> Network::nearest_distance_bound(std::size_t most) const {
    most = std::min(most, static_cast<std::size_t>(usable_node_count_) - 1);
    const std::int32_t channels = options_.count_nic ? 2 : 0;
    const bool closed_form_is_exact =
        vertex_of_node_.empty() && is_usable_.empty() && (routes_are_shortest_ || is_dragonfly()) && !is_graph();
    if (closed_form_is_exact || (node_count_ > kMostBruteForceNodes && !is_graph())) {
        // Taking nodes away or making routes longer only makes the k-th nearest farther: still a lower bound.
        return sorted_list(best_distance_histogram(), most, channels);
    }
    if (node_count_ > kMostBruteForceNodes) return std::vector<std::int32_t>(most, least_hops());
    const HopDistance distance(*this);
    std::vector<std::int32_t> bound;
    for (std::int32_t a = 0; a < node_count_; ++a) {
        if (!is_usable(NodeId(a))) continue;
        std::vector<std::int64_t> histogram;
        for (std::int32_t b = 0; b < node_count_; ++b) {
            if (a == b || !is_usable(NodeId(b))) continue;
            const auto hops =
                static_cast<std::size_t>(std::min(distance(NodeId(a), NodeId(b)), distance(NodeId(b), NodeId(a))));
            if (hops >= histogram.size()) histogram.resize(hops + 1);
            ++histogram[hops];
        }
        const std::vector<std::int32_t> sorted = sorted_list(histogram, most, 0);
        if (bound.empty()) bound = sorted;
        for (std::size_t i = 0; i < bound.size(); ++i) bound[i] = std::min(bound[i], sorted[i]);
    }
    return bound;
}

std::int32_t Network::least_hops() const {
    std::int32_t least = longest_route();
    for (std::int32_t n = 0; n < node_count_; ++n) {
        const auto near = near_nodes(NodeId(n));
        if (is_usable(NodeId(n)) && !near.empty()) least = std::min(least, hops(NodeId(n), near.front()));
    }
    return least;
}

}  // namespace haichi
