#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "netmodel/topology/graph.h"

namespace haichi {

/// Static shortest paths on a graph. The route to a terminal goes, at every vertex, to a neighbour that is one hop
/// nearer to it: of several, a switch before a terminal, then the vertex of the lowest number; of parallel links, the
/// first. Bandwidths and latencies do not count, nor does the order of the edges. A path may pass through terminals, as
/// in a direct network, but through no faulty vertex.
///
/// The next hops are in a table of (vertex, terminal), one or two bytes each, while that fits a budget, else computed
/// when asked for by a search from the destination, O(vertices + links). The same routes both ways. A value whose
/// copies share the table; the graph is passed in and must be the one it was made for.
class ShortestPaths {
  public:
    static constexpr std::size_t kDefaultBudgetBytes = std::size_t{64} << 20;
    static constexpr std::int32_t kUnreachable = -1;

    /// O(terminals * (vertices + links)).
    explicit ShortestPaths(const Graph& graph, std::span<const VertexId> faulty = {},
                           std::size_t budget_bytes = kDefaultBudgetBytes);

    /// Appends the links from terminal s to terminal d. Throws OptionError, naming both, when faulty vertices cut them
    /// off from each other.
    void append_route(const Graph& graph, VertexId s, VertexId d, std::vector<LinkId>& links) const;
    /// Length of that route. O(length) with the table.
    [[nodiscard]] std::int32_t hops(const Graph& graph, VertexId s, VertexId d) const;

    /// Hops from every vertex to terminal d, kUnreachable where there is no way. O(vertices + links).
    [[nodiscard]] std::vector<std::int32_t> distances_to(const Graph& graph, VertexId d) const;
    /// All routes to one terminal.
    struct Tree {
        std::vector<VertexId> by_distance;  ///< the terminal, then the vertices with a way to it, the nearest first
        std::vector<std::uint32_t> next;    ///< per vertex among those, but the terminal: number among its successors
    };
    [[nodiscard]] Tree tree_to(const Graph& graph, VertexId d) const;
    /// The longest route between any two terminals.
    [[nodiscard]] std::int32_t longest_route() const { return longest_route_; }
    [[nodiscard]] bool has_table() const { return table_ != nullptr; }

  private:
    [[nodiscard]] std::vector<std::int32_t> search(const Graph& graph, VertexId d,
                                                   std::vector<VertexId>& by_distance) const;
    /// [row_of_vertex[v] * terminals + d]: number of the next hop from v to d among v's successors, the largest number
    /// of the type where there is no way. Vertices with one successor have no row, unless a vertex is faulty.
    struct Table {
        std::vector<std::int32_t> row_of_vertex;
        std::size_t terminals = 0;
        std::vector<std::uint8_t> next8;  ///< one of the two
        std::vector<std::uint16_t> next16;

        /// kNoWay, or the number.
        [[nodiscard]] std::size_t next(VertexId v, VertexId d) const;
    };
    static constexpr std::size_t kNoWay = ~std::size_t{0};

    [[nodiscard]] bool is_faulty(VertexId v) const { return !is_faulty_.empty() && is_faulty_[v.index()] != 0; }
    void fill_table(const Graph& graph, std::size_t budget_bytes);
    /// Calls visit(LinkId) for every link of the route, in order.
    template <class Visit>
    void walk(const Graph& graph, VertexId s, VertexId d, const Visit& visit) const;

    std::vector<std::uint8_t> is_faulty_;  ///< per vertex; empty: none
    std::int32_t longest_route_ = 0;
    std::shared_ptr<const Table> table_;
};

/// What the routing of graphs is called: "shortest-path".
inline constexpr std::string_view kShortestPath = "shortest-path";

/// Checks the name of a routing of graphs; throws OptionError with a hint.
void check_graph_routing(std::string_view text);

}  // namespace haichi
