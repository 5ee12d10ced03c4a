#include "netmodel/routing/graph_routes.h"

#include <algorithm>

#include "netmodel/routing/channel_layers.h"

namespace haichi {

namespace {

class GraphChannels final : public ChannelRule {
  public:
    GraphChannels(const Routes& routes, ChannelLayers layers) : routes_(routes), layers_(std::move(layers)) {}
    [[nodiscard]] std::int32_t needed() const override { return layers_.count(); }
    void append_route(VertexId s, VertexId d, std::vector<ChannelHop>& hops) const override {
        const std::size_t first = hops.size();
        append_on_vc_0(routes_, s, d, hops);
        if (layers_.count() == 1) return;
        for (std::size_t i = first + 1; i < hops.size(); ++i) {
            hops[i].vc = static_cast<std::uint8_t>(layers_.after(hops[i - 1].link, hops[i].link, hops[i - 1].vc));
        }
    }

  private:
    const Routes& routes_;
    ChannelLayers layers_;
};

}  // namespace

GraphRoutes::GraphRoutes(const TopologyOf<Graph>& topology, ShortestPaths paths, std::span<const VertexId> faulty)
    : topology_(topology), graph_(topology.value()), faulty_(faulty.begin(), faulty.end()), paths_(std::move(paths)) {}

std::optional<CutPair> GraphRoutes::find_cut_pair(const JobNodes& job) const {
    if (faulty_.empty()) return std::nullopt;
    for (std::int32_t d = 0; d < job.count(); ++d) {
        if (!job.is_usable(NodeId(d))) continue;
        const VertexId to = job.vertex(NodeId(d));
        const std::vector<std::int32_t> distance = paths_.distances_to(graph_, to);
        for (std::int32_t s = 0; s < job.count(); ++s) {
            if (s == d || !job.is_usable(NodeId(s))) continue;
            const VertexId from = job.vertex(NodeId(s));
            if (distance[from.index()] != ShortestPaths::kUnreachable) continue;
            return CutPair{NodeId(s), NodeId(d), first_faulty(from, to)};
        }
    }
    return std::nullopt;
}

VertexId GraphRoutes::first_faulty(VertexId s, VertexId d) const {
    std::vector<LinkId> links;
    ShortestPaths(graph_, {}, 0).append_route(graph_, s, d, links);
    for (const LinkId link : links) {
        const VertexId at = graph_.link(link).to;
        if (std::ranges::find(faulty_, at) != faulty_.end()) return at;
    }
    return {};
}

std::shared_ptr<const ChannelRule> GraphRoutes::channels(const JobNodes& job, std::int32_t most) const {
    return std::make_shared<GraphChannels>(*this, ChannelLayers({topology_, graph_, paths_, job}, most));
}

}  // namespace haichi
