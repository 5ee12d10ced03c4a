#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "netmodel/routing/routes.h"
#include "netmodel/topology/topology.h"

namespace haichi {

/// A topology and the name of a static routing on it.
struct Fabric {
    std::shared_ptr<const Topology> topology;
    std::string routing{};  ///< in the form that Topology::routing() accepts
};

struct NetworkOptions {
    /// Whether injection and ejection channels of a node count as links.
    bool count_nic = false;
    /// Bandwidth of links whose class states none.
    std::int64_t link_bandwidth_bytes_per_s = 0;
    /// Bandwidth of a node's injection and ejection channels. 0: the bandwidth of the links.
    std::int64_t nic_bandwidth_bytes_per_s = 0;
    /// Terminals of the fabric that are down. A job's node at such a terminal keeps its id, but has no rank and no
    /// routes.
    std::vector<VertexId> faulty{};
    /// See RouteLimits::virtual_channels.
    std::int32_t virtual_channels = 0;
    /// Stated distances, which replace hops; none by default. On a topology with blocks, entry i is the distance of two
    /// terminals whose smallest common block has size block_sizes()[i + 1]. On a grid, there is one distance per axis,
    /// for a step along it. Other topologies have one distance per class of links. Routes do not depend on distances.
    std::vector<std::int32_t> distances{};
};

/// Largest stated distance.
inline constexpr std::int32_t kLargestDistance = 1 << 15;

/// The machine as the search for placements sees it: the nodes of a job, and the directed links that their messages
/// use. A value; every query is a pure function. Routes belong to the whole fabric. A job given by a node list may
/// therefore use links between nodes of other jobs.
class Network {
  public:
    /// `vertex_of_node` lists the job's nodes; empty means every terminal of the fabric. Throws OptionError for nodes
    /// and faulty vertices that are not terminals, duplicate nodes, and an invalid routing.
    Network(const Fabric& fabric, NetworkOptions options, std::vector<VertexId> vertex_of_node = {});

    [[nodiscard]] std::int32_t node_count() const { return nodes_.count(); }
    /// Upper bound of link numbers; see link_exists(). The links of the fabric have the lowest numbers. With count_nic,
    /// the injection channels of all nodes follow, then the ejection channels.
    [[nodiscard]] std::int32_t link_count() const { return link_count_; }
    [[nodiscard]] bool link_exists(LinkId link) const;
    /// Number of links that exist. Reports use it for the mean load.
    [[nodiscard]] std::int64_t existing_link_count() const;
    [[nodiscard]] VertexId vertex(NodeId node) const { return nodes_.vertex(node); }
    /// The job's node at a vertex of the fabric; invalid for switches and other jobs' nodes. O(log nodes).
    [[nodiscard]] NodeId node_at(VertexId vertex) const { return nodes_.at(vertex); }
    /// False for a faulty node, which has no rank and no routes.
    [[nodiscard]] bool is_usable(NodeId node) const { return nodes_.is_usable(node); }
    [[nodiscard]] std::int32_t usable_node_count() const { return nodes_.usable_count(); }
    [[nodiscard]] LinkId injection_link(NodeId node) const { return LinkId(fabric_link_count_ + node.value); }
    [[nodiscard]] LinkId ejection_link(NodeId node) const {
        return LinkId(fabric_link_count_ + node_count() + node.value);
    }

    /// Appends the links of the static route from s to d, in order; nothing if s == d. O(length), more around a faulty
    /// node. Both nodes must be usable. Throws OptionError, naming the faulty node and the pair, if there is no route.
    void append_route(NodeId s, NodeId d, std::vector<LinkId>& links) const;
    /// Length of the route of append_route() in hops, or the stated distance. The class of a link states its number of
    /// hops. O(axes) or O(levels), or O(length) for routes that must be walked. Throws what append_route throws.
    [[nodiscard]] std::int32_t hops(NodeId s, NodeId d) const;
    /// True if distances are stated (NetworkOptions::distances). hops() then returns a distance, not a number of hops.
    [[nodiscard]] bool has_stated_distances() const { return !options_.distances.empty(); }
    /// True if hops() is the number of links for every route.
    [[nodiscard]] bool hops_are_links() const;
    /// Maximum hops per link: hops() is at most this value times the number of links of the route.
    [[nodiscard]] std::int32_t most_hops_of_link() const;
    /// hops() by the index of the smallest of Topology::block_sizes() that contains both nodes, without injection and
    /// ejection; empty if hops() depends on more.
    [[nodiscard]] std::vector<std::int32_t> hops_of_blocks() const;
    /// The grid that gives hops() without injection and ejection: the sum over its axes of steps times axis_hops().
    /// Null if there is none.
    [[nodiscard]] const Grid* distance_grid() const { return routes_->distance_grid(); }
    /// hops() of a step along each axis of the grid.
    [[nodiscard]] std::int32_t axis_hops(std::size_t axis) const {
        return has_stated_distances() ? options_.distances[axis] : 1;
    }
    /// Number of links on the route of append_route(), including injection and ejection channels. Each link counts as
    /// 1, whatever its hops.
    [[nodiscard]] std::int32_t route_length(NodeId s, NodeId d) const;
    /// False on a dragonfly, and if a repeated axis with a column or a faulty node causes detours.
    [[nodiscard]] bool routes_are_shortest() const { return routes_->are_shortest(); }
    /// True if hops() has no closed form and walks the route.
    [[nodiscard]] bool hops_are_walked() const { return form_ == Form::kWalked || routes_->hops_are_walked(); }
    /// The first pair of usable nodes that faulty nodes disconnect; empty if there is none. O(nodes^2 * length), or
    /// O(1) if they cannot disconnect nodes.
    [[nodiscard]] std::optional<CutPair> find_cut_pair() const { return routes_->find_cut_pair(nodes_); }
    /// An upper bound of the length of every route. It is cheap to compute, and may exceed the longest route.
    [[nodiscard]] std::int32_t longest_route() const { return routes_->longest() + channel_hops(); }
    /// An upper bound of hops(), which may be tighter than longest_route().
    [[nodiscard]] std::int32_t diameter() const;
    /// True when hops(a, b) == hops(b, a) for all pairs.
    [[nodiscard]] bool hops_are_symmetric() const { return form_ == Form::kBlocks || routes_->are_symmetric(); }

    /// Usable job nodes that a search may try as neighbours of `node`, at most 64, possibly none. On a grid, these are
    /// the nodes one hop away. On a tree, they are under the same lowest switch. Elsewhere, they are the nearest nodes.
    /// Computed once.
    [[nodiscard]] std::span<const NodeId> near_nodes(NodeId node) const { return near_.of(node); }

    [[nodiscard]] bool bandwidth_is_uniform() const { return bandwidth_is_uniform_; }
    [[nodiscard]] std::int64_t bandwidth_bytes_per_s(LinkId link) const;
    [[nodiscard]] std::int64_t largest_bandwidth_bytes_per_s() const { return largest_bandwidth_bytes_per_s_; }

    /// Maximum number of links that leave or enter any job node; the node's messages share these links. With count_nic
    /// it is 1: the injection or the ejection channel.
    [[nodiscard]] std::int32_t largest_out_degree() const {
        return options_.count_nic ? 1 : topology_->most_links_of_node(nodes_);
    }

    /// A lower bound on the sorted distances from any node: entry k is the smallest distance of a (k+1)-nearest other
    /// node, over all nodes. If the two directions differ, the shorter one counts. Has at most `most` entries, and at
    /// most one less than usable nodes. Exact up to 2,048 nodes, and for whole topologies with a closed form. Otherwise
    /// the bound of the whole topology is returned; without a closed form, every entry is the smallest distance.
    [[nodiscard]] std::vector<std::int32_t> nearest_distance_bound(std::size_t most) const;

    /// For reports: "X+ (0,1,2,0,0,1)->(1,1,2,0,0,1)", "up (switch 3)->..." or "global (router 0.1)->...".
    [[nodiscard]] std::string link_name(LinkId link) const;
    /// "(0,1,2,0,0,1)" with coordinates, "(name)" in a graph, else the terminal's number.
    [[nodiscard]] std::string node_name(NodeId node) const { return topology_->node_name(vertex(node)); }
    [[nodiscard]] std::string routing_name() const { return routes_->name(); }

    /// Topology::coordinates().
    [[nodiscard]] const Grid* coordinates() const { return topology_->coordinates(); }
    [[nodiscard]] const Topology& topology() const { return *topology_; }
    /// Routes of the topology, without injection and ejection channels.
    [[nodiscard]] const Routes& routes() const { return *routes_; }
    [[nodiscard]] const JobNodes& nodes() const { return nodes_; }
    [[nodiscard]] const NetworkOptions& options() const { return options_; }

  private:
    /// The source of distances.
    enum class Form : std::uint8_t {
        kHops,    ///< the routes
        kBlocks,  ///< a stated distance for each size of block
        kAxes,    ///< a stated distance for a step along each axis, and shortest routes
        kWalked   ///< stated distances, summed over the links of the route
    };

    void find_bandwidths();
    void check_distances();
    /// The stated distance of a link, an axis of a grid or a class.
    [[nodiscard]] std::int32_t stated_distance(LinkId link) const;
    [[nodiscard]] std::int32_t stated_distance(VertexId s, VertexId d) const;
    /// Hops of injection and ejection. 0 if distances are stated, because stated distances include injection and
    /// ejection.
    [[nodiscard]] std::int32_t channel_hops() const { return options_.count_nic && !has_stated_distances() ? 2 : 0; }
    /// The smallest distance that a path of links between two nodes can have: the distance of a route if no route is
    /// longer than necessary. O(links * log(links)), less the smaller it is.
    [[nodiscard]] std::int32_t least_hops() const;

    std::shared_ptr<const Topology> topology_;
    NetworkOptions options_;
    JobNodes nodes_;
    std::shared_ptr<const Routes> routes_;
    NearNodes near_;
    Form form_ = Form::kHops;
    std::int32_t fabric_link_count_ = 0;
    std::int32_t link_count_ = 0;
    bool bandwidth_is_uniform_ = true;
    std::int64_t largest_bandwidth_bytes_per_s_ = 0;
    std::vector<std::int64_t> class_bandwidth_bytes_per_s_;
};

}  // namespace haichi
