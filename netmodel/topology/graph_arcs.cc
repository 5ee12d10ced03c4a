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
    find_hosts();
    const auto count = static_cast<std::size_t>(vertex_count);
    out_group_ = equal_rows(
        count,
        [this](std::size_t i) {
            const VertexId v(i);
            return out(v).first(out(v).size() - host_links(v));
        },
        &GraphArc::to);
    in_group_ = equal_rows(count, [this](std::size_t i) { return in(VertexId(i)).subspan(hosts_before(VertexId(i))); });
}

void GraphArcs::find_hosts() {
    for (std::int32_t t = 0; t < terminal_count_; ++t) {
        const VertexId v(t);
        const VertexId only = out(v).empty() ? VertexId() : out(v).front().to;
        const bool is_host = only.value >= terminal_count_ &&
                             std::ranges::all_of(
                                 out(v), [only](VertexId to) { return to == only; }, &GraphArc::to) &&
                             std::ranges::all_of(in(v), [only](VertexId from) { return from == only; });
        switch_of_host_.push_back(is_host ? only : VertexId());
    }
    const auto is_terminal = [this](VertexId v) { return v.value < terminal_count_; };
    for (std::size_t i = 0; i + 1 < first_arc_.size(); ++i) {
        const VertexId v(i);
        const auto is_own = [&](VertexId to) { return switch_of_host(to) == v; };
        const auto first = std::ranges::find_if(out(v), is_terminal, &GraphArc::to);
        const bool are_own = std::all_of(first, out(v).end(), [&](const GraphArc& arc) { return is_own(arc.to); });
        host_links_.push_back(are_own ? static_cast<std::uint32_t>(out(v).end() - first) : 0);
        const auto end = std::ranges::find_if_not(in(v), is_terminal);
        const bool are_own_before = std::all_of(in(v).begin(), end, is_own);
        hosts_before_.push_back(are_own_before ? static_cast<std::uint32_t>(end - in(v).begin()) : 0);
    }
}

std::uint32_t GraphArcs::place_of(VertexId v, VertexId to) const {
    const std::span<const GraphArc> arcs = out(v);
    const auto key = [this](VertexId end) { return std::pair(end.value < terminal_count_, end); };
    const auto found = std::ranges::lower_bound(arcs, key(to), {}, [&](const GraphArc& arc) { return key(arc.to); });
    return static_cast<std::uint32_t>(found - arcs.begin());
}

}  // namespace haichi
