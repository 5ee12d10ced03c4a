#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "netmodel/topology/topology.h"

namespace haichi {

/// The bridges that join two clusters; all have the same options. A bridge stores each whole packet, delays it and
/// sends it into the other cluster. Its two directions are independent unless they share a bus.
struct BridgeOptions {
    std::int32_t count = 1;
    std::int64_t bandwidth_bytes_per_s = 0;  ///< sending rate of a bridge
    std::int64_t latency_ps = 0;             ///< latency of a packet in a bridge, without the delay
    std::int64_t delay_ps = 0;               ///< time for which each packet is held
    std::int64_t timer_ps = 0;               ///< held packets leave at multiples of it; 0 means at any time
    std::int64_t packet_time_ps = 0;         ///< time that each packet blocks the next one, besides its bytes
    std::optional<std::int64_t> shared_bus_bytes_per_s{};  ///< rate of both directions together
    std::optional<std::int64_t> buffer_bytes{};
    std::optional<std::int64_t> mtu_bytes{};  ///< maximum payload of packets that cross
    std::int32_t crossing_hops = 1;           ///< hops that the link out of a gateway node counts as
    bool states_crossing_hops = false;        ///< false: default_crossing_hops() sets it

    friend bool operator==(const BridgeOptions&, const BridgeOptions&) = default;
};

/// Throws OptionError for values that are invalid for bridges.
void check_bridges(const BridgeOptions& bridges);

/// The number of hops over links of the given rate that take as long as a bridge takes to forward a full packet. The
/// packet has as many bytes as the MTU or the machine's payload, whichever is less; 8,192 if neither is stated.
std::int32_t default_crossing_hops(const BridgeOptions& bridges, std::int64_t link_bandwidth_bytes_per_s,
                                   std::optional<std::int64_t> packet_payload_bytes);

/// Clusters of any kind, with bridges between every pair of clusters. Vertex ids start with the terminals, cluster by
/// cluster. The clusters' routers follow, cluster by cluster, then the bridges, pair by pair.
///
/// In each cluster, a bridge is connected like one terminal, its *gateway node*, which it does not replace. If the
/// gateway node has no router, these are links from and to the same switches. Otherwise the terminal has a link to and
/// a link from the bridge. The gateway nodes of k bridges are evenly spaced among the terminals. The destination
/// selects the bridge round robin: its index in its cluster modulo k.
class ClustersTopology final : public Topology {
  public:
    /// Clusters a < b, in the order (0,1), (0,2) .. (1,2) ..
    struct Pair {
        std::int32_t a = 0;
        std::int32_t b = 1;
        BridgeOptions bridges{};
    };
    /// A cluster, and the offsets from its own ids to the ids of the whole topology.
    struct Part {
        std::shared_ptr<const Topology> topology;
        std::int32_t first_terminal = 0;
        std::int32_t first_router = 0;
        std::int32_t first_link = 0;
        std::vector<std::size_t> link_class{};    ///< by the cluster's own class
        std::vector<std::size_t> router_class{};  ///< by the cluster's own class; a cluster without classes has class 0
        /// Links of gateway nodes by vertex; used only while bridges are added.
        std::unordered_map<std::int32_t, std::vector<LinkId>> gate_links{};
    };
    /// A link between a bridge and a cluster. `vertex` is the link's end in the cluster, with the cluster's own id.
    struct Door {
        VertexId vertex;
        LinkId link;
    };
    struct Side {
        std::int32_t cluster = 0;
        VertexId gate;              ///< gateway node, with the cluster's own id
        bool is_host = true;        ///< Topology::is_host of the gateway node
        std::vector<Door> enter{};  ///< links into the bridge
        std::vector<Door> leave{};
    };
    struct Bridge {
        std::size_t pair = 0;
        VertexId vertex;
        std::array<Side, 2> sides;  ///< the sides in clusters a and b of the pair
    };

    /// Throws OptionError for fewer than two clusters, missing pairs, invalid values of bridges, and too many vertices
    /// or links.
    ClustersTopology(std::vector<std::shared_ptr<const Topology>> clusters, std::vector<Pair> pairs);

    [[nodiscard]] const std::vector<Part>& parts() const { return parts_; }
    [[nodiscard]] const std::vector<Pair>& pairs() const { return pairs_; }
    [[nodiscard]] const std::vector<Bridge>& bridges() const { return bridges_; }
    /// The cluster of a terminal.
    [[nodiscard]] std::size_t cluster_of(VertexId terminal) const;
    [[nodiscard]] std::size_t pair_of(std::size_t cluster, std::size_t other) const {
        return pair_of_[cluster * parts_.size() + other];
    }

    [[nodiscard]] std::int32_t terminal_count() const override { return terminal_count_; }
    [[nodiscard]] std::int32_t vertex_count() const override { return vertex_count_; }
    [[nodiscard]] std::int32_t link_count() const override { return link_count_; }
    [[nodiscard]] bool link_exists(LinkId link) const override;
    [[nodiscard]] std::int64_t existing_link_count() const override { return existing_link_count_; }
    [[nodiscard]] LinkEnds link_ends(LinkId link) const override;
    [[nodiscard]] std::span<const PortClass> link_classes() const override { return link_classes_; }
    [[nodiscard]] std::size_t class_of_link(LinkId link) const override;
    [[nodiscard]] std::span<const PortClass> router_classes() const override { return router_classes_; }
    [[nodiscard]] std::size_t class_of_router(VertexId router) const override;
    [[nodiscard]] std::string vertex_name(VertexId v) const override;
    [[nodiscard]] std::string link_name(LinkId link) const override;
    [[nodiscard]] nlohmann::ordered_json description() const override;
    /// One routing for all clusters, or one per cluster, separated by ";".
    [[nodiscard]] std::string routing(std::string_view text) const override;
    [[nodiscard]] std::shared_ptr<const Routes> routes(std::string_view text, const RouteLimits& limits) const override;
    /// One region per cluster.
    [[nodiscard]] std::vector<std::int32_t> regions() const override;
    [[nodiscard]] std::shared_ptr<const Topology> with_delay(std::int64_t delay_ps) const override;
    [[nodiscard]] std::int64_t delay_ps() const override;
    [[nodiscard]] bool is_host(VertexId terminal) const override;
    [[nodiscard]] std::int32_t most_links_of_node(const JobNodes& job) const override;
    [[nodiscard]] std::vector<std::int32_t> router_ranges() const override;
    [[nodiscard]] Drawing drawing() const override;

    /// Splits the text of routing() into one text per cluster.
    [[nodiscard]] std::vector<std::string> routings(std::string_view text) const;

  private:
    struct VertexOfPart {
        std::size_t part = 0;
        VertexId vertex;  ///< id within the cluster
    };
    /// Requires a vertex that is not a bridge.
    [[nodiscard]] VertexOfPart vertex_of_part(VertexId v) const;
    [[nodiscard]] VertexId vertex(std::size_t part, VertexId own) const;
    [[nodiscard]] std::size_t part_of(LinkId link) const;
    void number_parts(std::vector<std::shared_ptr<const Topology>> clusters);
    void add_classes();
    void add_bridges();
    void find_gate_links();
    [[nodiscard]] VertexId gate_of(std::size_t part, std::int32_t number, std::int32_t of) const;
    [[nodiscard]] Side side_of(std::size_t part, std::int32_t number, std::int32_t of, VertexId bridge,
                               std::size_t out_class);
    void add_door(Side& side, VertexId own, VertexId bridge, bool enters, std::size_t link_class);
    void count_ports();

    struct BridgeLink {
        LinkEnds ends;
        std::size_t link_class = 0;
    };
    std::vector<Part> parts_;
    std::vector<Pair> pairs_;
    std::vector<std::size_t> pair_of_;
    std::vector<std::size_t> first_bridge_;  ///< by pair, plus an end entry
    std::vector<Bridge> bridges_;
    std::vector<BridgeLink> bridge_links_;
    std::vector<PortClass> link_classes_;
    std::vector<PortClass> router_classes_;
    std::vector<std::size_t> class_of_pair_;        ///< class of the links out of a pair's bridges
    std::vector<std::size_t> bridge_router_class_;  ///< by pair
    /// By terminal: the larger of the number of links that leave it and the number that enter it.
    std::vector<std::int32_t> ports_;
    std::int32_t terminal_count_ = 0;
    std::int32_t first_bridge_vertex_ = 0;
    std::int32_t first_bridge_link_ = 0;
    std::int32_t vertex_count_ = 0;
    std::int32_t link_count_ = 0;
    std::int64_t existing_link_count_ = 0;
};

}  // namespace haichi
