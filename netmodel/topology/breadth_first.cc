#include "netmodel/topology/breadth_first.h"

#include <algorithm>

namespace haichi {

BreadthFirst::BreadthFirst(const Graph& graph)
    : arcs_(&graph.arcs()),
      distance_(static_cast<std::size_t>(graph.vertex_count())),
      is_open_(static_cast<std::size_t>(graph.vertex_count())) {
    by_distance_.reserve(distance_.size());
}

/// `neighbours` returns the next vertices of a reached vertex.
template <class Neighbours>
void BreadthFirst::search(VertexId root, const Neighbours& neighbours) {
    std::ranges::fill(distance_, kUnreachable);
    by_distance_.clear();
    const auto reach = [this](VertexId v, std::int32_t hops) {
        is_open_[v.index()] = 0;
        distance_[v.index()] = hops;
        by_distance_.push_back(v);
    };
    reach(root, 0);
    for (std::size_t i = 0; i < by_distance_.size(); ++i) {
        const std::int32_t hops = distance_[by_distance_[i].index()] + 1;
        for (const auto& to : neighbours(by_distance_[i])) {
            const VertexId v = vertex_of(to);
            if (is_open_[v.index()] != 0) reach(v, hops);
        }
    }
}

void BreadthFirst::search_to(VertexId d, std::span<const std::uint8_t> is_closed) {
    std::ranges::fill(is_open_, std::uint8_t{1});
    std::ranges::transform(is_closed, is_open_.begin(), [](std::uint8_t closed) { return closed == 0 ? 1 : 0; });
    search(d, [this](VertexId v) { return arcs_->in(v); });
}

void BreadthFirst::search_from(VertexId s) {
    std::ranges::fill(is_open_, std::uint8_t{1});
    search(s, [this](VertexId v) { return arcs_->out(v); });
}

}  // namespace haichi
