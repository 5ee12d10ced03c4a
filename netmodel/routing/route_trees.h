#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "netmodel/topology/breadth_first.h"
#include "netmodel/topology/graph.h"

namespace haichi {

/// Which of the equally short routes of a graph are taken.
enum class GraphRouting {
    kSpread,    ///< "shortest-path": destinations are spread over them
    kUnspread,  ///< "shortest-path,unspread": the first ones, for all pairs the same
};

/// Throws OptionError with did-you-mean.
GraphRouting parse_graph_routing(std::string_view text);
std::string to_string(GraphRouting routing);

/// The order in which a graph's routes count its vertices and terminals. It depends on the numbers of the terminals and
/// on what is joined to what, not on the order of the links, and hardly on the numbers of the switches.
struct GraphOrder {
    struct Choice {
        VertexId to;
        std::uint32_t place = 0;  ///< in GraphArcs
    };

    /// A search from each terminal, as far as the next one.
    explicit GraphOrder(const Graph& graph);

    [[nodiscard]] std::span<const Choice> choices(VertexId v) const {
        return std::span(all_choices)
            .subspan(first_choice[v.index()], first_choice[v.index() + 1] - first_choice[v.index()]);
    }

    /// Place of every vertex in a breadth-first search from the first terminal: switches that stand for each other in
    /// different parts of a fat tree come in the same order there, because they are found through the switches that
    /// they share.
    std::vector<std::int32_t> place_of_vertex;
    /// Of every terminal: each is the nearest to the one before among those that are left, of several that of the
    /// lowest number. So the terminals of a switch follow each other, those of a part of the machine too, and a fat
    /// tree that is numbered as usual keeps its numbers.
    std::vector<std::int32_t> place_of_terminal;
    /// Of every terminal: its switch, where it hangs on a single one, else itself. Routes to the terminals of a switch
    /// share their distances, and are searched for once.
    std::vector<VertexId> root_of_terminal;
    std::vector<std::uint32_t> first_choice;  ///< per vertex, in all_choices; and the end
    std::vector<Choice> all_choices;          ///< the links that leave a vertex, parallel ones side by side

  private:
    void sort_choices(const Graph& graph);
};

/// The routes to one terminal after the other, in memory that is used again. All routes to a terminal make a tree: a
/// vertex sends what is for it to one of the vertices that are a hop nearer. A terminal is gone through only where no
/// switch is among them. Bandwidths and latencies do not count.
///
/// kUnspread takes the vertex of the lowest number, and of parallel links the first.
///
/// kSpread is destination-mod-k (Zahavi, CCIT report 776, 2010) on any graph. The place of the destination is a number
/// whose digits make the choices along a route: with c vertices to choose from, the lowest digit to the base c chooses
/// one, and the rest of the number goes with the route. So no choice repeats another, as it would if all took the same
/// digit. Where routes meet, the one that brings the most others goes on with its digits; when a number is used up, its
/// sum with the hops until there takes its place. Of parallel links the next digit chooses, but does not use up; on the
/// way down that of the way up at the same distance from the end. On an XGFT these are the routes of
/// FatTreeRouting::kDownStraight.
class RouteTrees {
  public:
    /// No route passes there.
    static constexpr std::uint32_t kNoWay = ~std::uint32_t{0};

    /// Through no vertex that `is_faulty` marks (empty: none). All must outlive this.
    RouteTrees(const Graph& graph, GraphRouting routing, const GraphOrder& order,
               std::span<const std::uint8_t> is_faulty);

    /// O(vertices + links) for the first destination of a root; for the next ones kUnspread O(1), kSpread
    /// O(vertices + links) without the hosts.
    void find(VertexId destination);

    /// GraphOrder::root_of_terminal of the destination.
    [[nodiscard]] VertexId root() const { return root_; }
    /// The vertices that reach it, the nearest first, which is the root; without hosts, terminals with a single link.
    [[nodiscard]] const std::vector<VertexId>& reached() const { return reached_; }
    /// Of a vertex that routes from terminals pass: the link that they take there, as a place in GraphArcs.
    [[nodiscard]] std::uint32_t next(VertexId v) const { return next_[v.index()].place; }
    /// Where that leads; only where next() is not kNoWay.
    [[nodiscard]] VertexId next_vertex(VertexId v) const { return next_[v.index()].to; }
    /// Hops of the longest route to the destination.
    [[nodiscard]] std::int32_t longest() const;

  private:
    using Choice = GraphOrder::Choice;
    /// Of the routes that pass a vertex, and of the ones that bring the most of them there.
    struct Passage {
        std::uint32_t routes = 0;
        std::uint32_t most = 0;
        VertexId before;            ///< where these come from
        std::uint32_t hops = 0;     ///< of the longest way to here along these
        std::uint32_t divisor = 1;  ///< product of what they had to choose from
    };

    [[nodiscard]] bool is_host(VertexId v) const {
        return v.value < graph_->terminal_count() && order_->root_of_terminal[v.index()] != v && arcs_->count(v) == 1;
    }
    void search(VertexId root);
    void leave_root();
    void spread();
    void choose_first();
    /// Whether `to` is a hop nearer to the destination than v.
    [[nodiscard]] bool is_nearer(VertexId to, VertexId v) const {
        return v == root_ ? to == destination_ : search_.distance(to) == search_.distance(v) - 1;
    }
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
    BreadthFirst search_;  ///< to the root
    VertexId root_;
    VertexId destination_;
    std::uint32_t number_ = 0;  ///< the destination's
    std::vector<VertexId> reached_;
    std::vector<Choice> next_;         ///< per vertex
    std::vector<Passage> from_hosts_;  ///< per vertex of reached_: the routes that begin there and at its hosts
    std::vector<Passage> passages_;    ///< per vertex
    std::vector<std::uint32_t> ways_;  ///< work space: the first choice for each next vertex
};

}  // namespace haichi
