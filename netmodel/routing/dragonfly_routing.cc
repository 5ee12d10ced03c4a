#include "netmodel/routing/dragonfly_routing.h"

#include <array>

#include "base/errors.h"

namespace haichi {

DragonflyRouting parse_dragonfly_routing(std::string_view text) {
    static const std::array<std::string, 1> kNames = {"minimal"};
    if (text == kNames[0]) return DragonflyRouting::kMinimal;
    const std::string near = did_you_mean(text, kNames);
    throw OptionError("routing " + shown(text) + " does not fit a dragonfly",
                      near.empty() ? "use the routing minimal, which is the only one for a dragonfly" : near);
}

std::string to_string(DragonflyRouting) { return "minimal"; }

std::int32_t dragonfly_hops(const Dragonfly& dragonfly, VertexId s, VertexId d) {
    if (s == d) return 0;
    const std::int32_t source = dragonfly.router_of(s);
    const std::int32_t target = dragonfly.router_of(d);
    if (source == target) return 2;
    const std::int32_t from = dragonfly.group_of(source);
    const std::int32_t to = dragonfly.group_of(target);
    if (from == to) return 3;
    return 3 + (source != dragonfly.gateway(from, to) ? 1 : 0) + (target != dragonfly.gateway(to, from) ? 1 : 0);
}

}  // namespace haichi
