#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "netmodel/topology/breadth_first.h"
#include "netmodel/topology/graph.h"

namespace haichi {

/// Selection among the shortest routes of a graph.
enum class GraphRouting {
    kSpread,    ///< "shortest-path": destinations are spread over the routes
    kUnspread,  ///< "shortest-path,unspread": the first route, the same for all pairs
};

/// Throws OptionError with a did-you-mean hint.
GraphRouting parse_graph_routing(std::string_view text);
std::string to_string(GraphRouting routing);

/// The order of vertices and terminals for a graph's routes. It depends on the numbers of the terminals and on the
/// connections, but hardly on the numbers of the switches. The order of the links has no effect.
struct GraphOrder {
    struct Choice {
        VertexId to;
        std::uint32_t place = 0;  ///< index in GraphArcs
    };

    /// Searches from each terminal to the next one.
    explicit GraphOrder(const Graph& graph);

    [[nodiscard]] std::span<const Choice> choices(VertexId v) const {
        return std::span(all_choices)
            .subspan(first_choice[v.index()], first_choice[v.index() + 1] - first_choice[v.index()]);
    }
    /// Index among choices(v) of the first link to `to`. There must be one. O(log(links of v)).
    [[nodiscard]] std::uint32_t first_choice_to(VertexId v, VertexId to) const;

    /// Place of every vertex in a breadth-first search from the first terminal. Corresponding switches in different
    /// parts of a fat tree have the same order, because the search finds them through shared switches.
    std::vector<std::int32_t> place_of_vertex;
    /// Place of every terminal. The next terminal is the nearest of the remaining ones, with the lowest number among
    /// equals. The terminals of a switch are therefore consecutive, as are those of a part of the machine. A fat tree
    /// with the usual numbering keeps its numbers.
    std::vector<std::int32_t> place_of_terminal;
    /// The switch of every terminal with a single switch, else the terminal itself. Routes to the terminals of a switch
    /// share their distances, so one search serves all of them.
    std::vector<VertexId> root_of_terminal;
    std::vector<std::uint32_t> first_choice;  ///< index in all_choices per vertex, plus an end entry
    std::vector<Choice> all_choices;          ///< links that leave a vertex, parallel links adjacent
    std::int64_t visits = 0;                  ///< number of links that the searches visited, for tests of the effort

  private:
    void sort_choices(const Graph& graph);
};

/// Finds the routes to one terminal after the other, in reused memory. All routes to a terminal form a tree: a vertex
/// sends packets for it to one of the vertices that are one hop nearer. It prefers switches to terminals among them.
/// Bandwidths and latencies have no effect.
///
/// kUnspread selects the vertex with the lowest number, and the first of parallel links.
///
/// kSpread is destination-mod-k (Zahavi, CCIT report 776, 2010) on any graph. The place of the destination is a number
/// whose digits make the choices along a route. With c vertices to choose from, the lowest digit to the base c selects
/// one, and the rest of the number stays with the route. Different choices thus use different digits. If routes meet,
/// the route that carries the most others continues with its digits. If a number is used up, the sum of the number and
/// the hops so far replaces it. The next digit selects among parallel links without being used up. On the way down, it
/// is the digit of the way up at the same distance from the end. On an XGFT these are the routes of
/// FatTreeRouting::kDestinationModK.
class RouteTrees {
  public:
    /// The vertex is on no route.
    static constexpr std::uint32_t kNoWay = ~std::uint32_t{0};

    /// Avoids the vertices that `is_faulty` marks (empty: none). All arguments must outlive this.
    RouteTrees(const Graph& graph, GraphRouting routing, const GraphOrder& order,
               std::span<const std::uint8_t> is_faulty);

    /// O(vertices + links) for the first destination of a root. Each further destination costs O(1) with kUnspread.
    /// With kSpread it costs O(vertices + links), not counting nodes of a single link.
    void find(VertexId destination);

    /// Finds only the distances to the root of the destination: distance() and longest(). The next find() must be for
    /// another root.
    void find_distances(VertexId destination);
    /// Hops to the root along the links; BreadthFirst::kUnreachable without a path, and for terminals of a single link.
    [[nodiscard]] std::int32_t distance(VertexId v) const { return search_.distance(v); }

    /// GraphOrder::root_of_terminal of the destination.
    [[nodiscard]] VertexId root() const { return root_; }
    /// The vertices that reach the destination, nearest first, starting with the root; without terminals of a single
    /// link.
    [[nodiscard]] const std::vector<VertexId>& reached() const { return search_.by_distance(); }
    /// The next link on the routes through v, as a place in GraphArcs; kNoWay without routes.
    [[nodiscard]] std::uint32_t next(VertexId v) const {
        if (!is_host(v)) return next_[v.index()].place;
        return v == destination_ || !reaches_root(v) ? kNoWay : 0;
    }
    /// The end of that link; only if next() is not kNoWay.
    [[nodiscard]] VertexId next_vertex(VertexId v) const {
        return is_host(v) ? order_->root_of_terminal[v.index()] : next_[v.index()].to;
    }
    /// Whether the number of the destination selected no link. Other terminals of a single link at the same root then
    /// have the same routes to the root.
    [[nodiscard]] bool are_of_root() const { return !has_choices_; }
    /// Number of links visited so far, for tests of the effort.
    [[nodiscard]] std::int64_t visits() const { return search_.visits() + visits_; }
    /// Hops of the longest route to the destination.
    [[nodiscard]] std::int32_t longest() const;

  private:
    using Choice = GraphOrder::Choice;
    /// The routes through a vertex, and the largest group among them that arrives over one link.
    struct Passage {
        std::uint32_t routes = 0;
        std::uint32_t most = 0;
        VertexId before;            ///< vertex that this group comes from
        std::uint32_t hops = 0;     ///< length of the group's longest route so far
        std::uint32_t divisor = 1;  ///< product of the numbers of choices that the group has made
    };

    /// A terminal of a single link. Searches leave it out, because its only way is the link to its switch.
    [[nodiscard]] bool is_host(VertexId v) const {
        return v.value < graph_->terminal_count() && order_->root_of_terminal[v.index()] != v && arcs_->count(v) == 1;
    }
    [[nodiscard]] bool reaches_root(VertexId host) const {
        const VertexId host_switch = order_->root_of_terminal[host.index()];
        const bool is_faulty = !is_faulty_.empty() && is_faulty_[host.index()] != 0;
        return !is_faulty && search_.distance(host_switch) != BreadthFirst::kUnreachable;
    }
    void search(VertexId root);
    void leave_root();
    void spread();
    void choose_first();
    /// True if `to` is one hop nearer to the root than v, which is not the root.
    [[nodiscard]] bool is_nearer(VertexId to, VertexId v) const {
        return search_.distance(to) == search_.distance(v) - 1;
    }
    void find_ways(VertexId v);
    const Choice& choose(VertexId v);
    [[nodiscard]] std::uint32_t digit(const Passage& at, std::uint32_t base) const;
    [[nodiscard]] std::uint32_t hops_left(VertexId v) const {
        return static_cast<std::uint32_t>(search_.distance(v) + (root_ == destination_ ? 0 : 1));
    }

    const Graph* graph_;
    const GraphArcs* arcs_;
    GraphRouting routing_;
    const GraphOrder* order_;
    std::span<const std::uint8_t> is_faulty_;
    std::vector<std::uint8_t> is_left_out_;  ///< faulty vertices and hosts
    BreadthFirst search_;                    ///< search to the root
    VertexId root_;
    VertexId destination_;
    std::uint32_t number_ = 0;         ///< place of the destination
    bool has_choices_ = false;         ///< digits of the number selected a link
    std::vector<Choice> next_;         ///< per vertex
    std::vector<Passage> from_hosts_;  ///< per vertex: routes that start there or at its hosts
    std::vector<Passage> passages_;    ///< per vertex
    std::vector<std::uint32_t> ways_;  ///< work space: the first choice for each next vertex
    VertexId ways_of_;                 ///< the vertex of these ways
    std::int64_t visits_ = 0;
};

}  // namespace haichi
