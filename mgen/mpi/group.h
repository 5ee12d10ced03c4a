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

/// The results of MPI_Group_compare.
enum class GroupComparison : std::uint8_t { kIdentical, kSimilar, kUnequal };

/// An ordered set of ranks in the job, immutable and shared. A group of evenly spaced ranks, such as MPI_COMM_WORLD,
/// its rows and columns, takes no memory besides this object.
class Group {
  public:
    static const GroupRef& empty();
    /// `count` ranks: start, start + stride, ...
    static GroupRef strided(RankId start, std::int32_t stride, std::int32_t count);
    /// The given ranks in this order, without duplicates. Strided ranks are recognised.
    static GroupRef of(std::vector<RankId> ranks);

    [[nodiscard]] int size() const { return count_; }
    /// The rank in the job of member `rank`; 0 <= rank < size().
    [[nodiscard]] RankId world_rank(int rank) const {
        return table_.empty() ? RankId(start_ + rank * stride_) : table_[static_cast<std::size_t>(rank)];
    }
    /// The index of a rank of the job in this group; nullopt if it is not a member. O(1) if strided, else O(log size).
    [[nodiscard]] std::optional<int> rank_of(RankId world) const;
    [[nodiscard]] bool contains(RankId world) const { return rank_of(world).has_value(); }
    [[nodiscard]] std::vector<RankId> world_ranks() const;

    // Like the MPI_Group_... functions. They throw CallError (kRank, kArgument) for arguments that those reject.
    [[nodiscard]] GroupRef include(std::span<const int> ranks) const;
    [[nodiscard]] GroupRef exclude(std::span<const int> ranks) const;
    /// (first, last, stride)
    using Range = std::array<int, 3>;
    [[nodiscard]] GroupRef include_ranges(std::span<const Range> ranges) const;
    [[nodiscard]] GroupRef exclude_ranges(std::span<const Range> ranges) const;

    /// The rank in `other` of member `rank`; nullopt if it is not a member there.
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
    std::vector<RankId> table_;          ///< empty if strided
    std::vector<RankOfGroup> by_world_;  ///< the same ranks, sorted
};

/// The members of `a`, then the members of `b` that are not in `a`.
GroupRef union_of(const GroupRef& a, const GroupRef& b);
/// The members of `a` that are in `b` (intersection) or not in `b` (difference), in the order of `a`.
GroupRef intersection_of(const GroupRef& a, const GroupRef& b);
GroupRef difference_of(const GroupRef& a, const GroupRef& b);

GroupComparison compare(const Group& a, const Group& b);

}  // namespace haichi::mpi
