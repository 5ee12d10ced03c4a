#include "objectives/sliced_collisions.h"

#include <algorithm>
#include <vector>

namespace haichi {

namespace {

/// The smallest number of planes that the kernels support and that holds this count.
[[gnu::always_inline]] inline std::uint32_t planes_for(std::int64_t largest_count) {
    if (largest_count < std::int64_t{1} << 3) return 3;
    if (largest_count < std::int64_t{1} << 5) return 5;
    return largest_count < std::int64_t{1} << 8 ? 8 : SliceChange::kMostPlanes;
}

}  // namespace

std::vector<SlicedCollisions::Set> SlicedCollisions::counted_sets(const Problem& problem, Counted counted) {
    std::vector<Set> sets;
    for (std::size_t t = 0; t < problem.set_count(); ++t) {
        if (problem.set_message_count(t) == 0 && counted == Counted::kAllSetsTogether) continue;
        if (sets.empty() || counted == Counted::kPerSet) sets.push_back({.size_bytes = problem.set_largest_bytes(t)});
        Set& set = sets.back();
        set.message_count += problem.set_message_count(t);
        if (problem.unavoidable_bytes(t) > 0) set.least = 1;
        set.is_uniform = set.is_uniform && problem.set_is_uniform(t) && set.size_bytes == problem.set_largest_bytes(t);
    }
    std::size_t first = 0;
    for (Set& set : sets) {
        set.most_planes = planes_for(set.message_count);
        set.first_block = first;
        first += set.most_planes * problem.route_rows().blocks();
    }
    return sets;
}

bool SlicedCollisions::suits(const Problem& problem, Counted counted) {
    if (problem.slice_kernel() == nullptr || !problem.route_rows().is_stored()) return false;
    if (counted == Counted::kPerSet && problem.class_count() != 1) return false;
    std::size_t blocks = 0;
    for (const Set& set : counted_sets(problem, counted)) {
        if (!set.is_uniform || set.message_count >= std::int64_t{1} << SliceChange::kMostPlanes) return false;
        blocks += set.most_planes * problem.route_rows().blocks();
    }
    return blocks <= kCounterBudgetBytes / sizeof(BitBlock);
}

SlicedCollisions::SlicedCollisions(const Problem& problem, Counted counted)
    : problem_(&problem),
      routes_(&problem.route_rows()),
      kernel_(problem.slice_kernel()),
      sets_(counted_sets(problem, counted)),
      set_mask_(counted == Counted::kPerSet ? ~std::size_t{0} : RouteLeg::kNoSet) {
    // A move removes at most all messages of all sets.
    std::int64_t messages = 0;
    for (const Set& set : sets_) messages += set.message_count;
    const std::size_t blocks =
        sets_.empty() ? 0 : sets_.back().first_block + sets_.back().most_planes * routes_->blocks();
    planes_.resize(blocks);
    changed_.resize(blocks);
    changes_.resize(sets_.size());
    changed_sets_.resize(sets_.size());
    removed_.resize(static_cast<std::size_t>(messages));
    added_.resize(static_cast<std::size_t>(messages));
}

/// Adds a kernel task: `row_count` rows of removed_ and added_, following the rows of the previous sets, change the
/// planes of this set.
[[gnu::always_inline]] inline void SlicedCollisions::change_set(std::size_t set, std::size_t row_count) {
    const Set& current = sets_[set];
    const std::int64_t highest =
        std::min(current.largest + static_cast<std::int64_t>(row_count), current.message_count);
    SliceChange& change = changes_[change_count_];
    change.planes = planes_.data() + current.first_block;
    change.changed = changed_.data() + changed_used_;
    change.plane_count = planes_for(highest);
    change.row_count = static_cast<std::uint32_t>(row_count);
    changed_sets_[change_count_++] = static_cast<std::uint32_t>(set);
    changed_used_ += change.plane_count * routes_->blocks();
    row_count_ += row_count;
}

[[gnu::always_inline]] inline void SlicedCollisions::run_kernel() {
    kernel_({.blocks = routes_->blocks(),
             .changes = changes_.data(),
             .change_count = change_count_,
             .removed = removed_.data(),
             .added = added_.data()});
    for (std::size_t i = 0; i < change_count_; ++i) {
        const SliceChange& change = changes_[i];
        const Set& set = sets_[changed_sets_[i]];
        value_ += (change.largest - set.largest) * set.size_bytes;
        excess_ += (change.excess - set.excess) * set.size_bytes;
    }
}

void SlicedCollisions::reset(const Mapping& mapping) {
    std::ranges::fill(planes_, BitBlock{});
    value_ = excess_ = 0;
    for (Set& set : sets_) set.largest = set.excess = 0;
    const std::vector<BitBlock> no_link(routes_->blocks());
    std::size_t count = 0;
    for (std::size_t t = 0; t < problem_->set_count(); ++t) {
        for (const Message& m : problem_->workload().messages(t)) {
            if (!m.crosses_network()) continue;
            removed_[count] = no_link.data();
            added_[count++] = routes_->row(mapping.node(m.source), mapping.node(m.destination));
        }
        const bool more_in_this_one = (set_mask_ & 1) == 0 && t + 1 < problem_->set_count();
        if (more_in_this_one || count == 0) continue;
        change_count_ = changed_used_ = row_count_ = 0;
        change_set(t & set_mask_, count);
        run_kernel();
        commit();
        count = 0;
    }
}

/// Collects the removed and added rows of the move, set by set. The legs of each moved rank are in the order of their
/// sets, so the lists are merged.
template <std::size_t Lists>
[[gnu::always_inline]] inline void SlicedCollisions::collect_lists(const Mapping& mapping, const Move& move) {
    const RouteLeg* next[Lists];
    for (std::size_t i = 0; i < Lists; ++i) {
        next[i] = i < move.size() ? problem_->route_legs().of(move[i].rank) : problem_->route_legs().none();
    }
    while (true) {
        std::size_t set = next[0]->set() & set_mask_;
        for (std::size_t i = 1; i < Lists; ++i) set = std::min(set, next[i]->set() & set_mask_);
        if (set == RouteLeg::kNoSet) return;
        std::size_t count = row_count_;
        for (std::size_t i = 0; i < Lists; ++i) {
            for (; (next[i]->set() & set_mask_) == set; ++next[i]) {
                const RouteLeg leg = *next[i];
                const NodeId old_partner = mapping.node(leg.partner);
                NodeId new_partner = old_partner;
                bool seen = false;
                for (std::size_t j = 0; j < Lists; ++j) {
                    if (j < move.size() && move[j].rank == leg.partner) {
                        new_partner = move[j].to_node;
                        seen = j < i;  // counted from its other end
                    }
                }
                if (seen) continue;
                removed_[count] = fetched_row(leg.way(), move[i].from_node, old_partner);
                added_[count] = fetched_row(leg.way(), move[i].to_node, new_partner);
                ++count;
            }
        }
        change_set(set, count - row_count_);
    }
}

void SlicedCollisions::collect(const Mapping& mapping, const Move& move) {
    change_count_ = changed_used_ = row_count_ = 0;
    if (move.size() <= 2) {
        collect_lists<2>(mapping, move);
    } else {
        collect_lists<Move::kMost>(mapping, move);
    }
}

void SlicedCollisions::commit() {
    for (std::size_t i = 0; i < change_count_; ++i) {
        const SliceChange& change = changes_[i];
        Set& set = sets_[changed_sets_[i]];
        std::copy_n(change.changed, change.plane_count * routes_->blocks(), planes_.data() + set.first_block);
        set.largest = change.largest;
        set.excess = change.excess;
    }
    change_count_ = 0;
}

std::int64_t SlicedCollisions::count(std::size_t set, LinkId link) const {
    const std::size_t bit = routes_->bit(link);
    std::int64_t count = 0;
    for (std::size_t k = 0; k < sets_[set].most_planes; ++k) {
        const BitBlock& block = planes_[sets_[set].first_block + k * routes_->blocks() + bit / BitBlock::kBits];
        if (block.test(bit % BitBlock::kBits)) count |= std::int64_t{1} << k;
    }
    return count;
}

}  // namespace haichi
