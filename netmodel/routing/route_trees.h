#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "netmodel/topology/breadth_first.h"
#include "netmodel/topology/graph.h"

namespace haichi {

/// Rule for the selection among the shortest routes of a graph.
enum class GraphRouting {
    kSpread,    ///< "shortest-path": distributes destinations over the routes
    kUnspread,  ///< "shortest-path,unspread": always takes the first route
};

/// Throws OptionError with a did-you-mean hint.
GraphRouting parse_graph_routing(std::string_view text);
std::string to_string(GraphRouting routing);

/// The order of vertices and terminals for a graph's routes. It depends on the ids of the terminals and on the
/// connections, but hardly on the ids of the switches. The order of the links has no effect.
struct GraphOrder {
    struct Choice {
        VertexId to;
        std::uint32_t place = 0;  ///< index in GraphArcs
    };

    /// Orders the terminals by searches, each from one terminal to the next.
    explicit GraphOrder(const Graph& graph);

    [[nodiscard]] std::span<const Choice> choices(VertexId v) const {
        return std::span(all_choices)
            .subspan(first_choice[v.index()], first_choice[v.index() + 1] - first_choice[v.index()]);
    }
    /// Index among choices(v) of the first link to `to`, which must exist. O(log(links of v)).
    [[nodiscard]] std::uint32_t first_choice_to(VertexId v, VertexId to) const;

    /// Position of every vertex in a breadth-first search from the first terminal. Corresponding switches in different
    /// parts of a fat tree get the same order, because the search finds them through shared switches.
    std::vector<std::int32_t> place_of_vertex;
    /// Position of every terminal. The next terminal is always the nearest remaining one; ties go to the lowest id. The
    /// terminals of a switch are therefore consecutive, as are those of a part of the machine. In a fat tree with the
    /// usual numbering, positions equal ids.
    std::vector<std::int32_t> place_of_terminal;
    /// For a terminal with a single switch, that switch; otherwise, the terminal itself. Routes to the terminals of a
    /// switch have the same distances, so one search serves all of them.
    std::vector<VertexId> root_of_terminal;
    std::vector<std::uint32_t> first_choice;  ///< index in all_choices per vertex, plus an end entry
    std::vector<Choice> all_choices;          ///< the links that leave each vertex; parallel links are adjacent
    std::int64_t visits = 0;                  ///< number of links that the searches visited, for tests of the effort

  private:
    void sort_choices(const Graph& graph);
};

/// Finds the routes to one terminal after the other, in reused memory. All routes to a terminal form a tree: a vertex
/// sends packets for it to one of the vertices that are one hop nearer. Among these, it prefers switches to terminals.
/// Bandwidths and latencies have no effect.
///
/// kUnspread selects the vertex with the lowest number, and the first of parallel links.
///
/// kSpread is destination-mod-k (Zahavi, CCIT report 776, 2010) on any graph. The digits of the destination's position
/// (GraphOrder) make the choices along a route. Among c vertices, the lowest digit to base c selects one; the remaining
/// digits stay with the route. Different choices thus use different digits. If routes meet, the largest group of routes
/// determines the remaining digits. When all digits are used up, the sum of position and hops so far replaces them. The
/// next digit selects among parallel links, but stays available. On the way down, parallel links use the digit of the
/// way up that is equally far from the end of the route. On an XGFT these are the routes of
/// FatTreeRouting::kDestinationModK.
class RouteTrees {
  public:
    /// Returned for a vertex without a route.
    static constexpr std::uint32_t kNoWay = ~std::uint32_t{0};

    /// Avoids the vertices that `is_faulty` marks (empty: none). All arguments must outlive this.
    RouteTrees(const Graph& graph, GraphRouting routing, const GraphOrder& order,
               std::span<const std::uint8_t> is_faulty);

    /// Finds the routes to a destination. O(vertices + links) for the first destination of a root. A further
    /// destination of the same root costs O(1) with kUnspread. With kSpread it costs O(vertices + links), without nodes
    /// that have a single link.
    void find(VertexId destination);

    /// Finds only the distances to the root of the destination: distance() and longest(). The next find() must be for
    /// another root.
    void find_distances(VertexId destination);
    /// Hops to the root along the links; BreadthFirst::kUnreachable without a path, and for terminals with a single
    /// link.
    [[nodiscard]] std::int32_t distance(VertexId v) const { return search_.distance(v); }

    /// The root of the destination (GraphOrder::root_of_terminal).
    [[nodiscard]] VertexId root() const { return root_; }
    /// The vertices that reach the destination, nearest first, starting with the root. Terminals with a single link are
    /// omitted.
    [[nodiscard]] const std::vector<VertexId>& reached() const { return search_.by_distance(); }
    /// The next link on the routes through v, as an index for GraphArcs::from(); kNoWay without routes.
    [[nodiscard]] std::uint32_t next(VertexId v) const {
        if (!is_host(v)) return next_[v.index()].place;
        return v == destination_ || !reaches_root(v) ? kNoWay : 0;
    }
    /// The end of the link next(v), which must not be kNoWay.
    [[nodiscard]] VertexId next_vertex(VertexId v) const {
        return is_host(v) ? order_->root_of_terminal[v.index()] : next_[v.index()].to;
    }
    /// True if the destination's position selected no link. All terminals with a single link at the same root then have
    /// the same routes to the root.
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
        VertexId before;            ///< vertex from which this group arrives
        std::uint32_t hops = 0;     ///< length of the group's longest route so far
        std::uint32_t divisor = 1;  ///< product of the numbers of choices that the group has made
    };

    /// A terminal with a single link. Searches omit it, because all of its routes begin with the link to its switch.
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
    std::uint32_t number_ = 0;         ///< position of the destination
    bool has_choices_ = false;         ///< digits of the position selected a link
    std::vector<Choice> next_;         ///< per vertex
    std::vector<Passage> from_hosts_;  ///< per vertex: routes that start there or at its hosts
    std::vector<Passage> passages_;    ///< per vertex
    std::vector<std::uint32_t> ways_;  ///< work space: the first choice for each next vertex
    VertexId ways_of_;                 ///< the vertex of these ways
    std::int64_t visits_ = 0;
};

}  // namespace haichi
