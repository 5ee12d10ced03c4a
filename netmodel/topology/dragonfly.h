#pragma once

#include <cstdint>
#include <vector>

#include "netmodel/topology/ids.h"

namespace haichi {

/// A dragonfly (Kim, Dally, Scott, Abts, ISCA 2008). A group has `routers` routers, all joined to each other. Each
/// router has `terminals` terminals and `global_links` ports to other groups. One global link joins every pair of
/// groups. The arrangement is absolute: port j of a group leads to the j-th other group, in ascending order, and
/// belongs to router j / global_links. The ports suffice for routers * global_links + 1 groups. With fewer groups, the
/// last ports are unused. A value.
class Dragonfly {
  public:
    /// `groups` 0 means as many as the ports allow. Throws OptionError for entries below 1 (`global_links` may be 0 for
    /// one group), too many groups for the ports, or too many vertices or links.
    Dragonfly(std::int32_t terminals, std::int32_t routers, std::int32_t global_links, std::int32_t groups = 0);

    [[nodiscard]] std::int32_t terminals_per_router() const { return terminals_; }
    [[nodiscard]] std::int32_t routers_per_group() const { return routers_; }
    [[nodiscard]] std::int32_t global_links_per_router() const { return global_links_; }
    [[nodiscard]] std::int32_t group_count() const { return groups_; }
    [[nodiscard]] std::int32_t terminal_count() const { return terminals_ * router_count(); }
    [[nodiscard]] std::int32_t router_count() const { return routers_ * groups_; }
    /// Terminals 0..terminal_count()-1, router by router, then the routers, group by group.
    [[nodiscard]] std::int32_t vertex_count() const { return terminal_count() + router_count(); }

    /// Number (0..router_count()-1) of a terminal's router.
    [[nodiscard]] std::int32_t router_of(VertexId terminal) const { return terminal.value / terminals_; }
    [[nodiscard]] std::int32_t group_of(std::int32_t router) const { return router / routers_; }
    [[nodiscard]] VertexId router_vertex(std::int32_t router) const { return VertexId(terminal_count() + router); }
    /// The router of group `from` with the link to group `to`, a different group.
    [[nodiscard]] std::int32_t gateway(std::int32_t from, std::int32_t to) const {
        return from * routers_ + (to < from ? to : to - 1) / global_links_;
    }

    [[nodiscard]] std::int32_t link_count() const { return first_global_ + groups_ * (groups_ - 1); }
    [[nodiscard]] LinkId up_link(VertexId terminal) const { return LinkId(terminal.value); }
    [[nodiscard]] LinkId down_link(VertexId terminal) const { return LinkId(terminal_count() + terminal.value); }
    /// The link between two routers of a group.
    [[nodiscard]] LinkId local_link(std::int32_t from, std::int32_t to) const {
        const std::int32_t place = to % routers_ - (to > from ? 1 : 0);
        return LinkId(first_local_ + from * (routers_ - 1) + place);
    }
    /// The link from the gateway router of group `from` to the gateway router of group `to`.
    [[nodiscard]] LinkId global_link(std::int32_t from, std::int32_t to) const {
        return LinkId(first_global_ + from * (groups_ - 1) + (to < from ? to : to - 1));
    }

    enum class LinkKind : std::uint8_t { kUp, kDown, kLocal, kGlobal };
    struct LinkEnds {
        VertexId from;
        VertexId to;
        LinkKind kind = LinkKind::kUp;
    };
    [[nodiscard]] LinkEnds link_ends(LinkId link) const;

    friend bool operator==(const Dragonfly&, const Dragonfly&) = default;

  private:
    std::int32_t terminals_;
    std::int32_t routers_;
    std::int32_t global_links_;
    std::int32_t groups_;
    std::int32_t first_local_ = 0;
    std::int32_t first_global_ = 0;
};

}  // namespace haichi
