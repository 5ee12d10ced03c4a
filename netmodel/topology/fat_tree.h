#pragma once

#include <cstdint>
#include <vector>

#include "netmodel/topology/ids.h"

namespace haichi {

/// A tree or fat tree as an extended generalised fat tree (Oehring et al., IPPS 1995), XGFT(h; m_1..m_h; w_1..w_h). It
/// has h levels of switches above the terminals (level 0). A vertex of level l has children[l-1] = m_l children, and a
/// vertex of level l-1 has parents[l-1] = w_l parents. If all w are 1, the XGFT is a tree. With all m = k and w =
/// 1,k,k.., it is the k-ary n-tree with full bisection; smaller w reduce the bisection. Switches have no rank slots. A
/// value.
class FatTree {
  public:
    static constexpr std::size_t kMostLevels = 32;

    /// Throws OptionError for no level, more than kMostLevels, lists of different lengths, entries below 1, or too many
    /// vertices or links.
    FatTree(std::vector<std::int32_t> children, std::vector<std::int32_t> parents);

    [[nodiscard]] std::size_t level_count() const { return children_.size(); }
    [[nodiscard]] const std::vector<std::int32_t>& children() const { return children_; }
    [[nodiscard]] const std::vector<std::int32_t>& parents() const { return parents_; }
    [[nodiscard]] std::int32_t terminal_count() const { return terminal_count_; }
    /// Terminals 0..terminal_count()-1, then the switches level by level.
    [[nodiscard]] std::int32_t vertex_count() const { return first_vertex_.back(); }
    /// Vertices of level l are numbered first_vertex(l) .. first_vertex(l+1)-1.
    [[nodiscard]] std::int32_t first_vertex(std::size_t level) const { return first_vertex_[level]; }
    [[nodiscard]] std::size_t level(VertexId v) const;

    /// Every edge is two links, one up and one down.
    [[nodiscard]] std::int32_t link_count() const { return first_link_.back(); }
    /// The link from vertex `index` of level `level` up to its parent with index `parent` (0..w-1).
    [[nodiscard]] LinkId up_link(std::size_t level, std::int32_t index, std::int32_t parent) const;
    /// The reverse of up_link() with the same arguments.
    [[nodiscard]] LinkId down_link(std::size_t level, std::int32_t index, std::int32_t parent) const;

    struct LinkEnds {
        VertexId from;
        VertexId to;
        std::size_t lower_level = 0;  ///< level of the lower end
        bool up = true;
    };
    [[nodiscard]] LinkEnds link_ends(LinkId link) const;

    /// The level of the lowest switches that reach both terminals; 0 for equal terminals. O(levels).
    [[nodiscard]] std::size_t common_level(VertexId a, VertexId b) const;
    /// Index within level `level` + 1 of a parent: the parent `parent` of vertex `index` of level `level`.
    [[nodiscard]] std::int32_t parent_index(std::size_t level, std::int32_t index, std::int32_t parent) const;

    /// m_1 * .. * m_level: number of terminals below a vertex of that level.
    [[nodiscard]] std::int32_t terminals_below(std::size_t level) const { return terminals_below_[level]; }
    /// w_1 * .. * w_level: number of vertices of that level above the same terminals. The index of a vertex in its
    /// level is block * width(level) + lane, with block = terminal / terminals_below(level) for every terminal below
    /// it.
    [[nodiscard]] std::int32_t width(std::size_t level) const { return width_[level]; }

    friend bool operator==(const FatTree& a, const FatTree& b) {
        return a.children_ == b.children_ && a.parents_ == b.parents_;
    }

  private:
    std::vector<std::int32_t> children_;
    std::vector<std::int32_t> parents_;
    std::int32_t terminal_count_ = 1;
    std::vector<std::int32_t> first_vertex_;
    std::vector<std::int32_t> first_link_;
    std::vector<std::int32_t> terminals_below_;
    std::vector<std::int32_t> width_;
};

}  // namespace haichi
