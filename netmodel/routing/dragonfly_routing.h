#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "netmodel/topology/dragonfly.h"

namespace haichi {

/// Static routings of dragonflies.
enum class DragonflyRouting {
    /// Up, then between groups a local hop to the gateway router and the global link, a local hop to the destination's
    /// router, down. Unnecessary local hops are omitted. This is the shortest path unless two consecutive global links
    /// over a third group can replace local, global, local.
    kMinimal,
};

/// Parses "minimal". Throws OptionError with a hint.
DragonflyRouting parse_dragonfly_routing(std::string_view text);
std::string to_string(DragonflyRouting routing);

/// Calls visit(LinkId) for the links from terminal s to terminal d, in order. A pure function of its arguments.
template <class Visit>
void walk_dragonfly_route(const Dragonfly& dragonfly, VertexId s, VertexId d, const Visit& visit) {
    if (s == d) return;
    const std::int32_t target = dragonfly.router_of(d);
    const std::int32_t from = dragonfly.group_of(dragonfly.router_of(s));
    const std::int32_t to = dragonfly.group_of(target);
    std::int32_t at = dragonfly.router_of(s);
    visit(dragonfly.up_link(s));
    if (from != to) {
        const std::int32_t exit = dragonfly.gateway(from, to);
        if (at != exit) visit(dragonfly.local_link(at, exit));
        visit(dragonfly.global_link(from, to));
        at = dragonfly.gateway(to, from);
    }
    if (at != target) visit(dragonfly.local_link(at, target));
    visit(dragonfly.down_link(d));
}

/// Length of that route. O(1); the same in both directions.
std::int32_t dragonfly_hops(const Dragonfly& dragonfly, VertexId s, VertexId d);

}  // namespace haichi
