#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "netmodel/routing/dimension_order.h"
#include "netmodel/routing/dragonfly_routing.h"
#include "netmodel/routing/fat_tree_routing.h"
#include "netmodel/routing/fault_detours.h"
#include "netmodel/routing/shortest_paths.h"
#include "netmodel/topology/fat_tree.h"
#include "netmodel/topology/graph.h"
#include "netmodel/topology/grid.h"

namespace haichi {

/// A grid with its routing.
struct GridFabric {
    Grid topology;
    DimensionOrder routing;
};

/// A tree or fat tree with its routing.
struct FatTreeFabric {
    FatTree topology;
    FatTreeRouting routing;
};

/// A graph with its routing, which must know the same faulty nodes as the network.
struct GraphFabric {
    Graph topology;
    ShortestPaths routing;
};

/// A dragonfly with its routing.
struct DragonflyFabric {
    Dragonfly topology;
    DragonflyRouting routing;
};

/// A topology and the static routing on it. Adding a topology adds an alternative here and a branch in network.cc.
using Fabric = std::variant<GridFabric, FatTreeFabric, GraphFabric, DragonflyFabric>;

struct NetworkOptions {
    /// Injection and ejection channels of a node count as links.
    bool count_nic = false;
    std::int64_t link_bandwidth_bytes_per_s = 0;
    /// Of a node's injection (ejection) channel. 0: that of the links.
    std::int64_t nic_bandwidth_bytes_per_s = 0;
    /// Fat trees: bandwidth of the links above level l (l = 0: the host links). Dragonflies: of host, local and global
    /// links. Shorter lists leave the rest at link_bandwidth_bytes_per_s.
    std::vector<std::int64_t> level_bandwidth_bytes_per_s{};
    /// Terminals of the fabric that are down: a job's node there keeps its number but takes no rank, and no route
    /// passes.
    std::vector<VertexId> faulty{};
};

/// What placement sees of a machine: the nodes of a job, and the directed links that a message between two of them
/// crosses. A value; every query is a pure function. Routes are those of the whole fabric, so a job given by a node
/// list uses links between nodes that are not its own.
class Network {
  public:
    /// `vertex_of_node` lists the job's nodes; empty means every terminal of the fabric. Throws OptionError for nodes
    /// and faulty vertices that are no terminals, nodes that stand twice, more level bandwidths than levels, and a
    /// routing that does not lead to the destination.
    Network(Fabric fabric, NetworkOptions options, std::vector<VertexId> vertex_of_node = {});

    [[nodiscard]] std::int32_t node_count() const { return node_count_; }
    /// Upper bound of link numbers; see link_exists(). The links of the fabric come first, then, with count_nic, the
    /// injection channel of every node and the ejection channel of every node.
    [[nodiscard]] std::int32_t link_count() const { return link_count_; }
    [[nodiscard]] bool link_exists(LinkId link) const;
    /// Number of links that exist (the mean load in reports is over these).
    [[nodiscard]] std::int64_t existing_link_count() const;
    [[nodiscard]] VertexId vertex(NodeId node) const {
        return vertex_of_node_.empty() ? VertexId(node.value) : vertex_of_node_[node.index()];
    }
    /// The job's node at a vertex of the fabric; an invalid id for switches and other jobs' nodes. O(log nodes).
    [[nodiscard]] NodeId node_at(VertexId vertex) const;
    /// False for a faulty node, which takes no rank and has no routes.
    [[nodiscard]] bool is_usable(NodeId node) const { return is_usable_.empty() || is_usable_[node.index()] != 0; }
    [[nodiscard]] std::int32_t usable_node_count() const { return usable_node_count_; }
    [[nodiscard]] LinkId injection_link(NodeId node) const { return LinkId(fabric_link_count_ + node.value); }
    [[nodiscard]] LinkId ejection_link(NodeId node) const {
        return LinkId(fabric_link_count_ + node_count_ + node.value);
    }

    /// Appends the links of the static route from s to d, in order; nothing when s == d. O(length), and more to pass a
    /// faulty node. Both must be usable. Throws OptionError, naming the faulty node and the pair, when no route passes.
    void append_route(NodeId s, NodeId d, std::vector<LinkId>& links) const;
    /// The stages of that route, past faulty nodes. Only on grids. Throws as append_route.
    [[nodiscard]] const DimensionOrder& dimension_order(NodeId s, NodeId d) const;
    /// Length of that route. O(axes) or O(levels); O(length) where routes have to be walked. Throws as append_route.
    [[nodiscard]] std::int32_t hops(NodeId s, NodeId d) const;
    /// False when a repeated axis with a column or a faulty node makes detours, and on a dragonfly.
    [[nodiscard]] bool routes_are_shortest() const { return routes_are_shortest_; }
    /// hops() has no closed form: it goes along the route.
    [[nodiscard]] bool hops_are_walked() const { return detours_.has_value() || is_graph(); }
    /// A pair of usable nodes that no route joins past the faulty nodes.
    struct CutPair {
        NodeId source;
        NodeId destination;
        VertexId faulty;  ///< a faulty node on the usual route
    };
    /// The first such pair, if any. O(nodes^2 * length), O(1) without faulty nodes.
    [[nodiscard]] std::optional<CutPair> find_cut_pair() const;
    /// An upper bound of the length of every route (cheap to compute, not always reached).
    [[nodiscard]] std::int32_t longest_route() const;
    /// True when hops(a, b) == hops(b, a) for all pairs.
    [[nodiscard]] bool hops_are_symmetric() const;

    /// Usable job nodes a search may try as "next to" `node`: those one hop away on a grid, those under the same lowest
    /// switch on a tree or dragonfly (in the same group where routers have one terminal), the nearest ones on a graph
    /// (of more than 64, the 64 that follow it cyclically). May be empty. Built once, O(nodes), on a graph up to
    /// O(nodes * (vertices + links)).
    [[nodiscard]] std::span<const NodeId> near_nodes(NodeId node) const {
        return std::span(near_).subspan(near_first_[node.index()], near_count_[node.index()]);
    }

    [[nodiscard]] bool bandwidth_is_uniform() const { return bandwidth_is_uniform_; }
    [[nodiscard]] std::int64_t bandwidth_bytes_per_s(LinkId link) const;
    [[nodiscard]] std::int64_t largest_bandwidth_bytes_per_s() const { return largest_bandwidth_bytes_per_s_; }

    /// Most links that leave, or that enter, any job node (what its messages have to share): 1 with count_nic, the
    /// injection or the ejection channel.
    [[nodiscard]] std::int32_t largest_out_degree() const;

    /// D[k] = the smallest possible distance of the (k+1)-nearest other node, over all nodes: a lower bound on the
    /// sorted distances from any node, in the nearer direction where they differ. At most `most` entries, at most
    /// usable nodes - 1. Exact up to 2,048 nodes and for all nodes of a grid with shortest routes or of a tree or
    /// dragonfly; else that of the whole fabric's distances, and on a graph the smallest distance throughout.
    [[nodiscard]] std::vector<std::int32_t> nearest_distance_bound(std::size_t most) const;

    /// "X+ (0,1,2,0,0,1)->(1,1,2,0,0,1)", "up (switch 3)->..." or "global (router 0.1)->..."; for reports.
    [[nodiscard]] std::string link_name(LinkId link) const;
    /// "(0,1,2,0,0,1)", the terminal's number on a tree or dragonfly, or "(name)" of a graph.
    [[nodiscard]] std::string node_name(NodeId node) const;
    [[nodiscard]] std::string routing_name() const;

    /// The grid whose vertices the terminals are: nodes have its coordinates, links join its neighbours, and a job may
    /// be a cuboid of it. Null where there is none.
    [[nodiscard]] const Grid* coordinates() const {
        const auto* fabric = std::get_if<GridFabric>(&fabric_);
        return fabric == nullptr ? nullptr : &fabric->topology;
    }
    [[nodiscard]] const Fabric& fabric() const { return fabric_; }
    [[nodiscard]] const NetworkOptions& options() const { return options_; }

  private:
    void check_routing() const;
    void sort_nodes();
    void mark_faulty_nodes();
    void build_near_nodes_of_grid(const Grid& grid);
    /// Blocks of terminals with consecutive numbers.
    void build_near_nodes_of_blocks(std::int32_t terminals_of_block);
    void build_near_nodes_of_graph(const Graph& graph);
    [[nodiscard]] bool is_graph() const { return std::holds_alternative<GraphFabric>(fabric_); }
    [[nodiscard]] bool is_dragonfly() const { return std::holds_alternative<DragonflyFabric>(fabric_); }
    /// Number of other vertices at each distance from the vertex that has the nearest ones.
    [[nodiscard]] std::vector<std::int64_t> best_distance_histogram() const;
    /// The smallest distance of two nodes of a graph.
    [[nodiscard]] std::int32_t least_hops() const;

    Fabric fabric_;
    NetworkOptions options_;
    std::vector<VertexId> vertex_of_node_;
    std::vector<NodeId> nodes_by_vertex_;  ///< node lists only: sorted by vertex
    std::vector<std::uint8_t> is_usable_;  ///< per node; empty: all are
    std::int32_t usable_node_count_ = 0;
    std::optional<FaultDetours> detours_;  ///< grids with faulty nodes
    std::int32_t node_count_ = 0;
    std::int32_t fabric_link_count_ = 0;
    std::int32_t link_count_ = 0;
    bool bandwidth_is_uniform_ = true;
    bool routes_are_shortest_ = true;
    std::int64_t largest_bandwidth_bytes_per_s_ = 0;
    std::vector<std::uint32_t> near_first_;  ///< per node, in near_; windows may overlap
    std::vector<std::uint8_t> near_count_;
    std::vector<NodeId> near_;
};

}  // namespace haichi
