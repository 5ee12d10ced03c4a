#include "netmodel/routing/shortest_paths.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "base/errors.h"
#include "netmodel/routing/up_down_layers.h"
#include "netmodel/topology/graph_arcs.h"

namespace haichi {

namespace {

constexpr auto kNoWay8 = std::numeric_limits<std::uint8_t>::max();
constexpr auto kNoWay16 = std::numeric_limits<std::uint16_t>::max();

}  // namespace

ShortestPaths::ShortestPaths(const Graph& graph, std::span<const VertexId> faulty, PathOptions options)
    : routing_(options.routing),
      order_(std::make_shared<const GraphOrder>(graph)),
      most_column_bytes_(options.table_budget_bytes / 4) {
    if (!faulty.empty()) is_faulty_.assign(static_cast<std::size_t>(graph.vertex_count()), 0);
    for (const VertexId v : faulty) is_faulty_[v.index()] = 1;
    if (find_routes(graph, options)) return;
    routing_ = GraphRouting::kUnspread;
    find_routes(graph, options);
}

ShortestPaths::Table::Table(const Graph& graph, bool has_faults, std::size_t budget_bytes) {
    std::size_t most_links = 0;
    for (std::int32_t v = 0; v < graph.vertex_count(); ++v) {
        const std::size_t count = graph.arcs().count(VertexId(v));
        const bool has_row = count > 1 || has_faults;
        row_of_vertex.push_back(has_row ? static_cast<std::int32_t>(vertex_of_row.size()) : -1);
        if (has_row) vertex_of_row.emplace_back(v);
        most_links = std::max(most_links, count);
    }
    const bool is_wide = most_links > kNoWay8;
    const std::size_t entries = vertex_of_row.size() * static_cast<std::size_t>(graph.terminal_count());
    fits16 = most_links <= kNoWay16;
    fits = fits16 && entries * (is_wide ? 2 : 1) <= budget_bytes;
    if (!fits) return;
    if (is_wide) next16.assign(entries, kNoWay16);
    if (!is_wide) next8.assign(entries, kNoWay8);
}

void ShortestPaths::Table::fill(const RouteTrees& trees, VertexId d) {
    for (std::size_t row = 0; row < vertex_of_row.size(); ++row) {
        const std::uint32_t next = trees.next(vertex_of_row[row]);
        if (next == RouteTrees::kNoWay) continue;
        const std::size_t entry = d.index() * vertex_of_row.size() + row;
        if (next8.empty()) next16[entry] = static_cast<std::uint16_t>(next);
        if (!next8.empty()) next8[entry] = static_cast<std::uint8_t>(next);
    }
}

std::vector<std::uint16_t> ShortestPaths::Table::column(const RouteTrees& trees) const {
    std::vector<std::uint16_t> column;
    column.reserve(vertex_of_row.size());
    for (const VertexId v : vertex_of_row) {
        const std::uint32_t next = trees.next(v);
        column.push_back(next == RouteTrees::kNoWay ? kNoWay16 : static_cast<std::uint16_t>(next));
    }
    return column;
}

std::uint32_t ShortestPaths::Table::next(VertexId v, VertexId d) const {
    const std::int32_t row = row_of_vertex[v.index()];
    if (row < 0) return 0;
    const std::size_t entry = d.index() * vertex_of_row.size() + static_cast<std::size_t>(row);
    if (next8.empty()) return next16[entry] == kNoWay16 ? RouteTrees::kNoWay : next16[entry];
    return next8[entry] == kNoWay8 ? RouteTrees::kNoWay : next8[entry];
}

ShortestPaths::Lengths::Lengths(const Graph& graph, const GraphOrder& order, std::size_t budget_bytes)
    : row_of_root(static_cast<std::size_t>(graph.vertex_count()), -1) {
    for (const VertexId root : order.root_of_terminal) {
        std::int32_t& row = row_of_root[root.index()];
        if (row >= 0) continue;
        row = static_cast<std::int32_t>(roots.size());
        roots.push_back(root);
    }
    if (roots.size() * roots.size() <= budget_bytes) hops.assign(roots.size() * roots.size(), kUnknown);
}

void ShortestPaths::Lengths::fill(const RouteTrees& trees, VertexId root) {
    if (hops.empty()) return;
    std::uint8_t* const row = hops.data() + static_cast<std::size_t>(row_of_root[root.index()]) * roots.size();
    for (std::size_t r = 0; r < roots.size(); ++r) {
        const std::int32_t distance = trees.distance(roots[r]);
        if (distance != kUnreachable && distance < kUnknown) row[r] = static_cast<std::uint8_t>(distance);
    }
}

bool ShortestPaths::find_lengths(const Graph& graph, std::span<const VertexId> destinations, Lengths& lengths) {
    RouteTrees to = trees(graph);
    UpDownLayers layers(graph, *order_);
    VertexId root;
    for (const VertexId d : destinations) {
        if (order_->root_of_terminal[d.index()] == root) continue;
        to.find_distances(d);
        root = to.root();
        if (!layers.is_one_enough(graph, to)) return false;
        longest_route_ = std::max(longest_route_, to.longest());
        lengths.fill(to, root);
    }
    return true;
}

bool ShortestPaths::find_routes(const Graph& graph, const PathOptions& options) {
    std::vector<VertexId> usable;
    for (std::int32_t v = 0; v < graph.terminal_count(); ++v) {
        if (is_usable(VertexId(v))) usable.emplace_back(v);
    }
    // Starts with the last terminals. Routes to terminals far from the first terminal need the most layers, so an
    // excess is found early. The terminals of a switch are adjacent in this order.
    std::ranges::sort(usable, std::ranges::greater{},
                      [this](VertexId v) { return order_->place_of_vertex[v.index()]; });

    longest_route_ = 0;
    layers_ = 1;
    auto table = std::make_shared<Table>(graph, !is_faulty_.empty(), options.table_budget_bytes);
    auto lengths = std::make_shared<Lengths>(graph, *order_, options.table_budget_bytes);
    table_ = table;
    if (!table->fits && find_lengths(graph, usable, *lengths)) {
        if (!lengths->hops.empty()) lengths_ = std::move(lengths);
        return true;
    }
    RouteTrees to = trees(graph);
    UpDownLayers layers(graph, *order_);
    const std::vector<std::uint8_t> is_source =
        mark_roots(*order_, usable, static_cast<std::size_t>(graph.vertex_count()));
    const bool is_spread = routing_ == GraphRouting::kSpread;
    longest_route_ = 0;
    for (const VertexId d : usable) {
        const bool is_new_root = to.root() != order_->root_of_terminal[d.index()];
        to.find(d);
        if (is_new_root) lengths->fill(to, to.root());
        longest_route_ = std::max(longest_route_, to.longest());
        if (is_spread || layers_ == 1) layers_ = std::max(layers_, layers.needed(to, is_source));
        if (is_spread && layers_ > options.most_layers) return false;
        if (table->fits) table->fill(to, d);
    }
    if (!lengths->hops.empty()) lengths_ = std::move(lengths);
    return true;
}

std::vector<std::int32_t> ShortestPaths::distances_to(const Graph& graph, VertexId d) const {
    BreadthFirst search(graph);
    search.search_to(d, is_faulty_);
    return search.distance();
}

const std::vector<std::uint16_t>* ShortestPaths::found_column(const Graph& graph, VertexId d) const {
    const bool is_host = table_->row_of_vertex[d.index()] < 0;
    const VertexId root = is_host ? order_->root_of_terminal[d.index()] : d;
    for (const VertexId key : {d, root}) {
        if (const auto known = found_.columns.find(key.value); known != found_.columns.end()) return &known->second;
    }
    if (!found_.trees) found_.trees.emplace(trees(graph));
    if (found_.destination != d) found_.trees->find(d);
    found_.destination = d;
    const std::size_t bytes = table_->vertex_of_row.size() * sizeof(std::uint16_t);
    if (!table_->fits16 || found_.bytes + bytes > most_column_bytes_) return nullptr;
    found_.bytes += bytes;
    const VertexId key = found_.trees->are_of_root() ? root : d;
    return &found_.columns.emplace(key.value, table_->column(*found_.trees)).first->second;
}

template <class Visit>
void ShortestPaths::walk(const Graph& graph, VertexId s, VertexId d, const Visit& visit) const {
    std::unique_lock<std::mutex> lock;
    const std::vector<std::uint16_t>* column = nullptr;
    if (!has_table()) {
        lock = std::unique_lock(found_.mutex);
        column = found_column(graph, d);
    }
    const auto next_of = [&](VertexId at) -> std::uint32_t {
        if (has_table()) return table_->next(at, d);
        if (column == nullptr) return found_.trees->next(at);
        const std::int32_t row = table_->row_of_vertex[at.index()];
        if (row < 0) return 0;
        // The column may belong to another host at the same root.
        const bool is_of_host = table_->row_of_vertex[d.index()] < 0;
        if (is_of_host && at == order_->root_of_terminal[d.index()]) return graph.arcs().place_of(at, d);
        const std::uint16_t next = (*column)[static_cast<std::size_t>(row)];
        return next == kNoWay16 ? RouteTrees::kNoWay : next;
    };
    const GraphArcs& arcs = graph.arcs();
    for (VertexId at = s; at != d;) {
        const std::uint32_t next = next_of(at);
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
    if (lengths_ != nullptr) {
        if (s == d) return 0;
        const VertexId from = order_->root_of_terminal[s.index()];
        const VertexId to = order_->root_of_terminal[d.index()];
        const auto row = static_cast<std::size_t>(lengths_->row_of_root[to.index()]);
        const auto column = static_cast<std::size_t>(lengths_->row_of_root[from.index()]);
        const std::uint8_t between = lengths_->hops[row * lengths_->roots.size() + column];
        // Adds the hops from a host to its switch and from a switch to its host.
        if (between != Lengths::kUnknown) return between + (from != s ? 1 : 0) + (to != d ? 1 : 0);
    }
    std::int32_t sum = 0;
    walk(graph, s, d, [&sum](LinkId) { ++sum; });
    return sum;
}

}  // namespace haichi
