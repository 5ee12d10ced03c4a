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
    std::string routing{};  ///< as Topology::routing() takes it
};

struct NetworkOptions {
    /// Injection and ejection channels of a node count as links.
    bool count_nic = false;
    /// Of links whose class states none.
    std::int64_t link_bandwidth_bytes_per_s = 0;
    /// Of a node's injection (ejection) channel. 0: that of the links.
    std::int64_t nic_bandwidth_bytes_per_s = 0;
    /// Terminals of the fabric that are down: a job's node there keeps its number but takes no rank, and no route
    /// passes.
    std::vector<VertexId> faulty{};
    /// RouteLimits::virtual_channels.
    std::int32_t virtual_channels = 0;
};

/// What placement sees of a machine: the nodes of a job, and the directed links that a message between two of them
/// crosses. A value; every query is a pure function. Routes are those of the whole fabric, so a job given by a node
/// list uses links between nodes that are not its own.
class Network {
  public:
    /// `vertex_of_node` lists the job's nodes; empty means every terminal of the fabric. Throws OptionError for nodes
    /// and faulty vertices that are no terminals, nodes that stand twice, and a routing that does not fit.
    Network(const Fabric& fabric, NetworkOptions options, std::vector<VertexId> vertex_of_node = {});

    [[nodiscard]] std::int32_t node_count() const { return nodes_.count(); }
    /// Upper bound of link numbers; see link_exists(). The links of the fabric come first, then, with count_nic, the
    /// injection channel of every node and the ejection channel of every node.
    [[nodiscard]] std::int32_t link_count() const { return link_count_; }
    [[nodiscard]] bool link_exists(LinkId link) const;
    /// Number of links that exist (the mean load in reports is over these).
    [[nodiscard]] std::int64_t existing_link_count() const;
    [[nodiscard]] VertexId vertex(NodeId node) const { return nodes_.vertex(node); }
    /// The job's node at a vertex of the fabric; an invalid id for switches and other jobs' nodes. O(log nodes).
    [[nodiscard]] NodeId node_at(VertexId vertex) const { return nodes_.at(vertex); }
    /// False for a faulty node, which takes no rank and has no routes.
    [[nodiscard]] bool is_usable(NodeId node) const { return nodes_.is_usable(node); }
    [[nodiscard]] std::int32_t usable_node_count() const { return nodes_.usable_count(); }
    [[nodiscard]] LinkId injection_link(NodeId node) const { return LinkId(fabric_link_count_ + node.value); }
    [[nodiscard]] LinkId ejection_link(NodeId node) const {
        return LinkId(fabric_link_count_ + node_count() + node.value);
    }

    /// Appends the links of the static route from s to d, in order; nothing when s == d. O(length), and more to pass a
    /// faulty node. Both must be usable. Throws OptionError, naming the faulty node and the pair, when no route passes.
    void append_route(NodeId s, NodeId d, std::vector<LinkId>& links) const;
    /// Length of that route, where a link counts as many hops as its class says. O(axes) or O(levels); O(length) where
    /// routes have to be walked. Throws as append_route.
    [[nodiscard]] std::int32_t hops(NodeId s, NodeId d) const;
    /// As how many hops any link counts, at most; 1: hops() are links.
    [[nodiscard]] std::int32_t most_hops_of_link() const;
    /// Links of that route, injection and ejection channels included: what packets pass, whatever it counts in hops.
    [[nodiscard]] std::int32_t route_length(NodeId s, NodeId d) const;
    /// False when a repeated axis with a column or a faulty node makes detours, and on a dragonfly.
    [[nodiscard]] bool routes_are_shortest() const { return routes_->are_shortest(); }
    /// hops() has no closed form: it goes along the route.
    [[nodiscard]] bool hops_are_walked() const { return routes_->hops_are_walked(); }
    /// The first pair of usable nodes that no route joins past the faulty ones, if any. O(nodes^2 * length), O(1) where
    /// they cannot cut any off.
    [[nodiscard]] std::optional<CutPair> find_cut_pair() const { return routes_->find_cut_pair(nodes_); }
    /// An upper bound of the links of every route (cheap to compute, not always reached).
    [[nodiscard]] std::int32_t longest_route() const { return routes_->longest() + channel_hops(); }
    /// An upper bound of hops(), closer where that is known.
    [[nodiscard]] std::int32_t diameter() const { return routes_->diameter() + channel_hops(); }
    /// True when hops(a, b) == hops(b, a) for all pairs.
    [[nodiscard]] bool hops_are_symmetric() const { return routes_->are_symmetric(); }

    /// Usable job nodes a search may try as "next to" `node`, by the topology: those one hop away on a grid, those
    /// under the same lowest switch on a tree, else the nearest ones; at most 64. May be empty. Built once.
    [[nodiscard]] std::span<const NodeId> near_nodes(NodeId node) const { return near_.of(node); }

    [[nodiscard]] bool bandwidth_is_uniform() const { return bandwidth_is_uniform_; }
    [[nodiscard]] std::int64_t bandwidth_bytes_per_s(LinkId link) const;
    [[nodiscard]] std::int64_t largest_bandwidth_bytes_per_s() const { return largest_bandwidth_bytes_per_s_; }

    /// Most links that leave, or that enter, any job node (what its messages have to share): 1 with count_nic, the
    /// injection or the ejection channel.
    [[nodiscard]] std::int32_t largest_out_degree() const {
        return options_.count_nic ? 1 : topology_->most_links_of_node(nodes_);
    }

    /// D[k] = the smallest possible distance of the (k+1)-nearest other node, over all nodes: a lower bound on the
    /// sorted distances from any node, in the nearer direction where they differ. At most `most` entries, at most
    /// usable nodes - 1. Exact up to 2,048 nodes and for whole topologies with a closed form; else that of the whole
    /// topology's distances, and where there is no closed form the smallest distance throughout.
    [[nodiscard]] std::vector<std::int32_t> nearest_distance_bound(std::size_t most) const;

    /// "X+ (0,1,2,0,0,1)->(1,1,2,0,0,1)", "up (switch 3)->..." or "global (router 0.1)->..."; for reports.
    [[nodiscard]] std::string link_name(LinkId link) const;
    /// "(0,1,2,0,0,1)" where nodes have coordinates, "(name)" of a graph, else the terminal's number.
    [[nodiscard]] std::string node_name(NodeId node) const { return topology_->node_name(vertex(node)); }
    [[nodiscard]] std::string routing_name() const { return routes_->name(); }

    /// Topology::coordinates().
    [[nodiscard]] const Grid* coordinates() const { return topology_->coordinates(); }
    [[nodiscard]] const Topology& topology() const { return *topology_; }
    /// Of the topology, without injection and ejection channels.
    [[nodiscard]] const Routes& routes() const { return *routes_; }
    [[nodiscard]] const JobNodes& nodes() const { return nodes_; }
    [[nodiscard]] const NetworkOptions& options() const { return options_; }

  private:
    void find_bandwidths();
    /// Injection and ejection.
    [[nodiscard]] std::int32_t channel_hops() const { return options_.count_nic ? 2 : 0; }
    /// The smallest distance of two nodes that are near to each other.
    [[nodiscard]] std::int32_t least_hops() const;

    std::shared_ptr<const Topology> topology_;
    NetworkOptions options_;
    JobNodes nodes_;
    std::shared_ptr<const Routes> routes_;
    NearNodes near_;
    std::int32_t fabric_link_count_ = 0;
    std::int32_t link_count_ = 0;
    bool bandwidth_is_uniform_ = true;
    std::int64_t largest_bandwidth_bytes_per_s_ = 0;
    std::vector<std::int64_t> class_bandwidth_bytes_per_s_;
};

}  // namespace haichi
