#include "netmodel/routing/channel_rule.h"

#include <algorithm>
#include <utility>

#include "netmodel/routing/routes.h"

namespace haichi {

void OneChannel::append_route(VertexId s, VertexId d, std::vector<ChannelHop>& hops) const {
    append_on_vc_0(routes_, s, d, hops);
}

std::shared_ptr<const ChannelRule> Routes::channels(const JobNodes&, std::int32_t) const {
    return std::make_shared<OneChannel>(*this);
}

void append_on_vc_0(const Routes& routes, VertexId s, VertexId d, std::vector<ChannelHop>& hops) {
    std::vector<LinkId> links;
    routes.append_route(s, d, links);
    for (const LinkId link : links) hops.push_back({link, 0});
}

std::vector<std::int32_t> find_cycle(const std::vector<std::vector<std::int32_t>>& successors) {
    enum class State : std::uint8_t { kNew, kOpen, kDone };
    std::vector<State> state(successors.size(), State::kNew);
    std::vector<std::pair<std::int32_t, std::size_t>> path;  // vertex, and the next successor to visit
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
