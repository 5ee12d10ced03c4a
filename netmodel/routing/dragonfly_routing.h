#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "netmodel/topology/dragonfly.h"

namespace haichi {

/// Static routings of dragonflies.
enum class DragonflyRouting {
    /// Up; where the groups differ, a local hop to the gateway, the global link between the groups; a local hop to the
    /// destination's router; down. Hops to or from a router that is there already are left out. It is the shortest path
    /// but where two global links in a row, over a third group, would do instead of local, global, local.
    kMinimal,
};

/// "minimal"; throws OptionError with a hint.
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

/// Length of that route. O(1), and the same both ways.
std::int32_t dragonfly_hops(const Dragonfly& dragonfly, VertexId s, VertexId d);

}  // namespace haichi
