#include "netmodel/routing/shortest_paths.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "base/errors.h"
#include "netmodel/topology/graph_arcs.h"

namespace haichi {

namespace {

constexpr auto kNoWay8 = std::numeric_limits<std::uint8_t>::max();
constexpr auto kNoWay16 = std::numeric_limits<std::uint16_t>::max();

/// Hops of every vertex to the nearest terminal, along the links from the terminals.
std::vector<std::int32_t> levels_of(const Graph& graph) {
    std::vector<std::int32_t> level(static_cast<std::size_t>(graph.vertex_count()), -1);
    std::vector<VertexId> reached;
    for (std::int32_t t = 0; t < graph.terminal_count(); ++t) {
        level[static_cast<std::size_t>(t)] = 0;
        reached.emplace_back(t);
    }
    const GraphArcs& arcs = graph.arcs();
    for (std::size_t i = 0; i < reached.size(); ++i) {
        for (std::size_t place = 0; place < arcs.count(reached[i]); ++place) {
            const VertexId to = arcs.from(reached[i], place).to;
            if (level[to.index()] >= 0) continue;
            level[to.index()] = level[reached[i].index()] + 1;
            reached.push_back(to);
        }
    }
    return level;
}

/// Whether routes of a tree go up, away from the terminals, then down.
class UpThenDown {
  public:
    explicit UpThenDown(const Graph& graph)
        : arcs_(&graph.arcs()), level_(levels_of(graph)), comes_down_(level_.size()) {}

    [[nodiscard]] bool holds(const RouteTrees& trees) {
        const std::vector<VertexId>& reached = trees.search().by_distance();
        for (const VertexId v : reached) comes_down_[v.index()] = 0;
        for (std::size_t i = reached.size(); i-- > 0;) {
            const VertexId v = reached[i];
            const std::uint32_t next = trees.next(v);
            if (next == RouteTrees::kNoWay) continue;
            const VertexId to = arcs_->from(v, next).to;
            const std::int32_t rise = level_[to.index()] - level_[v.index()];
            if (rise == 0 || (rise > 0 && comes_down_[v.index()] != 0)) return false;
            if (rise < 0) comes_down_[to.index()] = 1;
        }
        return true;
    }

  private:
    const GraphArcs* arcs_;
    std::vector<std::int32_t> level_;
    std::vector<std::uint8_t> comes_down_;  ///< a route does to the vertex
};

}  // namespace

ShortestPaths::ShortestPaths(const Graph& graph, std::span<const VertexId> faulty, PathOptions options)
    : routing_(options.routing), order_(std::make_shared<const GraphOrder>(find_order(graph))) {
    if (!faulty.empty()) is_faulty_.assign(static_cast<std::size_t>(graph.vertex_count()), 0);
    for (const VertexId v : faulty) is_faulty_[v.index()] = 1;
    find_routes(graph, options.table_budget_bytes);
}

ShortestPaths::Table::Table(const Graph& graph, bool has_faults, std::size_t budget_bytes)
    : terminals(static_cast<std::size_t>(graph.terminal_count())) {
    std::size_t most_links = 0;
    for (std::int32_t v = 0; v < graph.vertex_count(); ++v) {
        const std::size_t count = graph.arcs().count(VertexId(v));
        const bool has_row = count > 1 || has_faults;
        row_of_vertex.push_back(has_row ? static_cast<std::int32_t>(vertex_of_row.size()) : -1);
        if (has_row) vertex_of_row.emplace_back(v);
        most_links = std::max(most_links, count);
    }
    const bool is_wide = most_links > kNoWay8;
    const std::size_t entries = vertex_of_row.size() * terminals;
    if (most_links > kNoWay16 || entries * (is_wide ? 2 : 1) > budget_bytes) return;
    if (is_wide) next16.assign(entries, kNoWay16);
    if (!is_wide) next8.assign(entries, kNoWay8);
}

void ShortestPaths::Table::fill(const RouteTrees& trees, VertexId d) {
    for (std::size_t row = 0; row < vertex_of_row.size(); ++row) {
        const std::uint32_t next = trees.next(vertex_of_row[row]);
        if (next == RouteTrees::kNoWay) continue;
        const std::size_t entry = row * terminals + d.index();
        if (next8.empty()) next16[entry] = static_cast<std::uint16_t>(next);
        if (!next8.empty()) next8[entry] = static_cast<std::uint8_t>(next);
    }
}

std::uint32_t ShortestPaths::Table::next(VertexId v, VertexId d) const {
    const std::int32_t row = row_of_vertex[v.index()];
    if (row < 0) return 0;
    const std::size_t entry = static_cast<std::size_t>(row) * terminals + d.index();
    if (next8.empty()) return next16[entry] == kNoWay16 ? RouteTrees::kNoWay : next16[entry];
    return next8[entry] == kNoWay8 ? RouteTrees::kNoWay : next8[entry];
}

void ShortestPaths::find_routes(const Graph& graph, std::size_t budget_bytes) {
    auto table = std::make_shared<Table>(graph, !is_faulty_.empty(), budget_bytes);
    const bool is_stored = table->fits();
    RouteTrees to = trees(graph);
    UpThenDown up_then_down(graph);
    for (std::int32_t i = 0; i < graph.terminal_count(); ++i) {
        const VertexId d(i);
        if (is_faulty(d)) continue;
        to.find(d);
        for (std::int32_t s = 0; s < graph.terminal_count(); ++s) {
            longest_route_ = std::max(longest_route_, to.search().distance(VertexId(s)));
        }
        if (is_stored) table->fill(to, d);
        if (go_up_then_down_) go_up_then_down_ = up_then_down.holds(to);
    }
    if (is_stored) table_ = std::move(table);
}

std::vector<std::int32_t> ShortestPaths::distances_to(const Graph& graph, VertexId d) const {
    BreadthFirst search(graph);
    search.search_to(d, is_faulty_);
    return search.distance();
}

template <class Visit>
void ShortestPaths::walk(const Graph& graph, VertexId s, VertexId d, const Visit& visit) const {
    std::optional<RouteTrees> computed;
    if (table_ == nullptr) computed.emplace(trees(graph)).find(d);
    const GraphArcs& arcs = graph.arcs();
    for (VertexId at = s; at != d;) {
        const std::uint32_t next = table_ != nullptr ? table_->next(at, d) : computed->next(at);
        if (next == RouteTrees::kNoWay) {
            throw OptionError("no path from " + shown(graph.vertex_name(s)) + " to " + shown(graph.vertex_name(d)) +
                              " avoids the faulty nodes");
        }
        const GraphArc arc = arcs.from(at, next);
        visit(arc.link);
        at = arc.to;
    }
}

void ShortestPaths::append_route(const Graph& graph, VertexId s, VertexId d, std::vector<LinkId>& links) const {
    walk(graph, s, d, [&links](LinkId link) { links.push_back(link); });
}

std::int32_t ShortestPaths::hops(const Graph& graph, VertexId s, VertexId d) const {
    std::int32_t sum = 0;
    walk(graph, s, d, [&sum](LinkId) { ++sum; });
    return sum;
}

}  // namespace haichi
