#include "netmodel/routing/up_down_layers.h"

#include <algorithm>

#include "netmodel/topology/graph_arcs.h"

namespace haichi {

namespace {

/// Hops from the nearest terminal to every vertex.
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

/// Far more than the available virtual channels. Layers are counted only up to this number.
constexpr std::int8_t kTooMany = 100;

}  // namespace

UpDownLayers::UpDownLayers(const Graph& graph, const GraphOrder& order)
    : layer_(static_cast<std::size_t>(graph.vertex_count())) {
    const std::vector<std::int32_t> level = levels_of(graph);
    for (std::size_t v = 0; v < level.size(); ++v) {
        place_.push_back(order.place_of_vertex[v] - std::int64_t{level[v]} * graph.vertex_count());
    }
}

std::int32_t UpDownLayers::needed(const RouteTrees& trees, std::span<const std::uint8_t> is_source) {
    const std::vector<VertexId>& reached = trees.reached();
    for (const VertexId v : reached) layer_[v.index()] = is_source[v.index()] != 0 ? 0 : -1;
    std::int8_t highest = 0;
    for (std::size_t i = reached.size(); i-- > 1;) {
        const VertexId v = reached[i];
        std::int8_t layer = layer_[v.index()];
        if (layer < 0 || trees.next(v) == RouteTrees::kNoWay) continue;
        const VertexId to = trees.next_vertex(v);
        if (to == trees.root()) continue;  // after the root, only a link down to a terminal can follow
        if (!is_up(v, to) && is_up(to, trees.next_vertex(to)) && layer < kTooMany) ++layer;
        layer_[to.index()] = std::max(layer_[to.index()], layer);
        highest = std::max(highest, layer);
    }
    return highest + 1;
}

bool UpDownLayers::is_one_enough(const Graph& graph, const RouteTrees& trees) {
    const std::vector<VertexId>& reached = trees.reached();
    for (const VertexId v : reached) layer_[v.index()] = 0;  // 1: a route can arrive over a link that leads down
    for (std::size_t i = reached.size(); i-- > 1;) {
        const VertexId v = reached[i];
        const auto is_next = [&trees, v](const GraphArc& arc) {
            return trees.distance(arc.to) == trees.distance(v) - 1;
        };
        const std::span<const GraphArc> arcs = graph.arcs().out(v);
        // Routes pass through a terminal only if no switch is as near. Switches come first.
        const auto first = std::ranges::find_if(arcs, is_next);
        const bool is_to_switch = first != arcs.end() && first->to.value >= graph.terminal_count();
        for (const GraphArc& arc : arcs) {
            if (!is_next(arc) || (is_to_switch && arc.to.value < graph.terminal_count())) continue;
            const bool goes_up = is_up(v, arc.to);
            if (goes_up && layer_[v.index()] != 0) return false;
            if (!goes_up) layer_[arc.to.index()] = 1;
        }
    }
    return true;
}

std::vector<std::uint8_t> mark_roots(const GraphOrder& order, std::span<const VertexId> terminals,
                                     std::size_t vertex_count) {
    std::vector<std::uint8_t> is_root(vertex_count);
    for (const VertexId terminal : terminals) is_root[order.root_of_terminal[terminal.index()].index()] = 1;
    return is_root;
}

}  // namespace haichi
