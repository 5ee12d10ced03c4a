#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "netmodel/topology/dragonfly.h"

namespace haichi {

/// Static routings of dragonflies.
enum class DragonflyRouting {
    /// The links are: up, local to the gateway router, global, local to the destination's router, down. Unnecessary
    /// hops are omitted. This is a shortest path unless two global links through a third group can replace local,
    /// global, local.
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

/// Length of the route of walk_dragonfly_route(), which is the same in both directions. O(1).
std::int32_t dragonfly_hops(const Dragonfly& dragonfly, VertexId s, VertexId d);

}  // namespace haichi
