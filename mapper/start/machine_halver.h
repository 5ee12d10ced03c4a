#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mapper/start/distance_blocks.h"

namespace haichi {

/// Distances between sets of nodes are in eighths of a hop, so that centres between nodes need no rounding.
inline constexpr std::int32_t kUnitsPerHop = 8;

/// A set of nodes: a range of MachineHalver::nodes().
struct NodeSet {
    std::size_t first = 0;
    std::size_t last = 0;

    [[nodiscard]] std::size_t size() const { return last - first; }
};

/// Cuts sets of nodes in two and computes the distances between sets. The caller assigns indices to the sets. With
/// coordinates, the location of a set is its mean coordinate per axis. Otherwise the location is one of the set's
/// nodes. If terminals form blocks, all nodes of a set have the same distance to any node outside the block just cut.
/// On other networks, taking one node is an approximation. A set with several regions is cut between two of them.
/// Faulty nodes are in no set.
class MachineHalver {
  public:
    /// `blocks` are from find_distance_blocks().
    MachineHalver(const Problem& problem, const DistanceBlocks& blocks)
        : problem_(problem), blocks_(blocks), nodes_(node_count()) {
        std::iota(nodes_.begin(), nodes_.end(), 0);
        if (const Grid* grid = problem.network().coordinates()) {
            read_coordinates(*grid);
        } else {
            representative_.resize(nodes_.size());
            std::ranges::sort(nodes_, {}, [this](std::int32_t node) { return terminal(node); });
            block_sizes_ = problem.network().topology().block_sizes();
            regions_ = problem.network().topology().regions();
        }
        std::erase_if(nodes_, [&](std::int32_t node) { return !problem.network().is_usable(NodeId(node)); });
    }

    /// All nodes.
    [[nodiscard]] NodeSet all() const { return {0, nodes_.size()}; }

    /// The nodes are sorted by set, as far as sets have been cut.
    [[nodiscard]] std::span<const std::int32_t> nodes(NodeSet set) const {
        return std::span(nodes_).subspan(set.first, set.size());
    }

    /// Replaces all() by sets that together contain all nodes.
    std::vector<NodeSet> arrange(std::span<const std::vector<NodeId>> sets) {
        std::vector<NodeSet> arranged;
        nodes_.clear();
        for (const std::vector<NodeId>& set : sets) {
            arranged.push_back({nodes_.size(), nodes_.size() + set.size()});
            for (const NodeId node : set) nodes_.push_back(node.value);
        }
        return arranged;
    }

    /// Cuts a set of at least two nodes. Returns the index at which its second half begins.
    std::size_t halve(NodeSet set) {
        if (!block_sizes_.empty()) return halve_between_blocks(set);
        if (!axes_.empty()) return halve_on_grid(set);
        return in_one_region(set) ? halve_on_graph(set) : halve_between_regions(set);
    }

    /// Records the location of the set with index `s`, which must be below the number of nodes.
    void locate(std::size_t s, NodeSet set) {
        if (axes_.empty()) {
            representative_[s] = nodes_[set.first];
            return;
        }
        for (std::size_t k = 0; k < axes_.size(); ++k) {
            std::int64_t sum = 0;
            for (const std::int32_t node : nodes(set)) sum += coordinate(node, k);
            const std::int64_t mean = kUnitsPerHop * sum / static_cast<std::int64_t>(set.size());
            centre_[k][s] = covers_ring(extent(set, k), k) ? kWholeRing : static_cast<std::int32_t>(mean);
        }
    }

    [[nodiscard]] std::int64_t distance(std::size_t a, std::size_t b) const {
        if (axes_.empty()) return representative_distance(a, b);
        std::int64_t sum = 0;
        for (std::size_t k = 0; k < axes_.size(); ++k) sum += axis_distance(k, centre_[k][a], centre_[k][b]);
        return sum;
    }

    /// The distance of `set` from b minus its distance from a. Two halves of a box differ on only one axis.
    [[nodiscard]] std::int64_t farther(std::size_t a, std::size_t b, std::size_t set) const {
        if (axes_.empty()) return representative_distance(b, set) - representative_distance(a, set);
        std::int64_t sum = 0;
        for (std::size_t k = 0; k < axes_.size(); ++k) {
            const std::vector<std::int32_t>& at = centre_[k];
            if (at[a] != at[b]) sum += axis_distance(k, at[b], at[set]) - axis_distance(k, at[a], at[set]);
        }
        return sum;
    }

  private:
    struct Extent {
        std::int32_t least = std::numeric_limits<std::int32_t>::max();
        std::int32_t most = 0;
        [[nodiscard]] std::int32_t positions() const { return most - least + 1; }
    };

    static constexpr std::int32_t kWholeRing = -1;  ///< replaces the centre of a set that covers a ring

    [[nodiscard]] std::int32_t hops(std::int32_t a, std::int32_t b) const {
        return problem_.hop_distance()(NodeId(a), NodeId(b));
    }
    [[nodiscard]] std::int64_t representative_distance(std::size_t a, std::size_t b) const {
        return kUnitsPerHop * hops(representative_[a], representative_[b]);
    }
    [[nodiscard]] std::int64_t axis_distance(std::size_t k, std::int32_t a, std::int32_t b) const {
        const std::int64_t straight = a > b ? a - b : b - a;
        const std::int64_t hops = problem_.network().axis_hops(k);
        if (!axes_[k].is_ring()) return hops * straight;
        const std::int64_t around = std::int64_t{kUnitsPerHop} * axes_[k].size;
        if (a == kWholeRing || b == kWholeRing) return hops * (around / 4);  // the mean over a ring
        return hops * std::min(straight, around - straight);
    }

    [[nodiscard]] std::size_t node_count() const { return static_cast<std::size_t>(problem_.node_count()); }
    [[nodiscard]] std::int32_t terminal(std::int32_t node) const {
        return problem_.network().vertex(NodeId(node)).value;
    }
    [[nodiscard]] std::int32_t coordinate(std::int32_t node, std::size_t k) const {
        return coordinates_[static_cast<std::size_t>(node) * axes_.size() + k];
    }
    [[nodiscard]] bool covers_ring(Extent extent, std::size_t k) const {
        return axes_[k].is_ring() && extent.positions() == axes_[k].size;
    }
    [[nodiscard]] Extent extent(NodeSet set, std::size_t k) const {
        Extent extent;
        for (const std::int32_t node : nodes(set)) {
            extent.least = std::min(extent.least, coordinate(node, k));
            extent.most = std::max(extent.most, coordinate(node, k));
        }
        return extent;
    }

    /// Coordinates on rings begin after the longest stretch without nodes of the job, so that a node list across the
    /// seam is contiguous.
    void read_coordinates(const Grid& grid) {
        axes_ = grid.axes();
        centre_.assign(axes_.size(), std::vector<std::int32_t>(nodes_.size()));
        coordinates_.reserve(nodes_.size() * axes_.size());
        for (const std::int32_t node : nodes_) {
            for (const std::int32_t c : grid.coordinates(problem_.network().vertex(NodeId(node))))
                coordinates_.push_back(c);
        }
        for (std::size_t k = 0; k < axes_.size(); ++k) {
            if (!axes_[k].is_ring()) continue;
            const std::int32_t size = axes_[k].size;
            std::vector<std::uint8_t> used(static_cast<std::size_t>(size), 0);
            for (const std::int32_t node : nodes_) used[static_cast<std::size_t>(coordinate(node, k))] = 1;
            std::int32_t origin = 0;
            std::int32_t longest = 0;
            for (std::int32_t i = 0, free = 0; i < 2 * size; ++i) {
                free = used[static_cast<std::size_t>(i % size)] != 0 ? 0 : free + 1;
                if (free > longest) {
                    longest = free;
                    origin = (i + 1) % size;
                }
            }
            for (std::size_t i = k; i < coordinates_.size(); i += axes_.size()) {
                coordinates_[i] = (coordinates_[i] - origin + size) % size;
            }
        }
        for (std::size_t k = axes_.size(); k-- > 0;) {
            std::ranges::stable_sort(nodes_, {}, [this, k](std::int32_t node) { return coordinate(node, k); });
        }
    }

    /// Cuts across the axis with the largest diameter; ties go to the first axis. A set that is not a box is cut at the
    /// median.
    std::size_t halve_on_grid(NodeSet set) {
        std::size_t axis = 0;
        std::int64_t diameter = -1;
        std::size_t box = 1;
        Extent longest;
        for (std::size_t k = 0; k < axes_.size(); ++k) {
            const Extent here = extent(set, k);
            if (box <= set.size()) box *= static_cast<std::size_t>(here.positions());
            const std::int64_t steps = covers_ring(here, k) ? here.positions() / 2 : here.positions() - 1;
            const std::int64_t across = steps * problem_.network().axis_hops(k);
            if (across > diameter) {
                diameter = across;
                axis = k;
                longest = here;
            }
        }
        const auto begin = nodes_.begin() + static_cast<std::ptrdiff_t>(set.first);
        const auto end = nodes_.begin() + static_cast<std::ptrdiff_t>(set.last);
        if (box == set.size()) {
            const std::int32_t cut = longest.least + longest.positions() / 2;
            const auto middle =
                std::stable_partition(begin, end, [&](std::int32_t node) { return coordinate(node, axis) < cut; });
            return static_cast<std::size_t>(middle - nodes_.begin());
        }
        // The sort is stable, so that the cut through a layer is also straight.
        std::stable_sort(begin, end,
                         [&](std::int32_t a, std::int32_t b) { return coordinate(a, axis) < coordinate(b, axis); });
        return set.first + set.size() / 2;
    }

    /// Cuts between two blocks, as near to the middle as possible. Uses the largest blocks of which the set has
    /// several.
    std::size_t halve_between_blocks(NodeSet set) const {
        const std::int32_t first = terminal(nodes_[set.first]);
        const std::int32_t last = terminal(nodes_[set.last - 1]);
        std::size_t level = 0;
        while (first / block_sizes_[level] != last / block_sizes_[level]) ++level;
        const std::int32_t below = block_sizes_[level - 1];
        return cut_near_middle(set, [&](std::int32_t node) { return terminal(node) / below; });
    }

    [[nodiscard]] std::ptrdiff_t region_of(std::int32_t node) const {
        return std::ranges::upper_bound(regions_, terminal(node)) - regions_.begin();
    }
    /// Compares the first and the last node. This suffices, because a set with several regions is still in the order of
    /// terminals.
    [[nodiscard]] bool in_one_region(NodeSet set) const {
        return regions_.size() < 2 || region_of(nodes_[set.first]) == region_of(nodes_[set.last - 1]);
    }
    std::size_t halve_between_regions(NodeSet set) const {
        return cut_near_middle(set, [this](std::int32_t node) { return region_of(node); });
    }

    /// Cuts as near to the middle as possible between two nodes with different key(). Such nodes must exist.
    template <class Key>
    std::size_t cut_near_middle(NodeSet set, Key&& key) const {
        const std::size_t middle = set.first + set.size() / 2;
        const auto off = [&](std::size_t i) { return i > middle ? i - middle : middle - i; };
        std::size_t best = set.first;
        for (std::size_t i = set.first + 1; i < set.last; ++i) {
            if (key(nodes_[i - 1]) == key(nodes_[i])) continue;
            if (best == set.first || off(i) < off(best)) best = i;
        }
        return best;
    }

    /// The class of each node on the highest level on which the set has several; null if there is no such level.
    [[nodiscard]] const std::vector<std::int32_t>* classes_in(NodeSet set) const {
        const std::span<const std::int32_t> members = nodes(set);
        for (std::size_t level = blocks_.levels.size(); level-- > 0;) {
            const std::vector<std::int32_t>& class_of = blocks_.levels[level];
            const auto of = [&](std::int32_t node) { return class_of[static_cast<std::size_t>(node)]; };
            const std::int32_t first = of(members.front());
            if (!std::ranges::all_of(members, [&](std::int32_t node) { return of(node) == first; })) return &class_of;
        }
        return nullptr;
    }

    /// Selects two nodes that are far apart, and assigns each node to the nearer one. Classes of near nodes stay
    /// together. O(size) for each level of classes.
    std::size_t halve_on_graph(NodeSet set) {
        const std::vector<std::int32_t>* class_of = classes_in(set);
        const auto class_or_node = [&](std::int32_t node) {
            return class_of == nullptr ? node : (*class_of)[static_cast<std::size_t>(node)];
        };
        const auto begin = nodes_.begin() + static_cast<std::ptrdiff_t>(set.first);
        const auto end = nodes_.begin() + static_cast<std::ptrdiff_t>(set.last);
        const auto farthest_from = [&](std::int32_t from) {
            return *std::ranges::max_element(begin, end, {}, [&](std::int32_t node) { return hops(from, node); });
        };
        const std::int32_t one = farthest_from(*begin);
        const std::int32_t other = farthest_from(one);
        // The nodes of a class sort together, at the position of the first.
        std::vector<std::array<std::int32_t, 3>> keyed;
        std::unordered_map<std::int32_t, std::int32_t> key_of_class;
        for (auto node = begin; node != end; ++node) {
            const std::int32_t key = hops(one, *node) - hops(other, *node);
            const std::int32_t together = class_or_node(*node);
            keyed.push_back(
                {class_of == nullptr ? key : key_of_class.try_emplace(together, key).first->second, together, *node});
        }
        std::ranges::sort(keyed);
        std::ranges::transform(keyed, begin, [](const auto& entry) { return entry[2]; });
        return class_of == nullptr ? set.first + set.size() / 2 : cut_near_middle(set, class_or_node);
    }

    const Problem& problem_;
    const DistanceBlocks& blocks_;
    std::span<const std::int32_t> block_sizes_;  ///< from the topology
    std::vector<std::int32_t> regions_;          ///< from the topology, without coordinates
    std::vector<Axis> axes_;                     ///< with coordinates
    std::vector<std::int32_t> coordinates_;      ///< node by node
    std::vector<std::int32_t> nodes_;
    std::vector<std::vector<std::int32_t>> centre_;  ///< per axis and set, in units
    std::vector<std::int32_t> representative_;       ///< per set, without coordinates
};

}  // namespace haichi
