#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "netmodel/routing/clusters_topology.h"
#include "netmodel/routing/routes.h"

namespace haichi {

/// Routes between nodes of one cluster are the cluster's own. A route to another cluster follows the cluster's route to
/// the gateway node of a bridge, up to the bridge's own links. It crosses the bridge, and then follows the other
/// cluster's route from that cluster's gateway node.
///
/// A bridge at a switch works even if its gateway node is down. Another node of the same switches then determines the
/// route. A bridge at a router that is down is not used. Its destinations are distributed over the other bridges.
class ClustersRoutes final : public Routes {
  public:
    /// The topology must outlive the routes.
    ClustersRoutes(const ClustersTopology& topology, std::string_view routing, const RouteLimits& limits);

    [[nodiscard]] std::string name() const override { return name_; }
    [[nodiscard]] std::string remark() const override;
    void append_route(VertexId s, VertexId d, std::vector<LinkId>& links) const override;
    [[nodiscard]] std::int32_t hops(VertexId s, VertexId d) const override;
    [[nodiscard]] std::int32_t longest() const override;
    [[nodiscard]] std::int32_t diameter() const override;
    [[nodiscard]] bool are_shortest() const override { return false; }
    [[nodiscard]] bool are_symmetric() const override;
    [[nodiscard]] bool hops_are_walked() const override;
    [[nodiscard]] bool are_searched_for() const override;
    [[nodiscard]] std::optional<CutPair> find_cut_pair(const JobNodes& job) const override;
    /// The channels of the clusters for packets that stay or leave, and as many again for packets that have crossed a
    /// bridge. A packet that leaves therefore never waits for one that arrives.
    [[nodiscard]] std::shared_ptr<const ChannelRule> channels(const JobNodes& job, std::int32_t most) const override;

    /// Appends a whole route. Calls `within(cluster, s, d, hops)` for each part inside a cluster, and adds the links of
    /// the bridge. Adds `layer` to the channels of arriving packets.
    template <class Within>
    void walk(VertexId s, VertexId d, std::uint8_t layer, const Within& within, std::vector<ChannelHop>& hops) const;

  private:
    /// The links over which routes of a cluster enter and leave a bridge.
    struct Access {
        VertexId gate;   ///< gateway node, with the cluster's own id; invalid if the bridge is unusable
        LinkId up;       ///< if the gateway node has no router: its link to a vertex with a link into the bridge
        LinkId entry;    ///< the link into the bridge
        LinkId down;     ///< the reverse of `up`
        LinkId landing;  ///< the link out of the bridge
    };
    [[nodiscard]] Access access_of(const ClustersTopology::Side& side, std::span<const VertexId> faulty) const;
    [[nodiscard]] Access access_by(const ClustersTopology::Side& side, VertexId gate) const;
    /// The bridge chosen by the destination. Throws OptionError if none is usable.
    [[nodiscard]] std::size_t bridge_to(VertexId d, std::size_t from, std::size_t to) const;
    [[nodiscard]] VertexId own(std::size_t cluster, VertexId terminal) const {
        return VertexId(terminal.value - topology_.parts()[cluster].first_terminal);
    }
    [[nodiscard]] static std::size_t side_in(const ClustersTopology::Bridge& bridge, std::size_t cluster) {
        return bridge.sides[0].cluster == static_cast<std::int32_t>(cluster) ? 0 : 1;
    }
    [[nodiscard]] std::int32_t crossing_hops(std::size_t bridge) const {
        return topology_.pairs()[topology_.bridges()[bridge].pair].bridges.crossing_hops;
    }

    const ClustersTopology& topology_;
    std::string name_;
    std::vector<VertexId> faulty_;
    std::vector<std::vector<VertexId>> faulty_of_;       ///< by cluster, with the cluster's own ids
    std::vector<std::shared_ptr<const Routes>> routes_;  ///< by cluster
    std::vector<std::array<Access, 2>> access_;          ///< by bridge and side
    std::vector<std::vector<std::size_t>> usable_;       ///< usable bridges by pair of clusters
};

}  // namespace haichi
