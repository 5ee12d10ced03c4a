#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "commlog/workload/workload.h"
#include "mgen/mpi/error.h"

namespace haichi::mpi {

class Group;
using GroupRef = std::shared_ptr<const Group>;

/// What MPI_Group_compare says of two groups.
enum class GroupComparison : std::uint8_t { kIdentical, kSimilar, kUnequal };

/// Ranks of the job in an order: immutable, shared. Where they are evenly spaced, as in MPI_COMM_WORLD, its rows and
/// its columns, it takes no memory but this object.
class Group {
  public:
    static const GroupRef& empty();
    /// start, start + stride, ...: `count` of them.
    static GroupRef strided(RankId start, std::int32_t stride, std::int32_t count);
    /// In this order; no rank twice. Found to be strided if it is.
    static GroupRef of(std::vector<RankId> ranks);

    [[nodiscard]] int size() const { return count_; }
    /// The rank in the job of member `rank`, which must be one.
    [[nodiscard]] RankId world_rank(int rank) const {
        return table_.empty() ? RankId(start_ + rank * stride_) : table_[static_cast<std::size_t>(rank)];
    }
    /// Which member a rank of the job is; nullopt if none. O(1) if strided, else O(log size).
    [[nodiscard]] std::optional<int> rank_of(RankId world) const;
    [[nodiscard]] bool contains(RankId world) const { return rank_of(world).has_value(); }
    [[nodiscard]] std::vector<RankId> world_ranks() const;

    // As MPI_Group_... do; CallError (kRank, kArgument) for what they refuse.
    [[nodiscard]] GroupRef include(std::span<const int> ranks) const;
    [[nodiscard]] GroupRef exclude(std::span<const int> ranks) const;
    /// (first, last, stride) each.
    using Range = std::array<int, 3>;
    [[nodiscard]] GroupRef include_ranges(std::span<const Range> ranges) const;
    [[nodiscard]] GroupRef exclude_ranges(std::span<const Range> ranges) const;

    /// Which member of `other` a member of this one is.
    [[nodiscard]] std::optional<int> translate(int rank, const Group& other) const {
        return other.rank_of(world_rank(rank));
    }
    friend bool operator==(const Group& a, const Group& b);

  private:
    struct RankOfGroup {
        RankId world;
        std::int32_t rank;
    };

    std::int32_t start_ = 0;
    std::int32_t stride_ = 1;
    std::int32_t count_ = 0;
    std::vector<RankId> table_;          ///< if not strided
    std::vector<RankOfGroup> by_world_;  ///< the same, sorted
};

/// The members of `a`, then those of `b` that are not in `a`.
GroupRef union_of(const GroupRef& a, const GroupRef& b);
/// The members of `a` that are in `b`, or are not, in the order of `a`.
GroupRef intersection_of(const GroupRef& a, const GroupRef& b);
GroupRef difference_of(const GroupRef& a, const GroupRef& b);

GroupComparison compare(const Group& a, const Group& b);

}  // namespace haichi::mpi
