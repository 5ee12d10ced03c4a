#include "netmodel/routing/graph_routes.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/errors.h"
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

[[noreturn]] void refuse_cycle(const Topology& topology, const std::vector<std::int32_t>& cycle, std::int32_t most) {
    constexpr std::size_t kShown = 4;
    std::string text;
    for (std::size_t i = 0; i < std::min(cycle.size(), kShown); ++i) {
        text.append(i > 0 ? ", " : "").append(topology.link_name(LinkId(cycle[i])));
    }
    throw UnsupportedError(
        "packets on the routes of this machine can block each other for ever: " + std::to_string(cycle.size()) +
            " links wait for each other in a circle (" + text + (cycle.size() > kShown ? ", ..)" : ")") +
            ", even with " + std::to_string(most) + " virtual channels",
        "a graph needs fewer the more its shortest paths go up and then down, as those of a tree");
}

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
    ShortestPaths(graph_, {}, {paths_.routing(), 0}).append_route(graph_, s, d, links);
    for (const LinkId link : links) {
        const VertexId at = graph_.link(link).to;
        if (std::ranges::find(faulty_, at) != faulty_.end()) return at;
    }
    return {};
}

std::shared_ptr<const ChannelRule> GraphRoutes::channels(const JobNodes& job, std::int32_t most) const {
    std::vector<VertexId> terminals;
    for (std::int32_t n = 0; n < job.count(); ++n) {
        if (job.is_usable(NodeId(n))) terminals.push_back(job.vertex(NodeId(n)));
    }
    ChannelLayers layers(graph_, paths_, terminals, most);
    if (!layers.cycle().empty()) refuse_cycle(topology_, layers.cycle(), most);
    return std::make_shared<GraphChannels>(*this, std::move(layers));
}

}  // namespace haichi
