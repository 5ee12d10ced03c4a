#include "netmodel/routing/clusters_routes.h"

#include <algorithm>
#include <utility>

#include "base/errors.h"

namespace haichi {

namespace {

/// The clusters' channels, and as many again for packets that have crossed a bridge.
class ClustersChannels final : public ChannelRule {
  public:
    ClustersChannels(const ClustersRoutes& routes, std::vector<std::shared_ptr<const ChannelRule>> rules)
        : routes_(routes), rules_(std::move(rules)) {
        for (const auto& rule : rules_) layer_ = std::max(layer_, rule->needed());
    }
    [[nodiscard]] std::int32_t needed() const override { return 2 * layer_; }
    void append_route(VertexId s, VertexId d, std::vector<ChannelHop>& hops) const override {
        routes_.walk(
            s, d, static_cast<std::uint8_t>(layer_),
            [this](std::size_t cluster, VertexId from, VertexId to, std::vector<ChannelHop>& own) {
                rules_[cluster]->append_route(from, to, own);
            },
            hops);
    }

  private:
    const ClustersRoutes& routes_;
    std::vector<std::shared_ptr<const ChannelRule>> rules_;
    std::int32_t layer_ = 1;
};

bool has(std::span<const VertexId> vertices, VertexId v) { return std::ranges::find(vertices, v) != vertices.end(); }

}  // namespace

ClustersRoutes::ClustersRoutes(const ClustersTopology& topology, std::string_view routing, const RouteLimits& limits)
    : topology_(topology),
      name_(topology.routing(routing)),
      faulty_(limits.faulty.begin(), limits.faulty.end()),
      faulty_of_(topology.parts().size()) {
    for (const VertexId v : faulty_) {
        const std::size_t cluster = topology_.cluster_of(v);
        faulty_of_[cluster].push_back(own(cluster, v));
    }
    const std::vector<std::string> texts = topology_.routings(routing);
    for (std::size_t c = 0; c < topology_.parts().size(); ++c) {
        // Half of the channels are reserved for packets that have crossed a bridge.
        routes_.push_back(
            topology_.parts()[c].topology->routes(texts[c], {faulty_of_[c], limits.virtual_channels / 2}));
    }
    usable_.resize(topology_.pairs().size());
    for (std::size_t b = 0; b < topology_.bridges().size(); ++b) {
        const ClustersTopology::Bridge& bridge = topology_.bridges()[b];
        std::array<Access, 2>& access = access_.emplace_back();
        for (std::size_t side = 0; side < access.size(); ++side) {
            const ClustersTopology::Side& at = bridge.sides[side];
            access[side] = access_of(at, faulty_of_[static_cast<std::size_t>(at.cluster)]);
        }
        if (access[0].gate.valid() && access[1].gate.valid()) usable_[bridge.pair].push_back(b);
    }
}

ClustersRoutes::Access ClustersRoutes::access_of(const ClustersTopology::Side& side,
                                                 std::span<const VertexId> faulty) const {
    if (!has(faulty, side.gate)) return access_by(side, side.gate);
    if (!side.is_host) return {};
    const Topology& cluster = *topology_.parts()[static_cast<std::size_t>(side.cluster)].topology;
    for (std::int32_t t = 0; t < cluster.terminal_count(); ++t) {
        if (has(faulty, VertexId(t)) || !cluster.is_host(VertexId(t))) continue;
        const Access access = access_by(side, VertexId(t));
        if (access.gate.valid()) return access;
    }
    return {};
}

/// The access of a bridge whose links (`side`) replace all links of the gateway node `gate`.
ClustersRoutes::Access ClustersRoutes::access_by(const ClustersTopology::Side& side, VertexId gate) const {
    Access access;
    if (!side.is_host) {
        access.gate = gate;
        access.entry = side.enter.front().link;
        access.landing = side.leave.front().link;
        return access;
    }
    const Topology& cluster = *topology_.parts()[static_cast<std::size_t>(side.cluster)].topology;
    const auto door = [](const std::vector<ClustersTopology::Door>& doors, VertexId v) {
        const auto found = std::ranges::find(doors, v, &ClustersTopology::Door::vertex);
        return found == doors.end() ? LinkId() : found->link;
    };
    for (std::int32_t l = 0; l < cluster.link_count(); ++l) {
        if (!cluster.link_exists(LinkId(l))) continue;
        const LinkEnds ends = cluster.link_ends(LinkId(l));
        if (ends.from == gate) {
            if (!door(side.leave, ends.to).valid()) return {};
            if (const LinkId entry = door(side.enter, ends.to); entry.valid() && !access.entry.valid()) {
                access.up = LinkId(l);
                access.entry = entry;
            }
        } else if (ends.to == gate) {
            if (!door(side.enter, ends.from).valid()) return {};
            if (const LinkId landing = door(side.leave, ends.from); landing.valid() && !access.landing.valid()) {
                access.down = LinkId(l);
                access.landing = landing;
            }
        }
    }
    if (access.entry.valid() && access.landing.valid()) access.gate = gate;
    return access;
}

std::size_t ClustersRoutes::bridge_to(VertexId d, std::size_t from, std::size_t to) const {
    const std::vector<std::size_t>& bridges = usable_[topology_.pair_of(from, to)];
    if (bridges.empty()) {
        throw OptionError("all bridges between clusters " + std::to_string(from) + " and " + std::to_string(to) +
                          " have faulty nodes");
    }
    return bridges[own(to, d).index() % bridges.size()];
}

template <class Within>
void ClustersRoutes::walk(VertexId s, VertexId d, std::uint8_t layer, const Within& within,
                          std::vector<ChannelHop>& hops) const {
    const auto append = [&](std::size_t cluster, VertexId from, VertexId to) {
        const std::size_t first = hops.size();
        within(cluster, from, to, hops);
        const std::int32_t offset = topology_.parts()[cluster].first_link;
        for (std::size_t i = first; i < hops.size(); ++i) hops[i].link = LinkId(hops[i].link.value + offset);
    };
    const auto whole = [&](std::size_t cluster, LinkId link) {
        return LinkId(link.value + topology_.parts()[cluster].first_link);
    };
    const std::size_t from = topology_.cluster_of(s);
    const std::size_t to = topology_.cluster_of(d);
    if (from == to) return append(from, own(from, s), own(from, d));
    const std::size_t b = bridge_to(d, from, to);
    const ClustersTopology::Bridge& bridge = topology_.bridges()[b];

    const std::size_t out = side_in(bridge, from);
    const Access& exit = access_[b][out];
    const VertexId source = own(from, s);
    if (!bridge.sides[out].is_host) {
        if (source != exit.gate) append(from, source, exit.gate);
        hops.push_back({exit.entry, 0});
    } else if (source == exit.gate) {
        hops.push_back({whole(from, exit.up), 0});
        hops.push_back({exit.entry, 0});
    } else {
        append(from, source, exit.gate);
        // Replaces the last link, which leads to the gateway node, with the bridge's copy of it.
        ChannelHop& last = hops.back();
        const LinkEnds ends =
            topology_.parts()[from].topology->link_ends(LinkId(last.link.value - topology_.parts()[from].first_link));
        last.link = std::ranges::find(bridge.sides[out].enter, ends.from, &ClustersTopology::Door::vertex)->link;
    }

    const std::size_t in = side_in(bridge, to);
    const Access& arrival = access_[b][in];
    const VertexId destination = own(to, d);
    const std::size_t first = hops.size();
    if (!bridge.sides[in].is_host) {
        hops.push_back({arrival.landing, 0});
        if (destination != arrival.gate) append(to, arrival.gate, destination);
    } else if (destination == arrival.gate) {
        hops.push_back({arrival.landing, 0});
        hops.push_back({whole(to, arrival.down), 0});
    } else {
        append(to, arrival.gate, destination);
        ChannelHop& start = hops[first];
        const LinkEnds ends =
            topology_.parts()[to].topology->link_ends(LinkId(start.link.value - topology_.parts()[to].first_link));
        start.link = std::ranges::find(bridge.sides[in].leave, ends.to, &ClustersTopology::Door::vertex)->link;
    }
    for (std::size_t i = first; i < hops.size(); ++i) hops[i].vc = static_cast<std::uint8_t>(hops[i].vc + layer);
}

void ClustersRoutes::append_route(VertexId s, VertexId d, std::vector<LinkId>& links) const {
    std::vector<ChannelHop> hops;
    std::vector<LinkId> own_links;
    walk(
        s, d, 0,
        [&](std::size_t cluster, VertexId from, VertexId to, std::vector<ChannelHop>& all) {
            own_links.clear();
            routes_[cluster]->append_route(from, to, own_links);
            for (const LinkId link : own_links) all.push_back({link, 0});
        },
        hops);
    for (const ChannelHop& hop : hops) links.push_back(hop.link);
}

std::string ClustersRoutes::remark() const {
    for (const auto& routes : routes_) {
        if (!routes->remark().empty()) return routes->remark();
    }
    return {};
}

std::int32_t ClustersRoutes::hops(VertexId s, VertexId d) const {
    if (s == d) return 0;
    const std::size_t from = topology_.cluster_of(s);
    const std::size_t to = topology_.cluster_of(d);
    if (from == to) return routes_[from]->hops(own(from, s), own(from, d));
    const std::size_t b = bridge_to(d, from, to);
    const ClustersTopology::Bridge& bridge = topology_.bridges()[b];
    const std::size_t out = side_in(bridge, from);
    const std::size_t in = side_in(bridge, to);
    const VertexId exit = access_[b][out].gate;
    const VertexId arrival = access_[b][in].gate;
    const VertexId source = own(from, s);
    const VertexId destination = own(to, d);
    // The link into the bridge counts as one hop. If the gateway node has no router, this link replaces the last link
    // of the route, which is already counted.
    const std::int32_t own_hops = source == exit
                                      ? (bridge.sides[out].is_host ? 2 : 1)
                                      : routes_[from]->hops(source, exit) + (bridge.sides[out].is_host ? 0 : 1);
    const std::int32_t there = destination == arrival
                                   ? (bridge.sides[in].is_host ? 1 : 0)
                                   : routes_[to]->hops(arrival, destination) - (bridge.sides[in].is_host ? 1 : 0);
    return own_hops + crossing_hops(b) + there;
}

std::int32_t ClustersRoutes::longest() const {
    std::int32_t longest = 0;
    for (const auto& routes : routes_) longest = std::max(longest, routes->longest());
    return 2 * longest + 2 + 2;
}

std::int32_t ClustersRoutes::diameter() const {
    std::int32_t diameter = 0;
    for (const auto& routes : routes_) diameter = std::max(diameter, routes->diameter());
    std::int32_t crossing = 1;
    for (const ClustersTopology::Pair& pair : topology_.pairs()) {
        crossing = std::max(crossing, pair.bridges.crossing_hops);
    }
    return 2 * diameter + crossing + 3;
}

bool ClustersRoutes::are_symmetric() const {
    if (!std::ranges::all_of(routes_, [](const auto& routes) { return routes->are_symmetric(); })) return false;
    return std::ranges::all_of(topology_.pairs(), [](const auto& pair) { return pair.bridges.count == 1; });
}

bool ClustersRoutes::hops_are_walked() const {
    return std::ranges::any_of(routes_, [](const auto& routes) { return routes->hops_are_walked(); });
}

bool ClustersRoutes::are_searched_for() const {
    return std::ranges::any_of(routes_, [](const auto& routes) { return routes->are_searched_for(); });
}

std::optional<CutPair> ClustersRoutes::find_cut_pair(const JobNodes& job) const {
    if (faulty_.empty()) return std::nullopt;
    const ClustersRoutes usual(topology_, name_, {});
    std::vector<LinkId> links;
    for (std::int32_t s = 0; s < job.count(); ++s) {
        for (std::int32_t d = 0; d < job.count(); ++d) {
            if (s == d || !job.is_usable(NodeId(s)) || !job.is_usable(NodeId(d))) continue;
            try {
                links.clear();
                append_route(job.vertex(NodeId(s)), job.vertex(NodeId(d)), links);
            } catch (const OptionError&) {
                CutPair pair{NodeId(s), NodeId(d), faulty_.front()};
                links.clear();
                usual.append_route(job.vertex(NodeId(s)), job.vertex(NodeId(d)), links);
                for (const LinkId link : links) {
                    const VertexId to = topology_.link_ends(link).to;
                    if (has(faulty_, to)) return CutPair{pair.source, pair.destination, to};
                }
                return pair;
            }
        }
    }
    return std::nullopt;
}

std::shared_ptr<const ChannelRule> ClustersRoutes::channels(const JobNodes&, std::int32_t most) const {
    std::vector<std::shared_ptr<const ChannelRule>> rules;
    for (std::size_t c = 0; c < routes_.size(); ++c) {
        // Considers all routes of the cluster, because routes to and from bridges use gateway nodes outside the job.
        const std::int32_t terminals = topology_.parts()[c].topology->terminal_count();
        // If all nodes of a cluster are faulty, no route enters it, and its channels do not matter.
        const bool is_down = faulty_of_[c].size() == static_cast<std::size_t>(terminals);
        const JobNodes whole(terminals, {}, is_down ? std::span<const VertexId>{} : faulty_of_[c]);
        rules.push_back(routes_[c]->channels(whole, most / 2));
    }
    auto channels = std::make_shared<ClustersChannels>(*this, std::move(rules));
    if (channels->needed() > most) {
        throw UnsupportedError("the routes of these clusters require " + std::to_string(channels->needed()) +
                               " virtual channels (half of them for packets from bridges), but at most " +
                               std::to_string(most) + " are supported");
    }
    return channels;
}

}  // namespace haichi
