#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "netmodel/routing/route_trees.h"
#include "netmodel/topology/graph.h"

namespace haichi {

struct PathOptions {
    GraphRouting routing = GraphRouting::kSpread;
    std::size_t table_budget_bytes = std::size_t{64} << 20;
};

/// Static shortest paths on a graph, those of RouteTrees.
///
/// The links are in a table of (vertex, terminal), one or two bytes each, while that fits a budget, else computed when
/// asked for by a search from the destination, O(vertices + links). The same routes both ways. A value whose copies
/// share the table; the graph is passed in and must be the one it was made for.
class ShortestPaths {
  public:
    static constexpr std::int32_t kUnreachable = BreadthFirst::kUnreachable;

    /// O(terminals * (vertices + links)).
    explicit ShortestPaths(const Graph& graph, std::span<const VertexId> faulty = {}, PathOptions options = {});

    /// Appends the links from terminal s to terminal d. Throws OptionError, naming both, when faulty vertices cut them
    /// off from each other.
    void append_route(const Graph& graph, VertexId s, VertexId d, std::vector<LinkId>& links) const;
    /// Length of that route. O(length) with the table.
    [[nodiscard]] std::int32_t hops(const Graph& graph, VertexId s, VertexId d) const;

    /// Hops from every vertex to terminal d, kUnreachable where there is no way. O(vertices + links).
    [[nodiscard]] std::vector<std::int32_t> distances_to(const Graph& graph, VertexId d) const;
    /// All routes to one terminal after the other; both must outlive it.
    [[nodiscard]] RouteTrees trees(const Graph& graph) const {
        return RouteTrees(graph, routing_, *order_, is_faulty_);
    }
    /// The longest route between any two terminals.
    [[nodiscard]] std::int32_t longest_route() const { return longest_route_; }
    [[nodiscard]] bool has_table() const { return table_ != nullptr; }
    [[nodiscard]] GraphRouting routing() const { return routing_; }
    /// Every route goes away from the terminals, then back to them, as in a tree: packets cannot block each other for
    /// ever, because every link waits for links further up, or further down, only.
    [[nodiscard]] bool go_up_then_down() const { return go_up_then_down_; }

  private:
    /// [row_of_vertex[v] * terminals + d]: the link from v to d as its place in GraphArcs, the largest number of the
    /// type where no route passes. Vertices with one link have no row, unless a vertex is faulty.
    struct Table {
        std::vector<std::int32_t> row_of_vertex;
        std::vector<VertexId> vertex_of_row;
        std::size_t terminals = 0;
        std::vector<std::uint8_t> next8;  ///< one of the two
        std::vector<std::uint16_t> next16;

        Table(const Graph& graph, bool has_faults, std::size_t budget_bytes);
        [[nodiscard]] bool fits() const { return !next8.empty() || !next16.empty() || vertex_of_row.empty(); }
        void fill(const RouteTrees& trees, VertexId d);
        /// RouteTrees::kNoWay, or the place.
        [[nodiscard]] std::uint32_t next(VertexId v, VertexId d) const;
    };

    [[nodiscard]] bool is_faulty(VertexId v) const { return !is_faulty_.empty() && is_faulty_[v.index()] != 0; }
    void find_routes(const Graph& graph, std::size_t budget_bytes);
    /// Calls visit(LinkId) for every link of the route, in order.
    template <class Visit>
    void walk(const Graph& graph, VertexId s, VertexId d, const Visit& visit) const;

    GraphRouting routing_;
    std::vector<std::uint8_t> is_faulty_;  ///< per vertex; empty: none
    std::shared_ptr<const GraphOrder> order_;
    std::int32_t longest_route_ = 0;
    bool go_up_then_down_ = true;
    std::shared_ptr<const Table> table_;
};

}  // namespace haichi
