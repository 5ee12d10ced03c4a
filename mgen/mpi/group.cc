#include "mgen/mpi/group.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>

namespace haichi::mpi {

namespace {

[[noreturn]] void refuse_rank(int rank, int size) {
    throw CallError(ErrorClass::kRank,
                    "invalid rank: " + std::to_string(rank) + " (the group has " + std::to_string(size) + " ranks)");
}

/// Marks the members `ranks` of a group of `size` ranks. Throws CallError for duplicates.
std::vector<bool> marked(std::span<const int> ranks, int size) {
    std::vector<bool> is_named(static_cast<std::size_t>(size), false);
    for (const int rank : ranks) {
        if (rank < 0 || rank >= size) refuse_rank(rank, size);
        if (is_named[static_cast<std::size_t>(rank)]) {
            throw CallError(ErrorClass::kRank, "duplicate rank: " + std::to_string(rank));
        }
        is_named[static_cast<std::size_t>(rank)] = true;
    }
    return is_named;
}

std::vector<int> ranks_of(std::span<const Group::Range> ranges, int size) {
    std::vector<int> ranks;
    for (const auto& [first, last, stride] : ranges) {
        if (first < 0 || first >= size) refuse_rank(first, size);
        if (stride == 0 || (stride > 0 ? last < first : last > first)) {
            throw CallError(ErrorClass::kArgument, "invalid range of ranks: " + std::to_string(first) + " to " +
                                                       std::to_string(last) + " with a stride of " +
                                                       std::to_string(stride));
        }
        const std::int64_t steps = (std::int64_t{last} - first) / stride;
        const std::int64_t final_rank = first + steps * stride;
        if (final_rank < 0 || final_rank >= size) refuse_rank(static_cast<int>(final_rank), size);
        for (std::int64_t i = 0; i <= steps; ++i) ranks.push_back(static_cast<int>(first + i * stride));
    }
    return ranks;
}

}  // namespace

const GroupRef& Group::empty() {
    // Never destroyed, because it is created on the first rank's request and must outlive that rank.
    static const auto* const kEmpty = new GroupRef(std::make_shared<const Group>());
    return *kEmpty;
}

GroupRef Group::strided(RankId start, std::int32_t stride, std::int32_t count) {
    if (count == 0) return empty();
    Group group;
    group.start_ = start.value;
    group.stride_ = count == 1 ? 1 : stride;
    group.count_ = count;
    return std::make_shared<const Group>(std::move(group));
}

GroupRef Group::of(std::vector<RankId> ranks) {
    if (ranks.empty()) return empty();
    const auto count = static_cast<std::int32_t>(ranks.size());
    const std::int32_t start = ranks[0].value;
    const std::int32_t stride = count == 1 ? 1 : ranks[1].value - start;
    std::int64_t expected = start;
    const bool is_strided = std::ranges::all_of(ranks, [&](RankId rank) {
        const bool fits = rank.value == expected;
        expected += stride;
        return fits;
    });
    if (is_strided) return strided(RankId(start), stride, count);
    Group group;
    group.count_ = count;
    group.by_world_.reserve(ranks.size());
    for (std::int32_t i = 0; i < count; ++i) group.by_world_.push_back({ranks[static_cast<std::size_t>(i)], i});
    std::ranges::sort(group.by_world_, {}, &RankOfGroup::world);
    ranks.shrink_to_fit();
    group.table_ = std::move(ranks);
    return std::make_shared<const Group>(std::move(group));
}

std::optional<int> Group::rank_of(RankId world) const {
    if (table_.empty()) {
        if (count_ == 0) return std::nullopt;
        const std::int32_t distance = world.value - start_;
        if (distance % stride_ != 0) return std::nullopt;
        const std::int32_t rank = distance / stride_;
        return rank >= 0 && rank < count_ ? std::optional<int>(rank) : std::nullopt;
    }
    const auto found = std::ranges::lower_bound(by_world_, world, {}, &RankOfGroup::world);
    if (found == by_world_.end() || found->world != world) return std::nullopt;
    return found->rank;
}

std::vector<RankId> Group::world_ranks() const {
    if (!table_.empty()) return table_;
    std::vector<RankId> ranks;
    ranks.reserve(static_cast<std::size_t>(count_));
    for (int i = 0; i < count_; ++i) ranks.push_back(world_rank(i));
    return ranks;
}

GroupRef Group::include(std::span<const int> ranks) const {
    marked(ranks, count_);
    std::vector<RankId> members;
    members.reserve(ranks.size());
    for (const int rank : ranks) members.push_back(world_rank(rank));
    return of(std::move(members));
}

GroupRef Group::exclude(std::span<const int> ranks) const {
    const std::vector<bool> is_out = marked(ranks, count_);
    std::vector<RankId> members;
    for (int i = 0; i < count_; ++i) {
        if (!is_out[static_cast<std::size_t>(i)]) members.push_back(world_rank(i));
    }
    return of(std::move(members));
}

GroupRef Group::include_ranges(std::span<const Range> ranges) const { return include(ranks_of(ranges, count_)); }

GroupRef Group::exclude_ranges(std::span<const Range> ranges) const { return exclude(ranks_of(ranges, count_)); }

bool operator==(const Group& a, const Group& b) {
    if (a.count_ != b.count_) return false;
    if (a.count_ == 0) return true;
    // of() recognises every strided group, so a strided group never equals a group with a table.
    return a.start_ == b.start_ && a.stride_ == b.stride_ && a.table_ == b.table_;
}

GroupRef union_of(const GroupRef& a, const GroupRef& b) {
    std::vector<RankId> added;
    for (int i = 0; i < b->size(); ++i) {
        if (!a->contains(b->world_rank(i))) added.push_back(b->world_rank(i));
    }
    if (added.empty()) return a;
    std::vector<RankId> members = a->world_ranks();
    members.insert(members.end(), added.begin(), added.end());
    return Group::of(std::move(members));
}

namespace {

/// Returns the members of `a` for which b.contains() returns `wanted`.
GroupRef those_of(const GroupRef& a, const Group& b, bool wanted) {
    std::vector<RankId> members;
    for (int i = 0; i < a->size(); ++i) {
        if (b.contains(a->world_rank(i)) == wanted) members.push_back(a->world_rank(i));
    }
    return members.size() == static_cast<std::size_t>(a->size()) ? a : Group::of(std::move(members));
}

}  // namespace

GroupRef intersection_of(const GroupRef& a, const GroupRef& b) { return those_of(a, *b, true); }

GroupRef difference_of(const GroupRef& a, const GroupRef& b) { return those_of(a, *b, false); }

GroupComparison compare(const Group& a, const Group& b) {
    if (a == b) return GroupComparison::kIdentical;
    if (a.size() != b.size()) return GroupComparison::kUnequal;
    for (int i = 0; i < a.size(); ++i) {
        if (!b.contains(a.world_rank(i))) return GroupComparison::kUnequal;
    }
    return GroupComparison::kSimilar;
}

}  // namespace haichi::mpi
