#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "netmodel/routing/channel_rule.h"
#include "netmodel/routing/route_trees.h"
#include "netmodel/topology/graph.h"

namespace haichi {

struct PathOptions {
    GraphRouting routing = GraphRouting::kSpread;
    std::size_t table_budget_bytes = std::size_t{256} << 20;
    /// Maximum number of layers (UpDownLayers) for kSpread. If it needs more, kUnspread is used.
    std::int32_t most_layers = kMostLayers;
};

/// Static shortest paths on a graph, the routes of RouteTrees. The routing is kSpread, or kUnspread if kSpread routes
/// between all usable terminals would need too many layers. routing() returns the choice.
///
/// A table contains the next link for each (vertex, terminal), in one or two bytes per entry, if it fits a budget.
/// Otherwise a call finds the same routes by a search from the destination, O(vertices + links). It then stores the
/// next links to this destination, in at most a quarter of the budget. When that quarter is used up, a call searches
/// unless the last search had the same destination. Another table contains the lengths between pairs of roots
/// (GraphOrder), in a byte each, if it fits the budget. A value whose copies share the tables. Functions take the
/// graph, which must be the one given to the constructor; they may be called by several threads.
class ShortestPaths {
  public:
    static constexpr std::int32_t kUnreachable = BreadthFirst::kUnreachable;

    /// O(terminals * (vertices + links)), with only one search per switch with terminals. O(roots * (vertices + links))
    /// if all shortest routes lead up and then down, and the table of next links does not fit.
    explicit ShortestPaths(const Graph& graph, std::span<const VertexId> faulty = {}, PathOptions options = {});

    /// Appends the links from terminal s to terminal d. Throws OptionError, naming both, if faulty vertices disconnect
    /// them.
    void append_route(const Graph& graph, VertexId s, VertexId d, std::vector<LinkId>& links) const;
    /// Length of the route of append_route(). O(1) with the table of lengths, O(length) with the table of next links.
    [[nodiscard]] std::int32_t hops(const Graph& graph, VertexId s, VertexId d) const;

    /// Hops from every vertex to terminal d, kUnreachable without a route. O(vertices + links).
    [[nodiscard]] std::vector<std::int32_t> distances_to(const Graph& graph, VertexId d) const;
    /// Visits all routes, one destination after the other. `graph` and this object must outlive the result.
    [[nodiscard]] RouteTrees trees(const Graph& graph) const {
        return RouteTrees(graph, routing_, *order_, is_faulty_);
    }
    /// The longest route between any two terminals.
    [[nodiscard]] std::int32_t longest_route() const { return longest_route_; }
    [[nodiscard]] bool has_table() const { return table_->fits; }
    /// True if hops() reads a table.
    [[nodiscard]] bool has_lengths() const { return lengths_ != nullptr; }
    [[nodiscard]] GraphRouting routing() const { return routing_; }
    /// Number of UpDownLayers that the routes between all usable terminals need. For kUnspread, only the comparison
    /// with 1 is exact.
    [[nodiscard]] std::int32_t layers() const { return layers_; }
    [[nodiscard]] const GraphOrder& order() const { return *order_; }
    [[nodiscard]] bool is_usable(VertexId v) const { return is_faulty_.empty() || is_faulty_[v.index()] == 0; }

  private:
    /// Entry d * rows + row_of_vertex[v] is the link from v towards d, as its index for GraphArcs::from(). It is the
    /// largest value of the type if there is no route. Entries that a route reads, or that are computed together, are
    /// adjacent. Vertices with one link have no row, unless a vertex is faulty.
    struct Table {
        std::vector<std::int32_t> row_of_vertex;
        std::vector<VertexId> vertex_of_row;
        std::vector<std::uint8_t> next8;  ///< either next8 or next16 is used
        std::vector<std::uint16_t> next16;
        bool fits = false;  ///< the table has entries; otherwise columns are found one by one, if 16 bits suffice
        bool fits16 = false;

        Table(const Graph& graph, bool has_faults, std::size_t budget_bytes);
        void fill(const RouteTrees& trees, VertexId d);
        /// The entries for the destination of `trees`, with kNoWay16 for RouteTrees::kNoWay.
        [[nodiscard]] std::vector<std::uint16_t> column(const RouteTrees& trees) const;
        /// The index of the link from v towards d, or RouteTrees::kNoWay.
        [[nodiscard]] std::uint32_t next(VertexId v, VertexId d) const;
    };

    /// Distances between the roots of terminals.
    struct Lengths {
        static constexpr std::uint8_t kUnknown = 255;
        std::vector<std::int32_t> row_of_root;  ///< by vertex; -1 for other vertices
        std::vector<VertexId> roots;
        std::vector<std::uint8_t> hops;  ///< [row of the destination's root * roots + row of the source's root]

        Lengths(const Graph& graph, const GraphOrder& order, std::size_t budget_bytes);
        void fill(const RouteTrees& trees, VertexId root);
    };

    /// The routes that calls without a table have found. A copy of ShortestPaths starts with none, because the trees
    /// refer to the object that owns them.
    struct Found {
        Found() = default;
        Found(const Found& /*other*/) {}
        Found& operator=(const Found& /*other*/) {
            trees.reset();
            columns.clear();
            bytes = 0;
            return *this;
        }
        ~Found() = default;

        std::mutex mutex;
        std::optional<RouteTrees> trees;  ///< the routes to the last destination
        VertexId destination;
        /// Columns of the table by destination, or by the destination's root if all hosts of the root share the column.
        std::unordered_map<std::int32_t, std::vector<std::uint16_t>> columns;
        std::size_t bytes = 0;  ///< size of the columns
    };

    /// False if the routes need more layers than PathOptions::most_layers.
    bool find_routes(const Graph& graph, const PathOptions& options);
    /// Finds only the lengths, without a table of next links. Returns false if some choice of shortest routes needs
    /// more than one layer.
    bool find_lengths(const Graph& graph, std::span<const VertexId> destinations, Lengths& lengths);
    /// The column of d or of its root. Null if the trees of the last search contain the routes to d instead. Requires
    /// the lock of found_.
    [[nodiscard]] const std::vector<std::uint16_t>* found_column(const Graph& graph, VertexId d) const;
    /// Calls visit(LinkId) for every link of the route, in order.
    template <class Visit>
    void walk(const Graph& graph, VertexId s, VertexId d, const Visit& visit) const;

    GraphRouting routing_;
    std::vector<std::uint8_t> is_faulty_;  ///< per vertex; empty if none is faulty
    std::shared_ptr<const GraphOrder> order_;
    std::int32_t longest_route_ = 0;
    std::int32_t layers_ = 1;
    std::shared_ptr<const Table> table_;
    std::shared_ptr<const Lengths> lengths_;
    std::size_t most_column_bytes_;
    mutable Found found_;
};

}  // namespace haichi
