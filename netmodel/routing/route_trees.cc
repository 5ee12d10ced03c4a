#include "netmodel/routing/route_trees.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "base/errors.h"

namespace haichi {

namespace {

/// Finds the nearest of the remaining terminals.
class NearestTerminals {
  public:
    explicit NearestTerminals(const Graph& graph)
        : graph_(&graph),
          is_taken_(static_cast<std::size_t>(graph.terminal_count())),
          seen_by_(static_cast<std::size_t>(graph.vertex_count()), -1),
          followed_by_(seen_by_.size(), -1),
          rows_(seen_by_.size()) {
        for (std::int32_t i = 0; i < graph.vertex_count(); ++i) {
            const VertexId v(i);
            const std::span<const GraphArc> arcs = graph.arcs().out(v);
            // Links to terminals follow the links to switches.
            const auto first = std::ranges::find_if(arcs, [&](const GraphArc& arc) { return is_terminal(arc.to); });
            rows_[v.index()] = {static_cast<std::uint32_t>(arcs.size()) - graph.arcs().host_links(v),
                                static_cast<std::uint32_t>(first - arcs.begin())};
        }
    }

    void take(VertexId terminal) { is_taken_[terminal.index()] = 1; }

    /// The nearest remaining terminal; ties go to the lowest id. At least one must remain.
    VertexId nearest(VertexId from) {
        level_.assign(1, from);
        seen_by_[from.index()] = from.value;
        while (true) {
            VertexId found;
            for (const VertexId v : level_) {
                const VertexId terminal = first_left(v);
                if (terminal.valid() && (!found.valid() || terminal < found)) found = terminal;
            }
            if (found.valid()) return found;
            next_level_.clear();
            for (const VertexId v : level_) {
                std::int32_t& followed_by = followed_by_[graph_->arcs().out_group(v)];
                if (std::exchange(followed_by, from.value) == from.value) continue;
                visits_ += rows_[v.index()].onward;
                for (const GraphArc& arc : graph_->arcs().out(v).first(rows_[v.index()].onward)) {
                    if (std::exchange(seen_by_[arc.to.index()], from.value) != from.value)
                        next_level_.push_back(arc.to);
                }
            }
            level_.swap(next_level_);
        }
    }

    [[nodiscard]] std::int64_t visits() const { return visits_; }

  private:
    /// Indices into the links that leave a vertex.
    struct Row {
        std::uint32_t onward = 0;  ///< end of the links that lead onward, before those to terminals of this switch
        std::uint32_t left = 0;    ///< first link to a terminal that is not known to be taken
    };

    [[nodiscard]] bool is_terminal(VertexId v) const { return v.value < graph_->terminal_count(); }

    /// The first remaining terminal that is a neighbour of v. Each call skips only the terminals taken since the
    /// previous call.
    VertexId first_left(VertexId v) {
        const std::span<const GraphArc> arcs = graph_->arcs().out(v);
        std::uint32_t& place = rows_[v.index()].left;
        while (place < arcs.size() && is_taken_[arcs[place].to.index()] != 0) ++place;
        return place < arcs.size() ? arcs[place].to : VertexId();
    }

    const Graph* graph_;
    std::vector<std::uint8_t> is_taken_;
    std::vector<std::int32_t> seen_by_;  ///< per vertex: the terminal whose search visited it last
    std::vector<std::int32_t>
        followed_by_;  ///< per GraphArcs::out_group: the terminal whose search followed its links last
    std::int64_t visits_ = 0;
    std::vector<Row> rows_;  ///< per vertex
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
                      near.empty() ? "routings of graphs are " + joined(kNames) : near);
}

std::string to_string(GraphRouting routing) {
    return routing == GraphRouting::kSpread ? "shortest-path" : "shortest-path,unspread";
}

GraphOrder::GraphOrder(const Graph& graph) {
    place_of_vertex.assign(static_cast<std::size_t>(graph.vertex_count()), graph.vertex_count());
    BreadthFirst search(graph);
    search.search_from(VertexId(0));
    std::int32_t place = 0;
    for (const VertexId v : search.by_distance()) place_of_vertex[v.index()] = place++;

    place_of_terminal.resize(static_cast<std::size_t>(graph.terminal_count()));
    NearestTerminals left(graph);
    VertexId terminal(0);
    for (std::int32_t i = 0; i < graph.terminal_count(); ++i) {
        if (i > 0) terminal = left.nearest(terminal);
        left.take(terminal);
        place_of_terminal[terminal.index()] = i;
    }
    visits = search.visits() + left.visits();
    for (std::int32_t t = 0; t < graph.terminal_count(); ++t) {
        const VertexId host_switch = graph.switch_of_host(VertexId(t));
        root_of_terminal.push_back(host_switch.valid() ? host_switch : VertexId(t));
    }
    sort_choices(graph);
}

void GraphOrder::sort_choices(const Graph& graph) {
    const GraphArcs& arcs = graph.arcs();
    for (std::int32_t i = 0; i < graph.vertex_count(); ++i) {
        const VertexId v(i);
        first_choice.push_back(static_cast<std::uint32_t>(all_choices.size()));
        for (std::size_t place = 0; place < arcs.count(v); ++place) {
            all_choices.push_back({arcs.from(v, place).to, static_cast<std::uint32_t>(place)});
        }
        // Sorts parallel links by their properties. Only links with equal properties are in the order of their ids.
        std::sort(all_choices.begin() + first_choice.back(), all_choices.end(), [&](const Choice& a, const Choice& b) {
            const auto key = [&](const Choice& choice) {
                const Graph::Link& link = graph.link(arcs.from(v, choice.place).link);
                return std::tuple(choice.to.value < graph.terminal_count(), place_of_vertex[choice.to.index()],
                                  choice.to, -link.bandwidth_bytes_per_s, link.latency_ps, choice.place);
            };
            return key(a) < key(b);
        });
    }
    first_choice.push_back(static_cast<std::uint32_t>(all_choices.size()));
}

std::uint32_t GraphOrder::first_choice_to(VertexId v, VertexId to) const {
    const auto key = [this](VertexId end) {
        return std::tuple(static_cast<std::size_t>(end.value) < place_of_terminal.size(), place_of_vertex[end.index()],
                          end);
    };
    const auto found =
        std::ranges::lower_bound(choices(v), key(to), {}, [&](const Choice& choice) { return key(choice.to); });
    return static_cast<std::uint32_t>(found - choices(v).begin());
}

RouteTrees::RouteTrees(const Graph& graph, GraphRouting routing, const GraphOrder& order,
                       std::span<const std::uint8_t> is_faulty)
    : graph_(&graph),
      arcs_(&graph.arcs()),
      routing_(routing),
      order_(&order),
      is_faulty_(is_faulty),
      is_left_out_(is_faulty.begin(), is_faulty.end()),
      search_(graph),
      next_(static_cast<std::size_t>(graph.vertex_count()), Choice{{}, kNoWay}),
      from_hosts_(next_.size()),
      passages_(next_.size()) {
    is_left_out_.resize(next_.size());
    for (std::int32_t t = 0; t < graph.terminal_count(); ++t) {
        const VertexId v(t);
        if (!is_host(v)) {
            from_hosts_[v.index()].routes = 1;
            continue;
        }
        if (std::exchange(is_left_out_[v.index()], std::uint8_t{1}) != 0) continue;
        Passage& there = from_hosts_[order.root_of_terminal[v.index()].index()];
        ++there.routes;
        if (there.most == 0) there = {there.routes, 1, v, 1, 1};
    }
}

void RouteTrees::find(VertexId destination) {
    const VertexId root = order_->root_of_terminal[destination.index()];
    const bool is_new = root != root_;
    // The previous destination becomes a source again.
    if (!is_new && destination_ != root) next_[destination_.index()] = {root, 0};
    destination_ = destination;
    number_ = static_cast<std::uint32_t>(order_->place_of_terminal[destination.index()]);
    if (is_new) search(root);
    if (routing_ == GraphRouting::kSpread) {
        spread();
    } else {
        if (is_new) choose_first();
        leave_root();
    }
    next_[destination.index()] = {{}, kNoWay};
}

void RouteTrees::find_distances(VertexId destination) {
    const VertexId root = order_->root_of_terminal[destination.index()];
    if (root != root_) search(root);
    destination_ = destination;
}

void RouteTrees::search(VertexId root) {
    root_ = root;
    for (const VertexId v : reached()) next_[v.index()] = Choice{{}, kNoWay};
    search_.search_to(root, is_left_out_);
}

void RouteTrees::choose_first() {
    for (const VertexId v : reached()) {
        if (v == root_) continue;
        std::uint32_t place = 0;
        while (!is_nearer(arcs_->from(v, place).to, v)) ++place;
        next_[v.index()] = {arcs_->from(v, place).to, place};
    }
}

/// Routes from the root take its first link to the destination.
void RouteTrees::leave_root() {
    if (root_ != destination_) next_[root_.index()] = {destination_, arcs_->place_of(root_, destination_)};
}

void RouteTrees::spread() {
    has_choices_ = false;
    ways_of_ = {};
    const std::vector<VertexId>& reached = this->reached();
    for (const VertexId v : reached) passages_[v.index()] = from_hosts_[v.index()];
    for (std::size_t i = reached.size(); i-- > 0;) {
        const VertexId v = reached[i];
        const Passage& here = passages_[v.index()];
        if (v == destination_) continue;
        if (here.routes == 0) {
            next_[v.index()] = {{}, kNoWay};
            continue;
        }
        const Choice& chosen = choose(v);
        next_[v.index()] = chosen;
        if (v == root_) continue;
        Passage& there = passages_[chosen.to.index()];
        there.routes += here.routes;
        if (here.routes <= there.most) continue;
        there.most = here.routes;
        there.before = v;
        there.hops = here.hops + 1;
        // Stops growing the divisor once the digits of the place are used up.
        there.divisor = here.divisor;
        if (here.divisor < order_->place_of_terminal.size()) {
            there.divisor *= static_cast<std::uint32_t>(ways_.size());
        }
    }
}

/// Stores the first choice for each possible next vertex in `ways_`. Successive vertices with the same neighbours have
/// the same choices.
void RouteTrees::find_ways(VertexId v) {
    const bool is_near = search_.distance(v) <= 1;
    const bool are_known = !is_near && ways_of_.valid() && arcs_->out_group(ways_of_) == arcs_->out_group(v) &&
                           search_.distance(ways_of_) == search_.distance(v);
    if (are_known) return;
    ways_.clear();
    ways_of_ = is_near ? VertexId() : v;
    if (is_near) {
        ways_.push_back(order_->first_choice_to(v, v == root_ ? destination_ : root_));
        return;
    }
    const std::span<const Choice> choices = order_->choices(v);
    for (std::uint32_t i = 0; i < choices.size(); ++i) {
        ++visits_;
        const VertexId to = choices[i].to;
        const bool is_switch_before = !ways_.empty() && choices[ways_.front()].to.value >= graph_->terminal_count();
        if (is_switch_before && to.value < graph_->terminal_count()) break;
        if (is_nearer(to, v) && (ways_.empty() || to != choices[ways_.back()].to)) ways_.push_back(i);
    }
}

const GraphOrder::Choice& RouteTrees::choose(VertexId v) {
    const std::span<const Choice> choices = order_->choices(v);
    find_ways(v);
    const Passage& here = passages_[v.index()];
    const std::uint32_t first = ways_[digit(here, static_cast<std::uint32_t>(ways_.size()))];
    std::uint32_t parallel = 1;
    while (first + parallel < choices.size() && choices[first + parallel].to == choices[first].to) ++parallel;
    has_choices_ = has_choices_ || ways_.size() > 1 || parallel > 1;
    if (parallel == 1) return choices[first];

    // Parallel links are selected by the digits left after this choice. On the way down, the digits left at a vertex of
    // the way up are used instead. That vertex is as far from the start as this link is from the end.
    Passage at = here;
    ++at.hops;
    if (at.divisor < order_->place_of_terminal.size()) at.divisor *= static_cast<std::uint32_t>(ways_.size());
    if (hops_left(v) < at.hops) {
        VertexId before = v;
        while (passages_[before.index()].hops > hops_left(v)) before = passages_[before.index()].before;
        at = passages_[before.index()];
    }
    return choices[first + digit(at, parallel)];
}

std::uint32_t RouteTrees::digit(const Passage& at, std::uint32_t base) const {
    if (base == 1) return 0;
    const bool is_used_up = at.divisor >= order_->place_of_terminal.size();
    return (is_used_up ? number_ + at.hops : number_ / at.divisor) % base;
}

std::int32_t RouteTrees::longest() const {
    std::int32_t longest = 0;
    for (std::size_t i = reached().size(); i-- > 0;) {
        const VertexId v = reached()[i];
        const auto hops = static_cast<std::int32_t>(hops_left(v));
        if (hops < longest) break;
        const bool is_source = v.value < graph_->terminal_count();
        const std::uint32_t hosts = from_hosts_[v.index()].routes - (is_source ? 1 : 0);
        if (hosts > (v == root_ && is_host(destination_) ? 1U : 0U)) {
            longest = hops + 1;
        } else if (is_source && v != destination_) {
            longest = std::max(longest, hops);
        }
    }
    return longest;
}

}  // namespace haichi
