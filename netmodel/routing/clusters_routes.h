#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "netmodel/routing/clusters_topology.h"
#include "netmodel/routing/routes.h"

namespace haichi {

/// Within a cluster its own routes. To another one: the cluster's route to a gate of a bridge, as far as the bridge's
/// own links allow; over the bridge; the other cluster's route from the gate there.
///
/// A gate that is down is no obstacle to a bridge on a switch: a host on the same switches takes its place in choosing
/// the way. A bridge at a router that is down is not used, destinations share the others.
class ClustersRoutes final : public Routes {
  public:
    /// The topology has to outlive them.
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
    /// Those of the clusters for packets that stay or leave, as many again for packets that have come over a bridge: so
    /// no packet that leaves waits for one that arrives.
    [[nodiscard]] std::shared_ptr<const ChannelRule> channels(const JobNodes& job, std::int32_t most) const override;

    /// Calls `within(cluster, s, d, hops)`, which appends a cluster's own route, and adds what joins them. Arrivals
    /// have `layer` added to their channels.
    template <class Within>
    void walk(VertexId s, VertexId d, std::uint8_t layer, const Within& within, std::vector<ChannelHop>& hops) const;

  private:
    /// How routes of a cluster reach a bridge, or begin there.
    struct Access {
        VertexId gate;   ///< of the cluster; invalid: none
        LinkId up;       ///< of a host: from the gate to a vertex from which a link enters the bridge
        LinkId entry;    ///< that link
        LinkId down;     ///< the same the other way
        LinkId landing;  ///< from the bridge
    };
    [[nodiscard]] Access access_of(const ClustersTopology::Side& side, std::span<const VertexId> faulty) const;
    [[nodiscard]] Access access_by(const ClustersTopology::Side& side, VertexId gate) const;
    /// The bridge that the destination chooses. Throws OptionError when none is left.
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
    std::vector<std::vector<VertexId>> faulty_of_;       ///< by cluster, its own vertices
    std::vector<std::shared_ptr<const Routes>> routes_;  ///< by cluster
    std::vector<std::array<Access, 2>> access_;          ///< by bridge, as its sides
    std::vector<std::vector<std::size_t>> usable_;       ///< by pair: bridges
};

}  // namespace haichi
