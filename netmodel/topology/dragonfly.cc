#include "netmodel/topology/dragonfly.h"

#include <limits>
#include <string>

#include "base/errors.h"
#include "netmodel/topology/grid.h"

namespace haichi {

namespace {

void check_entry(const char* what, std::int32_t entry, std::int32_t least) {
    if (entry >= least && entry <= kMostVertices) return;
    throw OptionError("a dragonfly has " + std::to_string(least) + " to " + std::to_string(kMostVertices) + " " + what +
                      ", not " + std::to_string(entry));
}

}  // namespace

Dragonfly::Dragonfly(std::int32_t terminals, std::int32_t routers, std::int32_t global_links, std::int32_t groups)
    : terminals_(terminals), routers_(routers), global_links_(global_links), groups_(groups) {
    check_entry("terminals per router", terminals, 1);
    check_entry("routers per group", routers, 1);
    check_entry("global links per router", global_links, groups == 1 ? 0 : 1);
    check_entry("groups", groups, 0);
    const std::int64_t most_groups = std::int64_t{routers} * global_links + 1;
    if (groups > most_groups) {
        throw OptionError("a dragonfly of " + std::to_string(groups) + " groups requires " +
                              std::to_string(groups - 1) + " global links per group, but " + std::to_string(routers) +
                              " routers with " + std::to_string(global_links) + " links each have " +
                              std::to_string(most_groups - 1),
                          "use fewer groups or more global links: there is one link between any two groups");
    }
    const std::int64_t all_groups = groups == 0 ? most_groups : groups;
    // Each factor is at most 2^23, and the check of two factors prevents an overflow of the product of three.
    const std::int64_t all_routers = all_groups > kMostVertices ? all_groups : all_groups * routers;
    if (all_routers > kMostVertices || all_routers * (std::int64_t{terminals} + 1) > kMostVertices) {
        throw OptionError("a topology has at most " + std::to_string(kMostVertices) +
                          " nodes and switches, fewer than in a dragonfly of " + std::to_string(all_groups) +
                          " groups of " + std::to_string(routers) + " routers with " + std::to_string(terminals) +
                          " terminals");
    }
    const std::int64_t links =
        2 * all_routers * terminals + all_routers * (std::int64_t{routers} - 1) + all_groups * (all_groups - 1);
    if (links > std::numeric_limits<std::int32_t>::max()) {
        throw OptionError("a dragonfly of " + std::to_string(all_groups) + " groups of " + std::to_string(routers) +
                          " routers has " + std::to_string(links) + " links, more than are supported");
    }
    groups_ = static_cast<std::int32_t>(all_groups);
    first_local_ = 2 * terminal_count();
    first_global_ = first_local_ + router_count() * (routers_ - 1);
}

Dragonfly::LinkEnds Dragonfly::link_ends(LinkId link) const {
    if (link.value < first_local_) {
        const VertexId terminal(link.value % terminal_count());
        const VertexId router = router_vertex(router_of(terminal));
        if (link.value < terminal_count()) return {terminal, router, LinkKind::kUp};
        return {router, terminal, LinkKind::kDown};
    }
    if (link.value < first_global_) {
        const std::int32_t from = (link.value - first_local_) / (routers_ - 1);
        const std::int32_t place = (link.value - first_local_) % (routers_ - 1);
        const std::int32_t to = from - from % routers_ + place + (place >= from % routers_ ? 1 : 0);
        return {router_vertex(from), router_vertex(to), LinkKind::kLocal};
    }
    const std::int32_t from = (link.value - first_global_) / (groups_ - 1);
    const std::int32_t place = (link.value - first_global_) % (groups_ - 1);
    const std::int32_t to = place + (place >= from ? 1 : 0);
    return {router_vertex(gateway(from, to)), router_vertex(gateway(to, from)), LinkKind::kGlobal};
}

}  // namespace haichi
