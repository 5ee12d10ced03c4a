// Network::nearest_distance_bound: a lower bound on the distances of the nearest nodes.

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <queue>
#include <span>

#include "netmodel/routing/hop_distance.h"
#include "netmodel/routing/network.h"

namespace haichi {

namespace {

constexpr std::int32_t kMostBruteForceNodes = 2048;

/// The first `most` entries of the sorted list that a histogram of distances represents.
std::vector<std::int32_t> sorted_list(const std::vector<std::int64_t>& histogram, std::size_t most) {
    std::vector<std::int32_t> list;
    for (std::size_t distance = 0; distance < histogram.size() && list.size() < most; ++distance) {
        const auto room = static_cast<std::int64_t>(most - list.size());
        const auto times = static_cast<std::size_t>(std::min(histogram[distance], room));
        list.insert(list.end(), times, static_cast<std::int32_t>(distance));
    }
    return list;
}

/// The links that leave each vertex.
class OutLinks {
  public:
    explicit OutLinks(const Topology& topology) : first_(static_cast<std::size_t>(topology.vertex_count()) + 1) {
        const auto for_links = [&topology](const auto& visit) {
            for (std::int32_t l = 0; l < topology.link_count(); ++l) {
                if (topology.link_exists(LinkId(l))) visit(topology.link_ends(LinkId(l)).from.index(), LinkId(l));
            }
        };
        for_links([this](std::size_t from, LinkId /*link*/) { ++first_[from + 1]; });
        std::partial_sum(first_.begin(), first_.end(), first_.begin());
        links_.resize(first_.back());
        std::vector<std::uint32_t> next(first_);
        for_links([&](std::size_t from, LinkId link) { links_[next[from]++] = link; });
    }
    [[nodiscard]] std::span<const LinkId> of(VertexId v) const {
        return std::span(links_).subspan(first_[v.index()], first_[v.index() + 1] - first_[v.index()]);
    }

  private:
    std::vector<std::uint32_t> first_;  ///< by vertex, plus an end entry
    std::vector<LinkId> links_;
};

}  // namespace

std::vector<std::int32_t> Network::nearest_distance_bound(std::size_t most) const {
    most = std::min(most, static_cast<std::size_t>(usable_node_count()) - 1);
    const bool are_all_nodes = nodes_.are_whole() && nodes_.are_all_usable();
    const bool has_levels = form_ == Form::kBlocks;
    const DistanceHistogram hops = routes_->nearest();
    // A step costs at least the smallest stated distance.
    const std::int32_t least = form_ == Form::kHops || has_levels ? 1 : std::ranges::min(options_.distances);
    const bool are_steps_equal =
        form_ == Form::kHops || (form_ == Form::kAxes && least == std::ranges::max(options_.distances));
    const bool is_exact = are_all_nodes && (has_levels || (hops.is_reached && are_steps_equal));
    if ((has_levels || !hops.count.empty()) && (is_exact || node_count() > kMostBruteForceNodes)) {
        // Fewer nodes or longer routes can only increase the distance of the k-th nearest node, so this is still a
        // lower bound.
        std::vector<std::int32_t> bound;
        if (has_levels) {
            const auto sizes = topology_->block_sizes();
            for (std::size_t l = 1; l < sizes.size() && bound.size() < most; ++l) {
                const auto others = static_cast<std::size_t>(sizes[l] - sizes[l - 1]);
                bound.insert(bound.end(), std::min(others, most - bound.size()), options_.distances[l - 1]);
            }
        } else {
            bound = sorted_list(hops.count, most);
            for (std::int32_t& distance : bound) distance = distance * least + channel_hops();
        }
        return bound;
    }
    if (node_count() > kMostBruteForceNodes) return std::vector<std::int32_t>(most, least_hops());
    const HopDistance distance(*this);
    std::vector<std::int32_t> bound;
    std::vector<std::int32_t> others;
    for (std::int32_t a = 0; a < node_count(); ++a) {
        if (!is_usable(NodeId(a))) continue;
        others.clear();
        for (std::int32_t b = 0; b < node_count(); ++b) {
            if (a == b || !is_usable(NodeId(b))) continue;
            others.push_back(std::min(distance(NodeId(a), NodeId(b)), distance(NodeId(b), NodeId(a))));
        }
        const auto end = others.begin() + static_cast<std::ptrdiff_t>(most);
        std::ranges::partial_sort(others, end);
        if (bound.empty()) bound.assign(others.begin(), end);
        for (std::size_t i = 0; i < bound.size(); ++i) bound[i] = std::min(bound[i], others[i]);
    }
    return bound;
}

/// Finds the cheapest path of links between two nodes: no route costs less. A search from all nodes at once, which
/// visits each vertex for the two nearest of them.
std::int32_t Network::least_hops() const {
    struct Visit {
        std::int64_t cost;
        VertexId from;
        VertexId at;
        bool operator>(const Visit& other) const { return cost > other.cost; }
    };
    const OutLinks links(*topology_);
    std::vector<std::uint8_t> is_closed(static_cast<std::size_t>(topology_->vertex_count()));
    for (const VertexId v : options_.faulty) is_closed[v.index()] = 1;
    std::vector<std::array<VertexId, 2>> visited_from(is_closed.size());
    std::priority_queue<Visit, std::vector<Visit>, std::greater<>> next;
    for (std::int32_t n = 0; n < node_count(); ++n) {
        if (is_usable(NodeId(n))) next.push({0, vertex(NodeId(n)), vertex(NodeId(n))});
    }
    while (!next.empty()) {
        const Visit visit = next.top();
        next.pop();
        auto& [first, second] = visited_from[visit.at.index()];
        if (first == visit.from || second.valid()) continue;
        if (visit.from != visit.at && nodes_.at(visit.at).valid()) {
            return static_cast<std::int32_t>(visit.cost) + channel_hops();
        }
        (first.valid() ? second : first) = visit.from;
        for (const LinkId link : links.of(visit.at)) {
            const VertexId to = topology_->link_ends(link).to;
            if (is_closed[to.index()] != 0) continue;
            const std::int32_t cost = form_ == Form::kHops
                                          ? topology_->link_classes()[topology_->class_of_link(link)].hops
                                          : stated_distance(link);
            next.push({visit.cost + cost, visit.from, to});
        }
    }
    return diameter();
}

}  // namespace haichi
