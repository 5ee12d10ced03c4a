#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "netmodel/routing/topology_row.h"

namespace haichi {

/// A HyperX (Ahn, Binkert, Davis, McLaren, Schreiber, SC 2009). Routers are the points of a lattice, and each is joined
/// to all routers that differ from it in exactly one coordinate. Every router has the same number of terminals. A
/// value.
class HyperX {
  public:
    /// Routers are numbered row-major, the last axis fastest. Throws OptionError for no axis, more than kMostAxes,
    /// entries below 1, and too many vertices or links.
    HyperX(std::vector<std::int32_t> sizes, std::int32_t terminals_per_router);

    [[nodiscard]] const std::vector<std::int32_t>& sizes() const { return sizes_; }
    [[nodiscard]] std::int32_t terminals_per_router() const { return terminals_per_router_; }
    [[nodiscard]] std::int32_t router_count() const { return router_count_; }
    [[nodiscard]] std::int32_t terminal_count() const { return router_count_ * terminals_per_router_; }
    /// Terminals 0..terminal_count()-1, router by router, then the routers.
    [[nodiscard]] std::int32_t vertex_count() const { return terminal_count() + router_count_; }

    [[nodiscard]] std::int32_t router_of(VertexId terminal) const { return terminal.value / terminals_per_router_; }
    [[nodiscard]] VertexId router_vertex(std::int32_t router) const { return VertexId(terminal_count() + router); }
    [[nodiscard]] std::int32_t coordinate(std::int32_t router, std::size_t axis) const {
        return router / strides_[axis] % sizes_[axis];
    }
    /// Index of the line of routers along an axis that contains the router, among all lines along that axis.
    [[nodiscard]] std::int32_t line(std::int32_t router, std::size_t axis) const {
        const std::int32_t stride = strides_[axis];
        return router / (stride * sizes_[axis]) * stride + router % stride;
    }

    /// Up and down links of all terminals, then the links of the routers, axis by axis.
    [[nodiscard]] std::int32_t link_count() const { return 2 * terminal_count() + router_count_ * links_per_router_; }
    [[nodiscard]] LinkId up_link(VertexId terminal) const { return LinkId(terminal.value); }
    [[nodiscard]] LinkId down_link(VertexId terminal) const { return LinkId(terminal_count() + terminal.value); }
    /// The link from `router` to the router at position `to` along `axis`. `to` must differ from the position of
    /// `router`.
    [[nodiscard]] LinkId link(std::int32_t router, std::size_t axis, std::int32_t to) const {
        const std::int32_t place = to - (to > coordinate(router, axis) ? 1 : 0);
        return LinkId(2 * terminal_count() + router * links_per_router_ + first_link_[axis] + place);
    }

    struct LinkEnds {
        VertexId from;
        VertexId to;
        std::size_t axis = 0;  ///< equal to the number of axes for links between a terminal and its router
    };
    [[nodiscard]] LinkEnds link_ends(LinkId link) const;

    /// Calls visit(LinkId) for the links from terminal s to terminal d in order. These are: up, one hop along each axis
    /// in which their routers differ, in the order of the axes, and down. The route is a shortest path.
    template <class Visit>
    void walk(VertexId s, VertexId d, const Visit& visit) const {
        if (s == d) return;
        std::int32_t at = router_of(s);
        const std::int32_t target = router_of(d);
        visit(up_link(s));
        for (std::size_t axis = 0; axis < sizes_.size(); ++axis) {
            const std::int32_t from = coordinate(at, axis);
            const std::int32_t to = coordinate(target, axis);
            if (from == to) continue;
            visit(link(at, axis, to));
            at += (to - from) * strides_[axis];
        }
        visit(down_link(d));
    }
    [[nodiscard]] std::int32_t hops(VertexId s, VertexId d) const;

    friend bool operator==(const HyperX& a, const HyperX& b) {
        return a.sizes_ == b.sizes_ && a.terminals_per_router_ == b.terminals_per_router_;
    }

  private:
    std::vector<std::int32_t> sizes_;
    std::vector<std::int32_t> strides_;
    std::vector<std::int32_t> first_link_;  ///< per axis: index among the links of a router
    std::int32_t terminals_per_router_;
    std::int32_t router_count_ = 1;
    std::int32_t links_per_router_ = 0;
};

/// Link classes are host links and the links of each axis; `bandwidths[i]` is the bandwidth of class i. Later classes
/// have the machine's.
std::shared_ptr<const Topology> hyperx_topology(HyperX hyperx, std::span<const std::int64_t> bandwidths = {});

TopologyRow hyperx_row();

}  // namespace haichi
