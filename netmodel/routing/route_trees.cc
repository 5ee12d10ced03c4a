#include "netmodel/routing/route_trees.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "base/errors.h"

namespace haichi {

namespace {

/// Terminals that are left, nearest first.
class NearestTerminals {
  public:
    explicit NearestTerminals(const Graph& graph)
        : graph_(&graph),
          is_taken_(static_cast<std::size_t>(graph.terminal_count())),
          seen_by_(static_cast<std::size_t>(graph.vertex_count()), -1) {}

    void take(VertexId terminal) { is_taken_[terminal.index()] = 1; }

    /// The nearest to `from` that is not taken, of several the one of the lowest number. There is one.
    VertexId nearest(VertexId from) {
        level_.assign(1, from);
        seen_by_[from.index()] = from.value;
        VertexId found;
        while (!found.valid()) {
            next_level_.clear();
            for (const VertexId v : level_) visit(v, from, found);
            level_.swap(next_level_);
        }
        return found;
    }

  private:
    void visit(VertexId v, VertexId from, VertexId& found) {
        const GraphArcs& arcs = graph_->arcs();
        for (std::size_t i = 0; i < arcs.count(v); ++i) {
            const VertexId to = arcs.from(v, i).to;
            if (std::exchange(seen_by_[to.index()], from.value) == from.value) continue;
            next_level_.push_back(to);
            const bool is_left = to.value < graph_->terminal_count() && is_taken_[to.index()] == 0;
            if (is_left && (!found.valid() || to < found)) found = to;
        }
    }

    const Graph* graph_;
    std::vector<std::uint8_t> is_taken_;
    std::vector<std::int32_t> seen_by_;  ///< per vertex: number of the terminal that looked at it last
    std::vector<VertexId> level_;
    std::vector<VertexId> next_level_;
};

}  // namespace

GraphRouting parse_graph_routing(std::string_view text) {
    static const std::array<std::string, 2> kNames = {to_string(GraphRouting::kSpread),
                                                      to_string(GraphRouting::kUnspread)};
    if (text == kNames[0]) return GraphRouting::kSpread;
    if (text == kNames[1]) return GraphRouting::kUnspread;
    const std::string near = did_you_mean(text, kNames);
    throw OptionError("routing " + shown(text) + " does not fit a graph",
                      near.empty() ? "graphs are routed " + kNames[0] + " or " + kNames[1] : near);
}

std::string to_string(GraphRouting routing) {
    return routing == GraphRouting::kSpread ? "shortest-path" : "shortest-path,unspread";
}

GraphOrder find_order(const Graph& graph) {
    GraphOrder order;
    order.place_of_vertex.assign(static_cast<std::size_t>(graph.vertex_count()), graph.vertex_count());
    BreadthFirst search(graph);
    search.search_from(VertexId(0));
    std::int32_t place = 0;
    for (const VertexId v : search.by_distance()) order.place_of_vertex[v.index()] = place++;

    order.place_of_terminal.resize(static_cast<std::size_t>(graph.terminal_count()));
    NearestTerminals left(graph);
    VertexId terminal(0);
    for (std::int32_t i = 0; i < graph.terminal_count(); ++i) {
        if (i > 0) terminal = left.nearest(terminal);
        left.take(terminal);
        order.place_of_terminal[terminal.index()] = i;
    }
    return order;
}

RouteTrees::RouteTrees(const Graph& graph, GraphRouting routing, const GraphOrder& order,
                       std::span<const std::uint8_t> is_faulty)
    : graph_(&graph),
      arcs_(&graph.arcs()),
      routing_(routing),
      order_(&order),
      is_faulty_(is_faulty),
      search_(graph),
      next_(static_cast<std::size_t>(graph.vertex_count()), kNoWay),
      passages_(static_cast<std::size_t>(graph.vertex_count())) {
    if (routing_ == GraphRouting::kSpread) sort_choices(order);
}

void RouteTrees::sort_choices(const GraphOrder& order) {
    for (std::int32_t i = 0; i < graph_->vertex_count(); ++i) {
        const VertexId v(i);
        first_.push_back(static_cast<std::uint32_t>(choices_.size()));
        for (std::size_t place = 0; place < arcs_->count(v); ++place) {
            choices_.push_back({arcs_->from(v, place).to, static_cast<std::uint32_t>(place)});
        }
        // Parallel links by what they are, so that only equal ones come in the order of their numbers.
        std::sort(choices_.begin() + first_.back(), choices_.end(), [&](const Choice& a, const Choice& b) {
            const auto key = [&](const Choice& choice) {
                const Graph::Link& link = graph_->link(arcs_->from(v, choice.place).link);
                return std::tuple(choice.to.value < graph_->terminal_count(), order.place_of_vertex[choice.to.index()],
                                  choice.to, -link.bandwidth_bytes_per_s, link.latency_ps, choice.place);
            };
            return key(a) < key(b);
        });
    }
    first_.push_back(static_cast<std::uint32_t>(choices_.size()));
}

void RouteTrees::find(VertexId destination) {
    search_.search_to(destination, is_faulty_);
    std::ranges::fill(next_, kNoWay);
    if (routing_ == GraphRouting::kSpread) return spread(destination);
    for (const VertexId v : search_.by_distance()) next_[v.index()] = first_choice(v);
}

std::uint32_t RouteTrees::first_choice(VertexId v) const {
    const std::int32_t wanted = search_.distance(v) - 1;
    if (wanted < 0) return kNoWay;
    std::uint32_t place = 0;
    while (search_.distance(arcs_->from(v, place).to) != wanted) ++place;
    return place;
}

void RouteTrees::spread(VertexId destination) {
    const auto number = static_cast<std::uint32_t>(order_->place_of_terminal[destination.index()]);
    const std::vector<VertexId>& reached = search_.by_distance();
    for (const VertexId v : reached) passages_[v.index()] = {};
    for (std::size_t i = reached.size(); i-- > 0;) {
        const VertexId v = reached[i];
        Passage& here = passages_[v.index()];
        if (v.value < graph_->terminal_count()) ++here.routes;
        if (here.routes == 0 || i == 0) continue;
        const Choice& chosen = choose(v, number);
        next_[v.index()] = chosen.place;
        Passage& there = passages_[chosen.to.index()];
        there.routes += here.routes;
        if (here.routes <= there.most) continue;
        there.most = here.routes;
        there.before = v;
        there.hops = here.hops + 1;
        // Beyond the largest number nothing is left to divide.
        there.divisor = here.divisor;
        if (here.divisor < order_->place_of_terminal.size()) {
            there.divisor *= static_cast<std::uint32_t>(ways_.size());
        }
    }
}

/// Leaves the first choice for each next vertex in `ways_`.
const RouteTrees::Choice& RouteTrees::choose(VertexId v, std::uint32_t number) {
    const std::int32_t wanted = search_.distance(v) - 1;
    const std::uint32_t end = first_[v.index() + 1];
    ways_.clear();
    for (std::uint32_t i = first_[v.index()]; i < end; ++i) {
        const VertexId to = choices_[i].to;
        if (search_.distance(to) != wanted || (!ways_.empty() && to == choices_[ways_.back()].to)) continue;
        const bool is_switch_before = !ways_.empty() && choices_[ways_.front()].to.value >= graph_->terminal_count();
        if (is_switch_before && to.value < graph_->terminal_count()) break;
        ways_.push_back(i);
    }
    const Passage& here = passages_[v.index()];
    const std::uint32_t first = ways_[digit(number, here, static_cast<std::uint32_t>(ways_.size()))];
    std::uint32_t parallel = 1;
    while (first + parallel < end && choices_[first + parallel].to == choices_[first].to) ++parallel;
    if (parallel == 1) return choices_[first];

    // What is left of the number behind the choice here, or there where the way up was as far from its beginning as
    // this link is from the end.
    Passage at = here;
    ++at.hops;
    if (at.divisor < order_->place_of_terminal.size()) at.divisor *= static_cast<std::uint32_t>(ways_.size());
    const auto hops_left = static_cast<std::uint32_t>(search_.distance(v));
    if (hops_left < at.hops) {
        VertexId before = v;
        while (passages_[before.index()].hops > hops_left) before = passages_[before.index()].before;
        at = passages_[before.index()];
    }
    return choices_[first + digit(number, at, parallel)];
}

std::uint32_t RouteTrees::digit(std::uint32_t number, const Passage& at, std::uint32_t base) const {
    if (base == 1) return 0;
    const bool is_used_up = at.divisor >= order_->place_of_terminal.size();
    return (is_used_up ? number + at.hops : number / at.divisor) % base;
}

}  // namespace haichi
