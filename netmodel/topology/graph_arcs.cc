#include "netmodel/topology/graph_arcs.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "netmodel/topology/equal_rows.h"

namespace haichi {

GraphArcs::GraphArcs(std::int32_t vertex_count, std::int32_t terminal_count, std::span<const Graph::Link> links)
    : first_arc_(static_cast<std::size_t>(vertex_count) + 1),
      first_source_(first_arc_.size()),
      sources_(links.size()),
      terminal_count_(terminal_count) {
    arcs_.reserve(links.size());
    for (std::size_t l = 0; l < links.size(); ++l) {
        arcs_.push_back({LinkId(l), links[l].to});
        ++first_arc_[links[l].from.index() + 1];
        ++first_source_[links[l].to.index() + 1];
    }
    std::ranges::sort(arcs_, {}, [&](const GraphArc& arc) {
        return std::tuple(links[arc.link.index()].from, arc.to.value < terminal_count, arc.to, arc.link);
    });
    std::partial_sum(first_arc_.begin(), first_arc_.end(), first_arc_.begin());
    std::partial_sum(first_source_.begin(), first_source_.end(), first_source_.begin());
    std::vector<std::uint32_t> next(first_source_);
    for (const GraphArc& arc : arcs_) sources_[next[arc.to.index()]++] = links[arc.link.index()].from;
    const auto count = static_cast<std::size_t>(vertex_count);
    out_group_ = equal_rows(
        count, [this](std::size_t v) { return out(VertexId(v)); }, &GraphArc::to);
    in_group_ = equal_rows(count, [this](std::size_t v) { return in(VertexId(v)); });
}

std::uint32_t GraphArcs::place_of(VertexId v, VertexId to) const {
    const std::span<const GraphArc> arcs = out(v);
    const auto key = [this](VertexId end) { return std::pair(end.value < terminal_count_, end); };
    const auto found = std::ranges::lower_bound(arcs, key(to), {}, [&](const GraphArc& arc) { return key(arc.to); });
    return static_cast<std::uint32_t>(found - arcs.begin());
}

}  // namespace haichi
