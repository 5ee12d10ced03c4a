#include "netmodel/routing/channel_layers.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>

#include "base/errors.h"
#include "netmodel/routing/acyclic_order.h"
#include "netmodel/routing/channel_rule.h"

namespace haichi {

namespace {

constexpr std::size_t kMostLayers = 8;

/// Routes on the link that leads away from a vertex, by their layers there.
using RoutesByLayer = std::array<std::uint32_t, kMostLayers>;

/// The turns of all routes, numbered in the order in which they are met, and which layers refuse them.
class Turns {
  public:
    explicit Turns(const GraphJob& job) : graph_(job.graph) {
        rows_.resize(static_cast<std::size_t>(graph_.link_count()));
        find_attachments(job.nodes);
    }

    /// Counts the routes that want each turn in `layer`, all layers below being decided.
    void count(const ShortestPaths& routing, std::int32_t layer) {
        wanted_.assign(wanted_.size(), 0);
        for (std::size_t i = 0; i < attachments_.size(); ++i) {
            count_routes_to(routing.tree_to(graph_, terminals_[i]), attachments_[i], layer);
        }
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

    /// The vertices where routes begin and end to be different: the switch of a terminal that hangs on a single one,
    /// any other terminal itself. With one usable terminal each.
    void find_attachments(const JobNodes& nodes) {
        is_attachment_.assign(static_cast<std::size_t>(graph_.vertex_count()), 0);
        for (std::int32_t n = 0; n < nodes.count(); ++n) {
            if (!nodes.is_usable(NodeId(n))) continue;
            const VertexId terminal = nodes.vertex(NodeId(n));
            const auto out = graph_.successors(terminal);
            const auto in = graph_.predecessors(terminal);
            const bool single = out.size() == 1 && in.size() == 1 && out[0].vertex == in[0].vertex;
            const bool is_host = single && out[0].vertex.value >= graph_.terminal_count();
            const VertexId at = is_host ? out[0].vertex : terminal;
            if (is_attachment_[at.index()] != 0) continue;
            is_attachment_[at.index()] = 1;
            attachments_.push_back(at);
            terminals_.push_back(terminal);
        }
    }

    void count_routes_to(const ShortestPaths::Tree& tree, VertexId root, std::int32_t layer) {
        routes_.resize(static_cast<std::size_t>(graph_.vertex_count()));
        for (const VertexId v : tree.by_distance) routes_[v.index()] = {};
        for (std::size_t i = tree.by_distance.size(); i-- > 0;) {
            const VertexId v = tree.by_distance[i];
            RoutesByLayer& here = routes_[v.index()];
            if (v == root || i == 0) continue;  // before the root is only a host on it
            if (is_attachment_[v.index()] != 0) ++here[0];
            if (std::ranges::all_of(here, [](std::uint32_t count) { return count == 0; })) continue;
            const Graph::Neighbour& next = graph_.successors(v)[tree.next[v.index()]];
            if (next.vertex == root) continue;
            const std::uint32_t place = tree.next[next.vertex.index()];
            const std::uint32_t turn = number(next, place);
            if (here[static_cast<std::size_t>(layer)] > 0) wanted_[turn] += here[static_cast<std::size_t>(layer)];
            RoutesByLayer& there = routes_[next.vertex.index()];
            for (std::size_t l = 0; l <= static_cast<std::size_t>(layer); ++l) {
                const bool is_refused = (refused_by_[turn] >> l & 1U) != 0;
                there[is_refused ? l + 1 : l] += here[l];
            }
        }
    }

    /// Of the turn from the link `before` to successor number `place` of its end.
    std::uint32_t number(const Graph::Neighbour& before, std::uint32_t place) {
        std::vector<std::int32_t>& row = rows_[before.link.index()];
        const auto successors = graph_.successors(before.vertex);
        if (row.empty()) {
            entries_ += successors.size();
            if (entries_ > ChannelLayers::kMostTurns) {
                throw UnsupportedError("a graph whose routes have more than " +
                                       std::to_string(ChannelLayers::kMostTurns) + " turns is too large to simulate");
            }
            row.assign(successors.size(), -1);
        }
        if (row[place] < 0) {
            row[place] = static_cast<std::int32_t>(turns_.size());
            turns_.push_back({before.link, successors[place].link});
            wanted_.push_back(0);
            refused_by_.push_back(0);
        }
        return static_cast<std::uint32_t>(row[place]);
    }

    const Graph& graph_;
    std::vector<std::uint8_t> is_attachment_;  ///< per vertex
    std::vector<VertexId> attachments_;
    std::vector<VertexId> terminals_;              ///< one of each attachment
    std::vector<std::vector<std::int32_t>> rows_;  ///< per link that a route turns from: number of each turn, or -1
    std::size_t entries_ = 0;
    std::vector<Turn> turns_;
    std::vector<std::uint64_t> wanted_;     ///< per turn: routes in the layer counted last
    std::vector<std::uint8_t> refused_by_;  ///< per turn: one bit per layer
    std::vector<RoutesByLayer> routes_;     ///< work space, per vertex
};

[[noreturn]] void refuse_machine(const Topology& topology, const std::vector<std::int32_t>& cycle, std::int32_t most) {
    constexpr std::size_t kShown = 4;
    std::string text;
    for (std::size_t i = 0; i < std::min(cycle.size(), kShown); ++i) {
        text.append(i > 0 ? ", " : "").append(topology.link_name(LinkId(cycle[i])));
    }
    throw UnsupportedError(
        "packets on the routes of this machine can block each other for ever: " + std::to_string(cycle.size()) +
            " links wait for each other in a circle (" + text + (cycle.size() > kShown ? ", ..)" : ")") +
            ", even with " + std::to_string(most) + " virtual channels",
        "a graph needs fewer the more its shortest paths go up and then down, as those of a tree");
}

}  // namespace

ChannelLayers::ChannelLayers(const GraphJob& job, std::int32_t most) {
    Turns turns(job);
    most = std::min(most, static_cast<std::int32_t>(kMostLayers));
    for (std::int32_t layer = 0;; ++layer) {
        turns.count(job.paths, layer);
        count_ = layer + 1;
        const std::vector<std::int32_t> cycle = find_cycle(turns.successors());
        if (cycle.empty()) break;
        if (count_ >= most) refuse_machine(job.topology, cycle, most);
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

}  // namespace haichi
