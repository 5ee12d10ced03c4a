#include "netmodel/packetsim/virtual_channels.h"

#include <algorithm>
#include <string>

#include "base/errors.h"

namespace haichi {

namespace {

/// The virtual channels of the hops of one stage, within their layer.
template <class Visit>
void walk_stage(const Grid& grid, const DimensionOrder& routing, const DimensionOrder::Stage& stage, VertexId& at,
                VertexId d, const Visit& visit) {
    const std::size_t k = stage.axis;
    const std::int32_t position = grid.coordinate(at, k);
    const std::int32_t target = stage.to_destination ? grid.coordinate(d, k) : stage.column.value_or(position);
    const std::int32_t steps = grid.steps(k, position, target, routing.tie);
    const Sign sign = steps > 0 ? Sign::kPlus : Sign::kMinus;
    for (std::int32_t i = 0; i < std::abs(steps); ++i) {
        const std::int32_t here = grid.coordinate(at, k);
        const bool dateline_ahead = sign == Sign::kPlus ? target < here : target > here;
        visit(grid.link(at, k, sign), dateline_ahead ? 1 : 0);
        at = grid.neighbour(at, k, sign);
    }
}

}  // namespace

VirtualChannels::VirtualChannels(const Network& network, std::int32_t most) {
    if (const auto* fabric = std::get_if<GridFabric>(&network.fabric())) {
        needed_ = std::ranges::any_of(fabric->topology.axes(), &Axis::is_ring) ? 2 : 1;
        if (network.routes_are_shortest()) return;
        column_layer_ = detour_layer_ = needed_;
        const bool has_columns =
            std::ranges::any_of(fabric->routing.stages, [](const auto& stage) { return stage.column.has_value(); });
        // Columns of the routing and others past faulty nodes: two orders of stages, so each has a layer.
        if (has_columns && !network.options().faulty.empty()) detour_layer_ += needed_;
        needed_ += detour_layer_;
    } else if (const auto* dragonfly = std::get_if<DragonflyFabric>(&network.fabric())) {
        const Dragonfly& topology = dragonfly->topology;
        needed_ = topology.group_count() > 1 && topology.routers_per_group() > 1 ? 2 : 1;
    } else if (std::holds_alternative<GraphFabric>(network.fabric())) {
        layers_.emplace(network, most);
        needed_ = layers_->count();
    }
}

void VirtualChannels::check(std::int32_t available) const {
    if (available >= needed_) return;
    throw OptionError("the routes of this machine need " + std::to_string(needed_) +
                          " virtual channels to be free of deadlock, not " + std::to_string(available),
                      "a machine file that leaves out 'router.virtual_channels' has as many as needed");
}

std::int32_t VirtualChannels::count(std::int32_t stated) const {
    if (stated == 0) return std::max(2, needed_);
    check(stated);
    return stated;
}

void VirtualChannels::append_links(const Network& network, NodeId s, NodeId d, std::vector<ChannelHop>& hops) {
    std::vector<LinkId> links;
    network.append_route(s, d, links);
    for (const LinkId link : links) {
        const bool is_channel =
            network.options().count_nic && (link == network.injection_link(s) || link == network.ejection_link(d));
        if (!is_channel) hops.push_back({link, 0});
    }
}

void VirtualChannels::append_route(const Network& network, NodeId s, NodeId d, std::vector<ChannelHop>& hops) const {
    if (std::holds_alternative<GridFabric>(network.fabric())) {
        append_grid_route(network, s, d, hops);
    } else if (const auto* fabric = std::get_if<DragonflyFabric>(&network.fabric())) {
        // In the group where a route ends, after its global link, it is on VC 1.
        std::uint8_t vc = 0;
        walk_dragonfly_route(fabric->topology, network.vertex(s), network.vertex(d), [&](LinkId link) {
            const Dragonfly::LinkKind kind = fabric->topology.link_ends(link).kind;
            hops.push_back({link, kind == Dragonfly::LinkKind::kLocal ? vc : std::uint8_t{0}});
            if (kind == Dragonfly::LinkKind::kGlobal) vc = 1;
        });
    } else {
        const std::size_t first = hops.size();
        append_links(network, s, d, hops);
        if (!layers_ || needed_ == 1) return;
        for (std::size_t i = first + 1; i < hops.size(); ++i) {
            hops[i].vc = static_cast<std::uint8_t>(layers_->after(hops[i - 1].link, hops[i].link, hops[i - 1].vc));
        }
    }
}

void VirtualChannels::append_grid_route(const Network& network, NodeId s, NodeId d,
                                        std::vector<ChannelHop>& hops) const {
    if (s == d) return;
    const auto& fabric = std::get<GridFabric>(network.fabric());
    const DimensionOrder& routing = network.dimension_order(s, d);
    const std::int32_t column_layer = &routing == &fabric.routing ? column_layer_ : detour_layer_;
    VertexId at = network.vertex(s);
    for (const DimensionOrder::Stage& stage : routing.stages) {
        const std::int32_t layer = stage.to_destination ? 0 : column_layer;
        walk_stage(fabric.topology, routing, stage, at, network.vertex(d), [&](LinkId link, std::int32_t vc) {
            hops.push_back({link, static_cast<std::uint8_t>(layer + vc)});
        });
    }
}

std::vector<std::int32_t> VirtualChannels::find_cycle(const Network& network) const {
    std::vector<std::vector<std::int32_t>> successors(static_cast<std::size_t>(network.link_count()) *
                                                      static_cast<std::size_t>(needed_));
    std::vector<ChannelHop> hops;
    for (std::int32_t s = 0; s < network.node_count(); ++s) {
        for (std::int32_t d = 0; d < network.node_count(); ++d) {
            if (!network.is_usable(NodeId(s)) || !network.is_usable(NodeId(d))) continue;
            hops.clear();
            append_route(network, NodeId(s), NodeId(d), hops);
            for (std::size_t i = 1; i < hops.size(); ++i) {
                std::vector<std::int32_t>& next =
                    successors[static_cast<std::size_t>(hops[i - 1].link.value * needed_ + hops[i - 1].vc)];
                const std::int32_t channel = hops[i].link.value * needed_ + hops[i].vc;
                if (std::ranges::find(next, channel) == next.end()) next.push_back(channel);
            }
        }
    }
    return haichi::find_cycle(successors);
}

std::vector<std::int32_t> find_cycle(const std::vector<std::vector<std::int32_t>>& successors) {
    enum class State : std::uint8_t { kNew, kOpen, kDone };
    std::vector<State> state(successors.size(), State::kNew);
    std::vector<std::pair<std::int32_t, std::size_t>> path;  // vertex, and the successor to look at next
    for (std::size_t root = 0; root < successors.size(); ++root) {
        if (state[root] != State::kNew) continue;
        path.emplace_back(static_cast<std::int32_t>(root), 0);
        state[root] = State::kOpen;
        while (!path.empty()) {
            const std::int32_t v = path.back().first;
            const auto& next = successors[static_cast<std::size_t>(v)];
            if (path.back().second == next.size()) {
                state[static_cast<std::size_t>(v)] = State::kDone;
                path.pop_back();
                continue;
            }
            const std::int32_t w = next[path.back().second++];
            if (state[static_cast<std::size_t>(w)] == State::kOpen) {
                std::vector<std::int32_t> cycle;
                auto from = std::ranges::find(path, w, [](const auto& step) { return step.first; });
                for (; from != path.end(); ++from) cycle.push_back(from->first);
                return cycle;
            }
            if (state[static_cast<std::size_t>(w)] == State::kDone) continue;
            state[static_cast<std::size_t>(w)] = State::kOpen;
            path.emplace_back(w, 0);
        }
    }
    return {};
}

}  // namespace haichi
