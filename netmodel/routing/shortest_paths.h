#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "netmodel/routing/channel_rule.h"
#include "netmodel/routing/route_trees.h"
#include "netmodel/topology/graph.h"

namespace haichi {

struct PathOptions {
    GraphRouting routing = GraphRouting::kSpread;
    std::size_t table_budget_bytes = std::size_t{64} << 20;
    /// kSpread: more layers than that (UpDownLayers) are too many.
    std::int32_t most_layers = kMostLayers;
};

/// Static shortest paths on a graph, those of RouteTrees: of kSpread, but where the routes between all usable terminals
/// need too many layers, of kUnspread. routing() tells.
///
/// The links are in a table of (vertex, terminal), one or two bytes each, while that fits a budget, else computed when
/// asked for by a search from the destination, O(vertices + links). The same routes both ways. A value whose copies
/// share the table; the graph is passed in and must be the one it was made for.
class ShortestPaths {
  public:
    static constexpr std::int32_t kUnreachable = BreadthFirst::kUnreachable;

    /// O(terminals * (vertices + links)), searches only for one terminal of each switch.
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
    /// That the routes between all usable terminals need by UpDownLayers; of kUnspread it is only known whether they
    /// are more than 1.
    [[nodiscard]] std::int32_t layers() const { return layers_; }
    [[nodiscard]] const GraphOrder& order() const { return *order_; }
    [[nodiscard]] bool is_usable(VertexId v) const { return is_faulty_.empty() || is_faulty_[v.index()] == 0; }

  private:
    /// [d * rows + row_of_vertex[v]]: the link from v to d as its place in GraphArcs, the largest number of the type
    /// where no route passes. What a route asks for, and what is filled in together, lies together. Vertices with one
    /// link have no row, unless a vertex is faulty.
    struct Table {
        std::vector<std::int32_t> row_of_vertex;
        std::vector<VertexId> vertex_of_row;
        std::vector<std::uint8_t> next8;  ///< one of the two
        std::vector<std::uint16_t> next16;

        Table(const Graph& graph, bool has_faults, std::size_t budget_bytes);
        [[nodiscard]] bool fits() const { return !next8.empty() || !next16.empty() || vertex_of_row.empty(); }
        void fill(const RouteTrees& trees, VertexId d);
        /// RouteTrees::kNoWay, or the place.
        [[nodiscard]] std::uint32_t next(VertexId v, VertexId d) const;
    };

    /// False when the routes need more layers than that.
    bool find_routes(const Graph& graph, const PathOptions& options);
    /// Calls visit(LinkId) for every link of the route, in order.
    template <class Visit>
    void walk(const Graph& graph, VertexId s, VertexId d, const Visit& visit) const;

    GraphRouting routing_;
    std::vector<std::uint8_t> is_faulty_;  ///< per vertex; empty: none
    std::shared_ptr<const GraphOrder> order_;
    std::int32_t longest_route_ = 0;
    std::int32_t layers_ = 1;
    std::shared_ptr<const Table> table_;
};

}  // namespace haichi
