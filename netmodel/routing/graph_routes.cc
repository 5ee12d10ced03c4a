#include "netmodel/routing/graph_routes.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "base/errors.h"
#include "netmodel/routing/channel_layers.h"

namespace haichi {

namespace {

/// Computes the virtual channel of each link of a route as after(previous link, link, previous virtual channel).
template <class After>
class GraphChannels final : public ChannelRule {
  public:
    GraphChannels(const Routes& routes, std::int32_t needed, After after)
        : routes_(routes), needed_(needed), after_(std::move(after)) {}
    [[nodiscard]] std::int32_t needed() const override { return needed_; }
    void append_route(VertexId s, VertexId d, std::vector<ChannelHop>& hops) const override {
        const std::size_t first = hops.size();
        append_on_vc_0(routes_, s, d, hops);
        if (needed_ == 1) return;
        for (std::size_t i = first + 1; i < hops.size(); ++i) {
            hops[i].vc = static_cast<std::uint8_t>(after_(hops[i - 1].link, hops[i].link, hops[i - 1].vc));
        }
    }

  private:
    const Routes& routes_;
    std::int32_t needed_;
    After after_;
};

template <class After>
std::shared_ptr<const ChannelRule> graph_channels(const Routes& routes, std::int32_t needed, After after) {
    return std::make_shared<GraphChannels<After>>(routes, needed, std::move(after));
}

[[noreturn]] void refuse_cycle(const Topology& topology, const std::vector<std::int32_t>& cycle, std::int32_t most) {
    constexpr std::size_t kShown = 4;
    std::string text;
    for (std::size_t i = 0; i < std::min(cycle.size(), kShown); ++i) {
        text.append(i > 0 ? ", " : "").append(topology.link_name(LinkId(cycle[i])));
    }
    throw UnsupportedError("the routes of this machine can deadlock: " + std::to_string(cycle.size()) +
                               " links wait for each other in a cycle (" + text +
                               (cycle.size() > kShown ? ", ..)" : ")") + ", even with " + std::to_string(most) +
                               " virtual channels",
                           "use a graph whose shortest paths go up and then down, as in a tree");
}

}  // namespace

GraphRoutes::GraphRoutes(const TopologyOf<Graph>& topology, ShortestPaths paths, std::span<const VertexId> faulty,
                         std::string remark)
    : topology_(topology),
      graph_(topology.value()),
      faulty_(faulty.begin(), faulty.end()),
      paths_(std::move(paths)),
      remark_(std::move(remark)) {}

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
    constexpr std::int32_t kAnyLayers = std::numeric_limits<std::int32_t>::max();
    ShortestPaths(graph_, {}, {paths_.routing(), 0, kAnyLayers}).append_route(graph_, s, d, links);
    for (const LinkId link : links) {
        const VertexId at = graph_.link(link).to;
        if (std::ranges::find(faulty_, at) != faulty_.end()) return at;
    }
    return {};
}

std::int32_t GraphRoutes::layers_between(std::span<const VertexId> terminals, UpDownLayers& layers) const {
    const std::size_t all = static_cast<std::size_t>(graph_.terminal_count()) - faulty_.size();
    if (terminals.size() == all || paths_.layers() == 1) return paths_.layers();
    RouteTrees trees = paths_.trees(graph_);
    const std::vector<std::uint8_t> is_source =
        mark_roots(paths_.order(), terminals, static_cast<std::size_t>(graph_.vertex_count()));
    std::int32_t needed = 1;
    for (const VertexId d : terminals) {
        trees.find(d);
        needed = std::max(needed, layers.needed(trees, is_source));
    }
    return needed;
}

std::shared_ptr<const ChannelRule> GraphRoutes::channels(const JobNodes& job, std::int32_t most) const {
    std::vector<VertexId> terminals;
    for (std::int32_t n = 0; n < job.count(); ++n) {
        if (job.is_usable(NodeId(n))) terminals.push_back(job.vertex(NodeId(n)));
    }
    if (paths_.routing() == GraphRouting::kSpread) {
        UpDownLayers layers(graph_, paths_.order());
        const std::int32_t needed = layers_between(terminals, layers);
        if (needed <= most) {
            return graph_channels(*this, needed, [this, layers](LinkId from, LinkId to, std::int32_t layer) {
                return layers.after(graph_.link(from), graph_.link(to), layer);
            });
        }
    }
    ChannelLayers layers(graph_, paths_, terminals, most);
    if (!layers.cycle().empty()) refuse_cycle(topology_, layers.cycle(), most);
    const std::int32_t needed = layers.count();
    return graph_channels(
        *this, needed, [layers](LinkId from, LinkId to, std::int32_t layer) { return layers.after(from, to, layer); });
}

}  // namespace haichi
