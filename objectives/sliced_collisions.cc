#include "objectives/sliced_collisions.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <span>

namespace haichi {

namespace {

/// As the kernel takes them.
std::size_t planes_for(std::int64_t largest_count) {
    const std::size_t bits = std::bit_width(static_cast<std::uint64_t>(largest_count));
    for (const std::size_t planes : {3, 5, 8}) {
        if (bits <= planes) return planes;
    }
    return SliceWork::kMostPlanes;
}

}  // namespace

std::vector<SlicedCollisions::Set> SlicedCollisions::counted_sets(const Problem& problem, Counted counted) {
    std::vector<Set> sets;
    for (std::size_t t = 0; t < problem.set_count(); ++t) {
        if (problem.set_message_count(t) == 0 && counted == Counted::kAllSetsTogether) continue;
        if (sets.empty() || counted == Counted::kPerSet)
            sets.push_back({.now = {}, .size_bytes = problem.set_largest_bytes(t)});
        Set& set = sets.back();
        set.message_count += problem.set_message_count(t);
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
        if (!set.is_uniform || set.message_count >= std::int64_t{1} << SliceWork::kMostPlanes) return false;
        blocks += set.most_planes * problem.route_rows().blocks();
    }
    return blocks <= kCounterBudgetBytes / sizeof(BitBlock);
}

SlicedCollisions::SlicedCollisions(const Problem& problem, Counted counted)
    : problem_(&problem),
      routes_(&problem.route_rows()),
      kernel_(problem.slice_kernel()),
      sets_(counted_sets(problem, counted)),
      set_mask_(counted == Counted::kPerSet ? ~std::size_t{0} : 0) {
    std::int64_t most_messages = 0;
    for (const Set& set : sets_) most_messages = std::max(most_messages, set.message_count);
    const std::size_t blocks =
        sets_.empty() ? 0 : sets_.back().first_block + sets_.back().most_planes * routes_->blocks();
    planes_.resize(blocks);
    changed_.resize(blocks);
    pending_.resize(sets_.size());
    removed_.resize(static_cast<std::size_t>(most_messages));
    added_.resize(static_cast<std::size_t>(most_messages));
}

/// Applies the first `count` of removed_ and added_ to the set's planes, into changed_, and counts the difference.
void SlicedCollisions::change_set(std::size_t set, std::size_t removed_count, std::size_t added_count) {
    const Set& current = sets_[set];
    const std::int64_t highest =
        std::min(current.now.largest + static_cast<std::int64_t>(added_count), current.message_count);
    const std::size_t row_blocks = routes_->blocks();
    SliceWork work;
    work.planes = planes_.data() + current.first_block;
    work.changed = changed_.data() + changed_used_;
    work.blocks = row_blocks;
    work.plane_count = planes_for(highest);
    work.removed = removed_.data();
    work.removed_count = removed_count;
    work.added = added_.data();
    work.added_count = added_count;
    const SliceOutcome outcome = kernel_(work);
    value_ += (outcome.largest - current.now.largest) * current.size_bytes;
    excess_ += (outcome.excess - current.now.excess) * current.size_bytes;
    const std::size_t blocks = work.plane_count * row_blocks;
    pending_[pending_count_++] = {set, blocks, outcome};
    changed_used_ += blocks;
}

void SlicedCollisions::reset(const Mapping& mapping) {
    std::ranges::fill(planes_, BitBlock{});
    value_ = excess_ = 0;
    for (Set& set : sets_) set.now = {};
    std::size_t count = 0;
    for (std::size_t t = 0; t < problem_->set_count(); ++t) {
        for (const Message& m : problem_->workload().messages(t)) {
            if (!m.crosses_network()) continue;
            added_[count++] = routes_->row(mapping.node(m.source), mapping.node(m.destination));
        }
        const bool more_in_this_one = set_mask_ == 0 && t + 1 < problem_->set_count();
        if (more_in_this_one || count == 0) continue;
        pending_count_ = 0;
        changed_used_ = 0;
        change_set(t & set_mask_, 0, count);
        commit();
        count = 0;
    }
}

void SlicedCollisions::propose(const Mapping& mapping, const Move& move) {
    value_before_ = value_;
    excess_before_ = excess_;
    pending_count_ = 0;
    changed_used_ = 0;
    // The messages of each moved rank stand in the order of their sets; the lists are merged set by set.
    struct List {
        const IncidentMessage* next;
        const IncidentMessage* end;
    };
    std::array<List, Move::static_capacity> lists;
    const std::size_t moved_count = move.size();
    for (std::size_t i = 0; i < moved_count; ++i) {
        const auto messages = problem_->incident(move[i].rank);
        lists[i] = {messages.data(), messages.data() + messages.size()};
    }
    constexpr std::size_t kNoSet = std::numeric_limits<std::size_t>::max();
    while (true) {
        std::size_t set = kNoSet;
        for (std::size_t i = 0; i < moved_count; ++i) {
            if (lists[i].next != lists[i].end) set = std::min(set, set_of(*lists[i].next));
        }
        if (set == kNoSet) break;
        std::size_t count = 0;
        for (std::size_t i = 0; i < moved_count; ++i) {
            const Relocation& moved = move[i];
            const IncidentMessage* m = lists[i].next;
            for (; m != lists[i].end && set_of(*m) == set; ++m) {
                const NodeId old_partner = mapping.node(m->partner);
                NodeId new_partner = old_partner;
                bool seen = false;
                for (std::size_t j = 0; j < moved_count; ++j) {
                    if (move[j].rank == m->partner) {
                        new_partner = move[j].to_node;
                        seen = j < i;  // counted from its other end
                    }
                }
                if (seen) continue;
                const bool outgoing = m->outgoing();
                removed_[count] =
                    route(outgoing ? moved.from_node : old_partner, outgoing ? old_partner : moved.from_node);
                added_[count] = route(outgoing ? moved.to_node : new_partner, outgoing ? new_partner : moved.to_node);
                ++count;
            }
            lists[i].next = m;
        }
        change_set(set, count, count);
    }
}

void SlicedCollisions::commit() {
    const BitBlock* changed = changed_.data();
    for (std::size_t i = 0; i < pending_count_; ++i) {
        const Pending& pending = pending_[i];
        Set& set = sets_[pending.set];
        std::copy_n(changed, pending.blocks, planes_.data() + set.first_block);
        changed += pending.blocks;
        set.now = pending.outcome;
    }
    pending_count_ = 0;
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
