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
    /// Place of every vertex in a breadth-first search from the first terminal: switches that stand for each other in
    /// different parts of a fat tree come in the same order there, because they are found through the switches that
    /// they share.
    std::vector<std::int32_t> place_of_vertex;
    /// Of every terminal: each is the nearest to the one before among those that are left, of several that of the
    /// lowest number. So the terminals of a switch follow each other, those of a part of the machine too, and a fat
    /// tree that is numbered as usual keeps its numbers.
    std::vector<std::int32_t> place_of_terminal;
};
/// A search from each terminal, as far as the next one.
GraphOrder find_order(const Graph& graph);

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

    /// O(vertices + links).
    void find(VertexId destination);
    /// Hops to it.
    [[nodiscard]] const BreadthFirst& search() const { return search_; }
    /// Of a vertex that routes from terminals pass: the link that they take there, as a place in GraphArcs.
    [[nodiscard]] std::uint32_t next(VertexId v) const { return next_[v.index()]; }

  private:
    struct Choice {
        VertexId to;
        std::uint32_t place = 0;
    };
    /// Of the routes that pass a vertex, and of the ones that bring the most of them there.
    struct Passage {
        std::uint32_t routes = 0;
        std::uint32_t most = 0;
        VertexId before;            ///< where these come from
        std::uint32_t hops = 0;     ///< of the longest way to here along these
        std::uint32_t divisor = 1;  ///< product of what they had to choose from
    };

    void sort_choices(const GraphOrder& order);
    void spread(VertexId destination);
    const Choice& choose(VertexId v, std::uint32_t number);
    [[nodiscard]] std::uint32_t digit(std::uint32_t number, const Passage& at, std::uint32_t base) const;
    [[nodiscard]] std::uint32_t first_choice(VertexId v) const;

    const Graph* graph_;
    const GraphArcs* arcs_;
    GraphRouting routing_;
    const GraphOrder* order_;
    std::span<const std::uint8_t> is_faulty_;
    BreadthFirst search_;
    std::vector<std::uint32_t> next_;
    std::vector<std::uint32_t> first_;  ///< per vertex, in choices_
    std::vector<Choice> choices_;       ///< the links that leave a vertex, parallel ones side by side
    std::vector<Passage> passages_;     ///< per vertex
    std::vector<std::uint32_t> ways_;   ///< work space: the first choice for each next vertex
};

}  // namespace haichi
