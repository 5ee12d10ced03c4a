#include "netmodel/routing/channel_layers.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <utility>

#include "base/errors.h"
#include "netmodel/routing/acyclic_order.h"
#include "netmodel/routing/channel_rule.h"
#include "netmodel/topology/graph_arcs.h"

namespace haichi {

namespace {

/// Routes on the link that leads away from a vertex, by their layers there.
using RoutesByLayer = std::array<std::uint32_t, ChannelLayers::kMostLayers>;

/// The turns of all routes, numbered in the order in which they are met, and which layers refuse them.
class Turns {
  public:
    Turns(const Graph& graph, std::span<const VertexId> terminals) : graph_(graph), arcs_(graph.arcs()) {
        rows_.resize(static_cast<std::size_t>(graph_.link_count()));
        is_source_.resize(static_cast<std::size_t>(graph_.vertex_count()));
        routes_.resize(static_cast<std::size_t>(graph_.vertex_count()));
        for (const VertexId terminal : terminals) is_source_[attachment(terminal).index()] = 1;
    }

    /// Counts the routes to `terminals` that want each turn in `layer`, all layers below being decided.
    void count(RouteTrees& trees, std::span<const VertexId> terminals, std::int32_t layer) {
        wanted_.assign(wanted_.size(), 0);
        for (const VertexId terminal : terminals) {
            trees.find(terminal);
            count_routes_to(trees, attachment(terminal), layer);
        }
    }

    /// Routes that want the turns of the layer counted last, summed.
    [[nodiscard]] std::uint64_t wanted() const {
        return std::accumulate(wanted_.begin(), wanted_.end(), std::uint64_t{0});
    }

    /// Per link, the links that follow it on routes in the layer counted last.
    [[nodiscard]] std::vector<std::vector<std::int32_t>> successors() const {
        std::vector<std::vector<std::int32_t>> successors(rows_.size());
        for (std::size_t t = 0; t < turns_.size(); ++t) {
            if (wanted_[t] > 0) successors[turns_[t].from.index()].push_back(turns_[t].to.value);
        }
        return successors;
    }

    /// Refuses turns in `layer`, which was counted last, so that the others close no cycle, and passes them to `visit`.
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

    /// Where the routes of a terminal begin to be different from those of others: at the switch of one that hangs on a
    /// single switch, any other terminal itself.
    [[nodiscard]] VertexId attachment(VertexId terminal) const {
        const VertexId host_switch = graph_.switch_of_host(terminal);
        return host_switch.valid() ? host_switch : terminal;
    }

    void count_routes_to(const RouteTrees& trees, VertexId root, std::int32_t layer) {
        const std::vector<VertexId>& reached = trees.search().by_distance();
        for (const VertexId v : reached) routes_[v.index()] = {};
        for (std::size_t i = reached.size(); i-- > 1;) {
            const VertexId v = reached[i];
            RoutesByLayer& here = routes_[v.index()];
            if (v == root) continue;  // before the root is only a host on it
            if (is_source_[v.index()] != 0) ++here[0];
            if (std::ranges::all_of(here, [](std::uint32_t count) { return count == 0; })) continue;
            const GraphArc next = arcs_.from(v, trees.next(v));
            if (next.to == root) continue;
            const std::uint32_t turn = number(next, trees.next(next.to));
            if (here[static_cast<std::size_t>(layer)] > 0) wanted_[turn] += here[static_cast<std::size_t>(layer)];
            RoutesByLayer& there = routes_[next.to.index()];
            for (std::size_t l = 0; l <= static_cast<std::size_t>(layer); ++l) {
                const bool is_refused = (refused_by_[turn] >> l & 1U) != 0;
                there[is_refused ? l + 1 : l] += here[l];
            }
        }
    }

    /// Of the turn from the link `before` to the link at `place` from its end.
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
    std::vector<std::uint8_t> is_source_;          ///< per vertex: routes begin there
    std::vector<std::vector<std::int32_t>> rows_;  ///< per link that a route turns from: number of each turn, or -1
    std::size_t entries_ = 0;
    std::vector<Turn> turns_;
    std::vector<std::uint64_t> wanted_;     ///< per turn: routes in the layer counted last
    std::vector<std::uint8_t> refused_by_;  ///< per turn: one bit per layer
    std::vector<RoutesByLayer> routes_;     ///< work space, per vertex
};

}  // namespace

ChannelLayers::ChannelLayers(const Graph& graph, const ShortestPaths& paths, std::span<const VertexId> terminals,
                             std::int32_t most, double most_left) {
    if (paths.go_up_then_down()) return;
    RouteTrees trees = paths.trees(graph);
    Turns turns(graph, terminals);
    most = std::min(most, kMostLayers);
    std::uint64_t wanted = 0;
    for (std::int32_t layer = 0;; ++layer) {
        turns.count(trees, terminals, layer);
        count_ = layer + 1;
        cycle_ = find_cycle(turns.successors());
        const std::uint64_t wanted_before = std::exchange(wanted, turns.wanted());
        const bool is_hopeless =
            layer > 0 && static_cast<double>(wanted) > most_left * static_cast<double>(wanted_before);
        if (cycle_.empty() || count_ >= most || is_hopeless) break;
        turns.refuse(layer, [&](LinkId from, LinkId to) { refused_.push_back(key(from, to, layer)); });
        if (refused_.size() > kMostRefusedTurns) {
            throw UnsupportedError("the routes of this machine need virtual channels at more than " +
                                   std::to_string(kMostRefusedTurns) + " turns");
        }
    }
    std::ranges::sort(refused_);
}

std::int32_t ChannelLayers::after(LinkId from, LinkId to, std::int32_t layer) const {
    return std::ranges::binary_search(refused_, key(from, to, layer)) ? layer + 1 : layer;
}

ShortestPaths find_paths(const Graph& graph, std::span<const VertexId> faulty, PathOptions options, std::int32_t most) {
    ShortestPaths paths(graph, faulty, options);
    if (options.routing == GraphRouting::kUnspread || paths.go_up_then_down()) return paths;
    std::vector<VertexId> usable;
    for (std::int32_t v = 0; v < graph.terminal_count(); ++v) {
        if (std::ranges::find(faulty, VertexId(v)) == faulty.end()) usable.emplace_back(v);
    }
    try {
        // Layers take ever larger shares; with 8, half of what is there has to be in the first two or so. (Of a torus
        // of 8x8x8 the second gets a half and 6 suffice, of 16x16x16 three quarters and 8 do not.)
        constexpr double kMostLeft = 2.0 / 3;
        if (ChannelLayers(graph, paths, usable, most, kMostLeft).cycle().empty()) return paths;
    } catch (const UnsupportedError&) {
        // Too many turns to look at.
    }
    options.routing = GraphRouting::kUnspread;
    return ShortestPaths(graph, faulty, options);
}

}  // namespace haichi
