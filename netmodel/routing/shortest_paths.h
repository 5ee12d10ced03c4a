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
    /// kSpread is not used if it needs more layers than this (UpDownLayers).
    std::int32_t most_layers = kMostLayers;
};

/// Static shortest paths on a graph, the routes of RouteTrees. They are kSpread, or kUnspread if the routes between all
/// usable terminals would need too many layers. routing() returns which.
///
/// The next links are in a table of (vertex, terminal) with one or two bytes per entry, if it fits a budget. Otherwise
/// a call searches from the destination, O(vertices + links), with the same routes, and keeps the next links to it.
/// These take at most a quarter of the budget. When it is used up, a call searches unless the last search had the same
/// destination. The lengths are in another table, of pairs of roots (GraphOrder) with a byte each, if that fits
/// the budget. A value whose copies share the tables. Functions take the graph, which must be the one given to the
/// constructor; they may be called by several threads.
class ShortestPaths {
  public:
    static constexpr std::int32_t kUnreachable = BreadthFirst::kUnreachable;

    /// O(terminals * (vertices + links)); searches only once per switch with terminals. O(roots * (vertices + links))
    /// if routes lead up and then down whatever they are, and the table of next links does not fit.
    explicit ShortestPaths(const Graph& graph, std::span<const VertexId> faulty = {}, PathOptions options = {});

    /// Appends the links from terminal s to terminal d. Throws OptionError, naming both, if faulty vertices disconnect
    /// them.
    void append_route(const Graph& graph, VertexId s, VertexId d, std::vector<LinkId>& links) const;
    /// Length of that route. O(1) with the table of lengths, O(length) with the table of next links.
    [[nodiscard]] std::int32_t hops(const Graph& graph, VertexId s, VertexId d) const;

    /// Hops from every vertex to terminal d, kUnreachable without a route. O(vertices + links).
    [[nodiscard]] std::vector<std::int32_t> distances_to(const Graph& graph, VertexId d) const;
    /// All routes, one destination after the other; both objects must outlive it.
    [[nodiscard]] RouteTrees trees(const Graph& graph) const {
        return RouteTrees(graph, routing_, *order_, is_faulty_);
    }
    /// The longest route between any two terminals.
    [[nodiscard]] std::int32_t longest_route() const { return longest_route_; }
    [[nodiscard]] bool has_table() const { return table_->fits; }
    /// hops() reads a table.
    [[nodiscard]] bool has_lengths() const { return lengths_ != nullptr; }
    [[nodiscard]] GraphRouting routing() const { return routing_; }
    /// UpDownLayers that the routes between all usable terminals need. For kUnspread it is only known whether they
    /// exceed 1.
    [[nodiscard]] std::int32_t layers() const { return layers_; }
    [[nodiscard]] const GraphOrder& order() const { return *order_; }
    [[nodiscard]] bool is_usable(VertexId v) const { return is_faulty_.empty() || is_faulty_[v.index()] == 0; }

  private:
    /// [d * rows + row_of_vertex[v]]: the link from v to d as its place in GraphArcs, or the largest number of the type
    /// without a route. Entries that a route reads, or that are computed together, are adjacent. Vertices with one link
    /// have no row, unless a vertex is faulty.
    struct Table {
        std::vector<std::int32_t> row_of_vertex;
        std::vector<VertexId> vertex_of_row;
        std::vector<std::uint8_t> next8;  ///< either next8 or next16 is used
        std::vector<std::uint16_t> next16;
        bool fits = false;  ///< there are entries; otherwise columns are found one by one, if 16 bits suffice
        bool fits16 = false;

        Table(const Graph& graph, bool has_faults, std::size_t budget_bytes);
        void fill(const RouteTrees& trees, VertexId d);
        /// The entries for the destination of `trees`, with kNoWay16 for RouteTrees::kNoWay.
        [[nodiscard]] std::vector<std::uint16_t> column(const RouteTrees& trees) const;
        /// The place, or RouteTrees::kNoWay.
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

    /// The routes that calls without a table have found. A copy starts without it, because the trees refer to the
    /// object that owns them.
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
        /// Columns of the table by destination, or by its root if all hosts of the root share the column.
        std::unordered_map<std::int32_t, std::vector<std::uint16_t>> columns;
        std::size_t bytes = 0;  ///< size of the columns
    };

    /// False if the routes need more layers than PathOptions::most_layers.
    bool find_routes(const Graph& graph, const PathOptions& options);
    /// The same without a table of next links, if one layer suffices whatever the routes are. Else false.
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
