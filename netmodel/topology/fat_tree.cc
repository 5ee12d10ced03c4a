#include "netmodel/topology/fat_tree.h"

#include <algorithm>
#include <limits>
#include <string>

#include "base/errors.h"
#include "netmodel/topology/grid.h"

namespace haichi {

namespace {

void check_lists(const std::vector<std::int32_t>& children, const std::vector<std::int32_t>& parents) {
    if (children.empty()) throw OptionError("a fat tree requires at least one level of switches");
    if (children.size() > FatTree::kMostLevels) {
        throw OptionError("a fat tree has at most " + std::to_string(FatTree::kMostLevels) + " levels, not " +
                          std::to_string(children.size()));
    }
    if (children.size() != parents.size()) {
        throw OptionError("a fat tree requires one number of parents per level, found " +
                          std::to_string(children.size()) + " numbers of children and " +
                          std::to_string(parents.size()) + " of parents");
    }
    for (const auto* list : {&children, &parents}) {
        for (const std::int32_t entry : *list) {
            if (entry < 1) {
                throw OptionError("the number of children or parents in a fat tree must be at least 1, not " +
                                  std::to_string(entry));
            }
        }
    }
}

std::string listed(const std::vector<std::int32_t>& numbers) {
    std::string text;
    for (const std::int32_t number : numbers) {
        if (!text.empty()) text += ',';
        text += std::to_string(number);
    }
    return text;
}

/// Checks the number of vertices. Throws OptionError above kMostVertices.
std::int32_t vertex_count_of(std::int64_t count, const std::vector<std::int32_t>& children,
                             const std::vector<std::int32_t>& parents) {
    if (count <= kMostVertices) return static_cast<std::int32_t>(count);
    throw OptionError("a topology has at most " + std::to_string(kMostVertices) +
                      " nodes and switches; a fat tree with " + listed(children) + " children and " + listed(parents) +
                      " parents has more");
}

}  // namespace

FatTree::FatTree(std::vector<std::int32_t> children, std::vector<std::int32_t> parents)
    : children_(std::move(children)), parents_(std::move(parents)) {
    check_lists(children_, parents_);
    const auto vertices = [this](std::int64_t count) { return vertex_count_of(count, children_, parents_); };
    const std::size_t levels = children_.size();
    terminals_below_.assign(1, 1);
    width_.assign(1, 1);
    for (std::size_t l = 0; l < levels; ++l) {
        terminals_below_.push_back(vertices(std::int64_t{terminals_below_[l]} * children_[l]));
        width_.push_back(vertices(std::int64_t{width_[l]} * parents_[l]));
    }
    terminal_count_ = terminals_below_.back();

    first_vertex_.assign(1, 0);
    first_link_.assign(1, 0);
    for (std::size_t l = 0; l <= levels; ++l) {
        const std::int32_t count = vertices(std::int64_t{terminal_count_ / terminals_below_[l]} * width_[l]);
        first_vertex_.push_back(vertices(std::int64_t{first_vertex_.back()} + count));
        if (l == levels) break;
        // Reserves a quarter of the 32-bit range for injection and ejection channels.
        constexpr std::int64_t kMostLinks = std::numeric_limits<std::int32_t>::max() / 4 * 3;
        const std::int64_t links = first_link_.back() + std::int64_t{2} * count * parents_[l];
        if (links > kMostLinks) {
            throw OptionError("a topology has at most " + std::to_string(kMostLinks) + " links");
        }
        first_link_.push_back(static_cast<std::int32_t>(links));
    }
}

std::size_t FatTree::level(VertexId v) const {
    const auto above = std::upper_bound(first_vertex_.begin(), first_vertex_.end(), v.value);
    return static_cast<std::size_t>(above - first_vertex_.begin()) - 1;
}

LinkId FatTree::up_link(std::size_t level, std::int32_t index, std::int32_t parent) const {
    return LinkId(first_link_[level] + 2 * (index * parents_[level] + parent));
}

LinkId FatTree::down_link(std::size_t level, std::int32_t index, std::int32_t parent) const {
    return LinkId(up_link(level, index, parent).value + 1);
}

FatTree::LinkEnds FatTree::link_ends(LinkId link) const {
    const auto above = std::upper_bound(first_link_.begin(), first_link_.end(), link.value);
    LinkEnds ends;
    ends.lower_level = static_cast<std::size_t>(above - first_link_.begin()) - 1;
    const std::int32_t number = link.value - first_link_[ends.lower_level];
    ends.up = number % 2 == 0;
    const std::int32_t index = number / 2 / parents_[ends.lower_level];
    const std::int32_t parent = number / 2 % parents_[ends.lower_level];
    ends.from = VertexId(first_vertex_[ends.lower_level] + index);
    ends.to = VertexId(first_vertex_[ends.lower_level + 1] + parent_index(ends.lower_level, index, parent));
    if (!ends.up) std::swap(ends.from, ends.to);
    return ends;
}

std::size_t FatTree::common_level(VertexId a, VertexId b) const {
    std::size_t level = 0;
    while (a.value / terminals_below_[level] != b.value / terminals_below_[level]) ++level;
    return level;
}

std::int32_t FatTree::parent_index(std::size_t level, std::int32_t index, std::int32_t parent) const {
    const std::int32_t block = index / width_[level] / children_[level];
    const std::int32_t lane = index % width_[level] + width_[level] * parent;
    return block * width_[level + 1] + lane;
}

}  // namespace haichi
