#include "netmodel/routing/shortest_paths.h"

#include <algorithm>
#include <limits>

#include "base/errors.h"

namespace haichi {

namespace {

constexpr auto kNoWay8 = std::numeric_limits<std::uint8_t>::max();
constexpr auto kNoWay16 = std::numeric_limits<std::uint16_t>::max();

/// Number among v's successors of the next hop to where `distance` counts from.
std::size_t next_hop(const Graph& graph, const std::vector<std::int32_t>& distance, VertexId v) {
    const auto successors = graph.successors(v);
    std::size_t i = 0;
    while (distance[successors[i].vertex.index()] != distance[v.index()] - 1) ++i;
    return i;
}

}  // namespace

ShortestPaths::ShortestPaths(const Graph& graph, std::span<const VertexId> faulty, std::size_t budget_bytes) {
    if (!faulty.empty()) is_faulty_.assign(static_cast<std::size_t>(graph.vertex_count()), 0);
    for (const VertexId v : faulty) is_faulty_[v.index()] = 1;
    fill_table(graph, budget_bytes);
}

std::size_t ShortestPaths::Table::next(VertexId v, VertexId d) const {
    const std::int32_t row = row_of_vertex[v.index()];
    if (row < 0) return 0;
    const std::size_t entry = static_cast<std::size_t>(row) * terminals + d.index();
    if (next8.empty()) return next16[entry] == kNoWay16 ? kNoWay : next16[entry];
    return next8[entry] == kNoWay8 ? kNoWay : next8[entry];
}

void ShortestPaths::fill_table(const Graph& graph, std::size_t budget_bytes) {
    const auto terminals = static_cast<std::size_t>(graph.terminal_count());
    auto table = std::make_shared<Table>();
    table->terminals = terminals;
    std::vector<VertexId> rows;
    std::size_t most_successors = 0;
    for (std::int32_t v = 0; v < graph.vertex_count(); ++v) {
        const std::size_t count = graph.successors(VertexId(v)).size();
        const bool has_row = count > 1 || !is_faulty_.empty();
        table->row_of_vertex.push_back(has_row ? static_cast<std::int32_t>(rows.size()) : -1);
        if (has_row) rows.push_back(VertexId(v));
        most_successors = std::max(most_successors, count);
    }
    const bool wide = most_successors > kNoWay8;  // kNoWay16 always suffices: there are at most 2^16 vertices
    const std::size_t entries = rows.size() * terminals;
    const bool fits = entries * (wide ? 2 : 1) <= budget_bytes;
    if (fits && wide) table->next16.assign(entries, kNoWay16);
    if (fits && !wide) table->next8.assign(entries, kNoWay8);
    for (std::size_t d = 0; d < terminals; ++d) {
        if (is_faulty(VertexId(d))) continue;
        const std::vector<std::int32_t> distance = distances_to(graph, VertexId(d));
        for (std::size_t s = 0; s < terminals; ++s) longest_route_ = std::max(longest_route_, distance[s]);
        if (!fits) continue;
        for (std::size_t row = 0; row < rows.size(); ++row) {
            if (distance[rows[row].index()] < 1) continue;  // the destination, or no way
            const std::size_t next = next_hop(graph, distance, rows[row]);
            if (wide) {
                table->next16[row * terminals + d] = static_cast<std::uint16_t>(next);
            } else {
                table->next8[row * terminals + d] = static_cast<std::uint8_t>(next);
            }
        }
    }
    if (fits) table_ = std::move(table);
}

std::vector<std::int32_t> ShortestPaths::distances_to(const Graph& graph, VertexId d) const {
    std::vector<VertexId> by_distance;
    return search(graph, d, by_distance);
}

ShortestPaths::Tree ShortestPaths::tree_to(const Graph& graph, VertexId d) const {
    Tree tree;
    const std::vector<std::int32_t> distance = search(graph, d, tree.by_distance);
    tree.next.resize(distance.size());
    for (std::size_t i = 1; i < tree.by_distance.size(); ++i) {
        const VertexId v = tree.by_distance[i];
        tree.next[v.index()] = static_cast<std::uint32_t>(next_hop(graph, distance, v));
    }
    return tree;
}

std::vector<std::int32_t> ShortestPaths::search(const Graph& graph, VertexId d, std::vector<VertexId>& reached) const {
    std::vector<std::int32_t> distance(static_cast<std::size_t>(graph.vertex_count()), kUnreachable);
    reached.assign(1, d);
    distance[d.index()] = 0;
    for (std::size_t i = 0; i < reached.size(); ++i) {
        for (const Graph::Neighbour& next : graph.predecessors(reached[i])) {
            if (distance[next.vertex.index()] != kUnreachable || is_faulty(next.vertex)) continue;
            distance[next.vertex.index()] = distance[reached[i].index()] + 1;
            reached.push_back(next.vertex);
        }
    }
    return distance;
}

template <class Visit>
void ShortestPaths::walk(const Graph& graph, VertexId s, VertexId d, const Visit& visit) const {
    const std::vector<std::int32_t> distance = table_ != nullptr ? std::vector<std::int32_t>{} : distances_to(graph, d);
    const auto next_of = [&](VertexId v) {
        if (table_ != nullptr) return table_->next(v, d);
        return distance[v.index()] == kUnreachable ? kNoWay : next_hop(graph, distance, v);
    };
    for (VertexId at = s; at != d;) {
        const std::size_t next = next_of(at);
        if (next == kNoWay) {
            throw OptionError("no path from " + shown(graph.vertex_name(s)) + " to " + shown(graph.vertex_name(d)) +
                              " avoids the faulty nodes");
        }
        visit(graph.successors(at)[next].link);
        at = graph.successors(at)[next].vertex;
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

void check_graph_routing(std::string_view text) {
    if (text == kShortestPath) return;
    throw OptionError("routing " + shown(text) + " does not fit a graph",
                      "the routing of graphs is " + std::string(kShortestPath));
}

}  // namespace haichi
