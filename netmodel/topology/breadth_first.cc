#include "netmodel/topology/breadth_first.h"

#include <algorithm>
#include <utility>

namespace haichi {

BreadthFirst::BreadthFirst(const Graph& graph)
    : arcs_(&graph.arcs()),
      distance_(static_cast<std::size_t>(graph.vertex_count())),
      is_open_(static_cast<std::size_t>(graph.vertex_count())),
      followed_by_(static_cast<std::size_t>(graph.vertex_count())) {
    by_distance_.reserve(distance_.size());
}

/// `neighbours` returns the next vertices of a reached vertex, `hosts` those of its hosts, and `group` the number of
/// the list of the others.
template <class Neighbours, class Hosts, class Group>
void BreadthFirst::search(VertexId root, const Neighbours& neighbours, const Hosts& hosts, const Group& group) {
    ++searches_;
    std::ranges::fill(distance_, kUnreachable);
    by_distance_.clear();
    const auto reach = [this](VertexId v, std::int32_t hops) {
        is_open_[v.index()] = 0;
        distance_[v.index()] = hops;
        by_distance_.push_back(v);
    };
    reach(root, 0);
    for (std::size_t i = 0; i < by_distance_.size(); ++i) {
        const VertexId from = by_distance_[i];
        const bool is_followed = std::exchange(followed_by_[group(from)], searches_) == searches_;
        const auto next = is_followed ? hosts(from) : neighbours(from);
        const std::int32_t hops = distance_[from.index()] + 1;
        visits_ += std::ssize(next);
        for (const auto& to : next) {
            const VertexId v = vertex_of(to);
            if (is_open_[v.index()] != 0) reach(v, hops);
        }
    }
}

void BreadthFirst::search_to(VertexId d, std::span<const std::uint8_t> is_closed) {
    std::ranges::fill(is_open_, std::uint8_t{1});
    std::ranges::transform(is_closed, is_open_.begin(), [](std::uint8_t closed) { return closed == 0 ? 1 : 0; });
    search(
        d, [this](VertexId v) { return arcs_->in(v); },
        [this](VertexId v) { return arcs_->in(v).first(arcs_->hosts_before(v)); },
        [this](VertexId v) { return arcs_->in_group(v); });
}

void BreadthFirst::search_from(VertexId s) {
    std::ranges::fill(is_open_, std::uint8_t{1});
    search(
        s, [this](VertexId v) { return arcs_->out(v); },
        [this](VertexId v) { return arcs_->out(v).last(arcs_->host_links(v)); },
        [this](VertexId v) { return arcs_->out_group(v); });
}

}  // namespace haichi
