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

/// `neighbours` returns the next vertices of a reached vertex, and `group` the number of this list.
template <class Neighbours, class Group>
void BreadthFirst::search(VertexId root, const Neighbours& neighbours, const Group& group) {
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
        if (std::exchange(followed_by_[group(from)], searches_) == searches_) continue;
        const std::int32_t hops = distance_[from.index()] + 1;
        visits_ += std::ssize(neighbours(from));
        for (const auto& to : neighbours(from)) {
            const VertexId v = vertex_of(to);
            if (is_open_[v.index()] != 0) reach(v, hops);
        }
    }
}

void BreadthFirst::search_to(VertexId d, std::span<const std::uint8_t> is_closed) {
    std::ranges::fill(is_open_, std::uint8_t{1});
    std::ranges::transform(is_closed, is_open_.begin(), [](std::uint8_t closed) { return closed == 0 ? 1 : 0; });
    search(
        d, [this](VertexId v) { return arcs_->in(v); }, [this](VertexId v) { return arcs_->in_group(v); });
}

void BreadthFirst::search_from(VertexId s) {
    std::ranges::fill(is_open_, std::uint8_t{1});
    search(
        s, [this](VertexId v) { return arcs_->out(v); }, [this](VertexId v) { return arcs_->out_group(v); });
}

}  // namespace haichi
