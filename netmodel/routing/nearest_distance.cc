// Network::nearest_distance_bound: a lower bound on the distances of the nearest nodes.

#include <algorithm>

#include "netmodel/routing/hop_distance.h"
#include "netmodel/routing/network.h"

namespace haichi {

namespace {

constexpr std::int32_t kMostBruteForceNodes = 2048;

/// The first `most` entries of the sorted list that a histogram of distances represents, `extra` added to each.
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

DistanceHistogram Network::nearest() const {
    DistanceHistogram hops = routes_->nearest();
    if (form_ == Form::kHops) return hops;
    const std::int32_t least = std::ranges::min(options_.distances);
    DistanceHistogram nearest;
    const auto add = [&](std::int32_t distance, std::int64_t nodes) {
        const auto at = static_cast<std::size_t>(distance);
        if (nearest.count.size() <= at) nearest.count.resize(at + 1);
        nearest.count[at] += nodes;
    };
    if (form_ == Form::kBlocks) {
        const auto sizes = topology_->block_sizes();
        for (std::size_t l = 1; l < sizes.size(); ++l) add(options_.distances[l - 1], sizes[l] - sizes[l - 1]);
        nearest.is_reached = true;
        return nearest;
    }
    // No link costs less than `least`.
    for (std::size_t h = 1; h < hops.count.size(); ++h) {
        if (hops.count[h] > 0) add(static_cast<std::int32_t>(h) * least, hops.count[h]);
    }
    return nearest;
}

std::vector<std::int32_t> Network::nearest_distance_bound(std::size_t most) const {
    most = std::min(most, static_cast<std::size_t>(usable_node_count()) - 1);
    const DistanceHistogram nearest = this->nearest();
    const bool is_exact = nearest.is_reached && nodes_.are_whole() && nodes_.are_all_usable();
    if (!nearest.count.empty() && (is_exact || node_count() > kMostBruteForceNodes)) {
        // Fewer nodes or longer routes only increase the distance of the k-th nearest node: still a lower bound.
        return sorted_list(nearest.count, most, channel_hops());
    }
    if (node_count() > kMostBruteForceNodes) return std::vector<std::int32_t>(most, least_hops());
    const HopDistance distance(*this);
    std::vector<std::int32_t> bound;
    for (std::int32_t a = 0; a < node_count(); ++a) {
        if (!is_usable(NodeId(a))) continue;
        std::vector<std::int64_t> histogram;
        for (std::int32_t b = 0; b < node_count(); ++b) {
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
    std::int32_t least = diameter();
    for (std::int32_t n = 0; n < node_count(); ++n) {
        const auto near = near_nodes(NodeId(n));
        if (is_usable(NodeId(n)) && !near.empty()) least = std::min(least, hops(NodeId(n), near.front()));
    }
    return least;
}

}  // namespace haichi
