#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "netmodel/routing/topology_row.h"

namespace haichi {

/// A Dragonfly+ (Shpiner, Haramaty, Eliad, Zdornov, Gafni, Zahavi, HiPINEB 2017). A group consists of leaf and spine
/// routers, and each leaf is joined to every spine of its group. Terminals belong to leaves. Global links join the
/// spines of every pair of groups. A value.
///
/// Every pair of groups is joined by n = max(1, spines / (groups - 1)) links, so that every spine has a link even with
/// few groups. Global port p of a group is the k-th link to the j-th other group. Here k = p / (groups - 1) and j = p
/// mod (groups - 1). Other groups are in ascending order. Port p belongs to spine p mod spines, so two spines differ by
/// at most one port.
class DragonflyPlus {
  public:
    /// Sizes of a group, and the number of groups.
    struct Shape {
        std::int32_t leaves = 1;
        std::int32_t spines = 1;
        std::int32_t hosts = 1;  ///< terminals per leaf
        std::int32_t groups = 1;

        friend bool operator==(const Shape&, const Shape&) = default;
    };

    /// Throws OptionError for entries below 1, and for too many vertices or links.
    explicit DragonflyPlus(const Shape& shape);

    [[nodiscard]] const Shape& shape() const { return shape_; }
    [[nodiscard]] std::int32_t terminal_count() const { return terminal_count_; }
    /// Vertices are the terminals leaf by leaf, then the leaves group by group, then the spines group by group.
    [[nodiscard]] std::int32_t vertex_count() const { return first_spine_ + shape_.spines * shape_.groups; }
    [[nodiscard]] std::int32_t first_leaf() const { return terminal_count_; }
    [[nodiscard]] std::int32_t first_spine() const { return first_spine_; }

    /// Leaves and spines are numbered over all groups.
    [[nodiscard]] std::int32_t leaf_of(VertexId terminal) const { return terminal.value / shape_.hosts; }
    [[nodiscard]] std::int32_t group_of_leaf(std::int32_t leaf) const { return leaf / shape_.leaves; }
    [[nodiscard]] VertexId leaf_vertex(std::int32_t leaf) const { return VertexId(terminal_count_ + leaf); }
    [[nodiscard]] VertexId spine_vertex(std::int32_t spine) const { return VertexId(first_spine_ + spine); }
    /// Number n of links that join two groups.
    [[nodiscard]] std::int32_t links_between_groups() const { return links_between_groups_; }
    /// The port of group `from` that has link number k to group `to`.
    [[nodiscard]] std::int32_t port(std::int32_t from, std::int32_t to, std::int32_t k) const {
        return k * (shape_.groups - 1) + (to < from ? to : to - 1);
    }
    [[nodiscard]] std::int32_t spine_of_port(std::int32_t group, std::int32_t port) const {
        return group * shape_.spines + port % shape_.spines;
    }

    /// Links are numbered in this order: up and down links of all terminals, links between leaves and spines, global
    /// links group by group.
    [[nodiscard]] std::int32_t link_count() const { return first_global_ + shape_.groups * ports_per_group_; }
    [[nodiscard]] LinkId up_link(VertexId terminal) const { return LinkId(terminal.value); }
    [[nodiscard]] LinkId down_link(VertexId terminal) const { return LinkId(terminal_count_ + terminal.value); }
    /// The link from a leaf to a spine of its group, 0 .. spines - 1. The link with the next id is the reverse link.
    [[nodiscard]] LinkId leaf_link(std::int32_t leaf, std::int32_t spine) const {
        return LinkId(2 * terminal_count_ + 2 * (leaf * shape_.spines + spine));
    }
    [[nodiscard]] LinkId spine_link(std::int32_t leaf, std::int32_t spine) const {
        return LinkId(leaf_link(leaf, spine).value + 1);
    }
    [[nodiscard]] LinkId global_link(std::int32_t group, std::int32_t port) const {
        return LinkId(first_global_ + group * ports_per_group_ + port);
    }

    enum class LinkKind : std::uint8_t { kUp, kDown, kLocal, kGlobal };
    struct LinkEnds {
        VertexId from;
        VertexId to;
        LinkKind kind = LinkKind::kUp;
    };
    [[nodiscard]] LinkEnds link_ends(LinkId link) const;

    /// Calls visit(LinkId) for the links from terminal s to terminal d in order. These are, as far as needed: up, leaf
    /// to spine, the global link between the groups, spine to leaf, down. The route is a shortest path. The index i of
    /// the destination in its group makes the choices evenly. Within a group it selects spine i mod spines, between
    /// groups link i mod n.
    template <class Visit>
    void walk(VertexId s, VertexId d, const Visit& visit) const {
        if (s == d) return;
        const std::int32_t leaf = leaf_of(s);
        const std::int32_t target = leaf_of(d);
        const std::int32_t from = group_of_leaf(leaf);
        const std::int32_t to = group_of_leaf(target);
        const std::int32_t number = d.value % (shape_.leaves * shape_.hosts);
        visit(up_link(s));
        if (from != to) {
            const std::int32_t k = number % links_between_groups_;
            const std::int32_t exit = port(from, to, k);
            visit(leaf_link(leaf, exit % shape_.spines));
            visit(global_link(from, exit));
            visit(spine_link(target, port(to, from, k) % shape_.spines));
        } else if (leaf != target) {
            visit(leaf_link(leaf, number % shape_.spines));
            visit(spine_link(target, number % shape_.spines));
        }
        visit(down_link(d));
    }

    friend bool operator==(const DragonflyPlus& a, const DragonflyPlus& b) { return a.shape_ == b.shape_; }

  private:
    Shape shape_;
    std::int32_t terminal_count_ = 0;
    std::int32_t first_spine_ = 0;
    std::int32_t links_between_groups_ = 0;
    std::int32_t ports_per_group_ = 0;
    std::int32_t first_global_ = 0;
};

/// Link classes are host, local and global links. `bandwidths[i]` is the bandwidth of class i; later classes have the
/// machine's.
std::shared_ptr<const Topology> dragonfly_plus_topology(DragonflyPlus dragonfly,
                                                        std::span<const std::int64_t> bandwidths = {});

TopologyRow dragonfly_plus_row();

}  // namespace haichi
