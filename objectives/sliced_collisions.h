#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "objectives/problem.h"
#include "objectives/route_legs.h"
#include "objectives/slice_kernel.h"

namespace haichi {

/// Which messages on a link are counted together.
enum class Counted { kPerSet, kAllSetsTogether };

/// Collisions for jobs on a few hundred nodes. Bit-sliced counters hold the number of messages on each link per set,
/// and every route is a row of bits (RouteRows). In one kernel call, a proposal computes new counters for the touched
/// sets and keeps the old counters. A rejected proposal therefore needs no undo.
///
/// Messages that are counted together must have equal sizes. Within a set, all links must have equal bandwidth. Then
/// tac3 and tac3-bytes are equal, size * largest count. With all sets together, size * largest count is the largest
/// link load.
class SlicedCollisions {
  public:
    static constexpr std::size_t kCounterBudgetBytes = std::size_t{64} << 20;

    [[nodiscard]] static bool suits(const Problem& problem, Counted counted);
    SlicedCollisions(const Problem& problem, Counted counted);

    void reset(const Mapping& mapping);
    /// Sets value() and excess() to the values after the move; commit() or rollback() must follow.
    void propose(const Mapping& mapping, const Move& move) {
        propose_within(mapping, move, [](std::int64_t, std::int64_t) { return false; });
    }
    /// Counts set by set, and calls `excludes` with lower bounds of value() and excess() after the move. If `excludes`
    /// returns true, the move is rejected. The state is then unchanged, and this function returns false.
    template <class Excludes>
    bool propose_within(const Mapping& mapping, const Move& move, Excludes&& excludes) {
        value_before_ = value_;
        excess_before_ = excess_;
        collect(mapping, move);
        for (std::size_t i = 0; i < change_count_; ++i) {
            const Set& set = sets_[changed_sets_[i]];
            value_ += (least_largest(set, changes_[i]) - set.largest) * set.size_bytes;
            excess_ -= set.excess * set.size_bytes;
        }
        const BitBlock* const* removed = removed_.data();
        const BitBlock* const* added = added_.data();
        for (std::size_t i = 0; i < change_count_; ++i) {
            if (excludes(value_, excess_)) {
                rollback();
                return false;
            }
            SliceChange& change = changes_[i];
            const Set& set = sets_[changed_sets_[i]];
            kernel_({.blocks = routes_->blocks(),
                     .changes = &change,
                     .change_count = 1,
                     .removed = removed,
                     .added = added});
            value_ += (change.largest - least_largest(set, change)) * set.size_bytes;
            excess_ += change.excess * set.size_bytes;
            removed += change.row_count;
            added += change.row_count;
        }
        return true;
    }
    void commit();
    void rollback() {
        value_ = value_before_;
        excess_ = excess_before_;
    }

    /// Sum over sets of largest count * size in bytes.
    [[nodiscard]] std::int64_t value() const { return value_; }
    /// Sum over sets and links in use of (count - 1) * size in bytes.
    [[nodiscard]] std::int64_t excess() const { return excess_; }
    /// `set` is 0 if all sets are counted together, here and below.
    [[nodiscard]] std::int64_t largest(std::size_t set) const { return sets_[set].largest; }
    [[nodiscard]] std::int64_t count(std::size_t set, LinkId link) const;

  private:
    struct Set {
        std::int64_t largest = 0;  ///< largest count of any link
        std::int64_t excess = 0;   ///< sum over links of max(0, count - 1)
        std::int64_t least = 0;    ///< smallest possible value of `largest`
        std::int64_t size_bytes = 0;
        std::int64_t message_count = 0;
        bool is_uniform = true;
        std::size_t most_planes = 0;
        std::size_t first_block = 0;  ///< first block of its planes
    };

    [[nodiscard]] static std::vector<Set> counted_sets(const Problem& problem, Counted counted);
    [[nodiscard]] const BitBlock* row(RouteLeg::Way way, NodeId node, NodeId partner) const {
        if (way == RouteLeg::kBothWays) return routes_->exchange(node, partner);
        return way == RouteLeg::kTo ? routes_->row(node, partner) : routes_->row(partner, node);
    }
    /// Prefetches the first blocks of the row. A move needs many rows from anywhere in a table larger than the near
    /// caches.
    [[nodiscard]] const BitBlock* fetched_row(RouteLeg::Way way, NodeId node, NodeId partner) const {
        const BitBlock* const at = row(way, node, partner);
        __builtin_prefetch(at);
        __builtin_prefetch(at + 1);
        return at;
    }
    /// A lower bound of the largest count after a change. Each removed row takes at most one message from a link.
    [[nodiscard]] static std::int64_t least_largest(const Set& set, const SliceChange& change) {
        return std::max(set.largest - static_cast<std::int64_t>(change.row_count), set.least);
    }
    /// Prepares the changes of all sets by the move.
    void collect(const Mapping& mapping, const Move& move);
    template <std::size_t Lists>
    void collect_lists(const Mapping& mapping, const Move& move);
    void change_set(std::size_t set, std::size_t row_count);
    void run_kernel();

    const Problem* problem_;
    const RouteRows* routes_;
    SliceKernel kernel_;
    std::vector<BitBlock> planes_;
    std::vector<BitBlock> changed_;  ///< planes of the sets in changes_, one after another
    std::vector<Set> sets_;
    std::size_t set_mask_;  ///< for RouteLeg::set(); keeps only kNoSet if all sets are counted together

    std::int64_t value_ = 0;
    std::int64_t excess_ = 0;
    std::int64_t value_before_ = 0;
    std::int64_t excess_before_ = 0;
    // Changes of the proposed move: the first change_count_ entries, at most one per set.
    std::vector<SliceChange> changes_;
    std::vector<std::uint32_t> changed_sets_;
    std::size_t change_count_ = 0;
    std::size_t changed_used_ = 0;
    std::size_t row_count_ = 0;
    std::vector<const BitBlock*> removed_;  ///< rows, with capacity for all messages
    std::vector<const BitBlock*> added_;
};

}  // namespace haichi
