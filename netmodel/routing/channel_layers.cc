#include "netmodel/routing/channel_layers.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <utility>

#include "base/errors.h"
#include "netmodel/routing/acyclic_order.h"
#include "netmodel/routing/channel_rule.h"
#include "netmodel/routing/up_down_layers.h"
#include "netmodel/topology/graph_arcs.h"

namespace haichi {

namespace {

/// The number of routes on the link that leaves a vertex, by the routes' layer on that link.
using RoutesByLayer = std::array<std::uint32_t, kMostLayers>;

/// The turns of all routes, in the order of discovery, and the layers that refuse each turn.
class Turns {
  public:
    Turns(const Graph& graph, const ShortestPaths& paths, std::span<const VertexId> terminals)
        : graph_(graph),
          arcs_(graph.arcs()),
          is_source_(mark_roots(paths.order(), terminals, static_cast<std::size_t>(graph.vertex_count()))),
          rows_(static_cast<std::size_t>(graph.link_count())),
          routes_(is_source_.size()) {
        std::vector<std::uint8_t> is_met(is_source_.size());
        for (const VertexId terminal : terminals) {
            const VertexId root = paths.order().root_of_terminal[terminal.index()];
            const bool is_first = std::exchange(is_met[root.index()], std::uint8_t{1}) == 0;
            if (is_first || paths.routing() == GraphRouting::kSpread) destinations_.push_back(terminal);
        }
    }

    /// Counts the routes that need each turn in `layer`. Lower layers must be complete.
    void count(RouteTrees& trees, std::int32_t layer) {
        wanted_.assign(wanted_.size(), 0);
        for (const VertexId destination : destinations_) {
            trees.find(destination);
            count_routes(trees, layer);
        }
    }

    /// Per link, the links that follow it on routes in the last counted layer.
    [[nodiscard]] std::vector<std::vector<std::int32_t>> successors() const {
        std::vector<std::vector<std::int32_t>> successors(rows_.size());
        for (std::size_t t = 0; t < turns_.size(); ++t) {
            if (wanted_[t] > 0) successors[turns_[t].from.index()].push_back(turns_[t].to.value);
        }
        return successors;
    }

    /// Refuses enough turns in `layer`, the layer counted last, that the other turns close no cycle. Passes each
    /// refused turn to `visit`.
    template <class Visit>
    void refuse(std::int32_t layer, const Visit& visit) {
        std::vector<std::uint32_t> order(turns_.size());
        std::iota(order.begin(), order.end(), 0U);
        std::ranges::stable_sort(order, std::ranges::greater{}, [this](std::uint32_t t) { return wanted_[t]; });
        AcyclicOrder accepted(graph_.link_count());
        for (const std::uint32_t t : order) {
            if (wanted_[t] == 0) break;
            if (accepted.insert(turns_[t].from.value, turns_[t].to.value)) continue;
            refused_by_[t] = static_cast<std::uint8_t>(refused_by_[t] | 1U << layer);
            visit(turns_[t].from, turns_[t].to);
        }
    }

  private:
    struct Turn {
        LinkId from;
        LinkId to;
    };

    void count_routes(const RouteTrees& trees, std::int32_t layer) {
        const std::vector<VertexId>& reached = trees.reached();
        for (const VertexId v : reached) routes_[v.index()] = {};
        for (std::size_t i = reached.size(); i-- > 1;) {
            const VertexId v = reached[i];
            RoutesByLayer& here = routes_[v.index()];
            if (is_source_[v.index()] != 0) ++here[0];
            if (std::ranges::all_of(here, [](std::uint32_t count) { return count == 0; })) continue;
            const GraphArc next = arcs_.from(v, trees.next(v));
            if (next.to == trees.root()) continue;
            const std::uint32_t turn = number(next, trees.next(next.to));
            if (here[static_cast<std::size_t>(layer)] > 0) wanted_[turn] += here[static_cast<std::size_t>(layer)];
            RoutesByLayer& there = routes_[next.to.index()];
            for (std::size_t l = 0; l <= static_cast<std::size_t>(layer); ++l) {
                const bool is_refused = (refused_by_[turn] >> l & 1U) != 0;
                there[is_refused ? l + 1 : l] += here[l];
            }
        }
    }

    /// Id of the turn from the link `before` to the arc with index `place` at its end vertex.
    std::uint32_t number(const GraphArc& before, std::uint32_t place) {
        std::vector<std::int32_t>& row = rows_[before.link.index()];
        if (row.empty()) {
            const std::size_t count = arcs_.count(before.to);
            entries_ += count;
            if (entries_ > ChannelLayers::kMostTurns) {
                throw UnsupportedError("a graph whose routes have more than " +
                                       std::to_string(ChannelLayers::kMostTurns) + " turns is too large to simulate");
            }
            row.assign(count, -1);
        }
        if (row[place] < 0) {
            row[place] = static_cast<std::int32_t>(turns_.size());
            turns_.push_back({before.link, arcs_.from(before.to, place).link});
            wanted_.push_back(0);
            refused_by_.push_back(0);
        }
        return static_cast<std::uint32_t>(row[place]);
    }

    const Graph& graph_;
    const GraphArcs& arcs_;
    std::vector<std::uint8_t> is_source_;  ///< per vertex: routes start at this vertex
    std::vector<VertexId> destinations_;
    /// Per link with turns: the id of each turn, or -1.
    std::vector<std::vector<std::int32_t>> rows_;
    std::size_t entries_ = 0;
    std::vector<Turn> turns_;
    std::vector<std::uint64_t> wanted_;     ///< per turn: routes in the last counted layer
    std::vector<std::uint8_t> refused_by_;  ///< per turn: one bit per layer
    std::vector<RoutesByLayer> routes_;     ///< work space, per vertex
};

}  // namespace

ChannelLayers::ChannelLayers(const Graph& graph, const ShortestPaths& paths, std::span<const VertexId> terminals,
                             std::int32_t most) {
    if (paths.layers() == 1) return;
    RouteTrees trees = paths.trees(graph);
    Turns turns(graph, paths, terminals);
    most = std::min(most, kMostLayers);
    for (std::int32_t layer = 0;; ++layer) {
        turns.count(trees, layer);
        count_ = layer + 1;
        cycle_ = find_cycle(turns.successors());
        if (cycle_.empty() || count_ >= most) break;
        turns.refuse(layer, [&](LinkId from, LinkId to) { refused_.push_back(key(from, to, layer)); });
        if (refused_.size() > kMostRefusedTurns) {
            throw UnsupportedError("the routes of this machine require a change of virtual channel at more than " +
                                   std::to_string(kMostRefusedTurns) + " turns");
        }
    }
    std::ranges::sort(refused_);
}

std::int32_t ChannelLayers::after(LinkId from, LinkId to, std::int32_t layer) const {
    return std::ranges::binary_search(refused_, key(from, to, layer)) ? layer + 1 : layer;
}

}  // namespace haichi
