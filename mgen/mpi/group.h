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

/// The possible results of MPI_Group_compare.
enum class GroupComparison : std::uint8_t { kIdentical, kSimilar, kUnequal };

/// An immutable, shared, ordered set of ranks of the job. An evenly spaced group (MPI_COMM_WORLD, its rows and columns)
/// takes no memory beyond this object.
class Group {
  public:
    static const GroupRef& empty();
    /// The ranks start, start + stride, ..., `count` ranks in total.
    static GroupRef strided(RankId start, std::int32_t stride, std::int32_t count);
    /// The group of the given ranks in this order; `ranks` must have no duplicates. The function detects evenly spaced
    /// ranks.
    static GroupRef of(std::vector<RankId> ranks);

    [[nodiscard]] int size() const { return count_; }
    /// The rank in MPI_COMM_WORLD of member `rank`; 0 <= rank < size().
    [[nodiscard]] RankId world_rank(int rank) const {
        return table_.empty() ? RankId(start_ + rank * stride_) : table_[static_cast<std::size_t>(rank)];
    }
    /// The index in this group of a rank in MPI_COMM_WORLD; nullopt if the rank is not a member. O(1) for a strided
    /// group, otherwise O(log size).
    [[nodiscard]] std::optional<int> rank_of(RankId world) const;
    [[nodiscard]] bool contains(RankId world) const { return rank_of(world).has_value(); }
    [[nodiscard]] std::vector<RankId> world_ranks() const;

    // These work like the MPI_Group_... functions. They throw CallError (kRank, kArgument) for arguments that MPI
    // rejects.
    [[nodiscard]] GroupRef include(std::span<const int> ranks) const;
    [[nodiscard]] GroupRef exclude(std::span<const int> ranks) const;
    /// (first, last, stride), as in MPI_Group_range_incl
    using Range = std::array<int, 3>;
    [[nodiscard]] GroupRef include_ranges(std::span<const Range> ranges) const;
    [[nodiscard]] GroupRef exclude_ranges(std::span<const Range> ranges) const;

    /// The index in `other` of member `rank`; nullopt if that rank is not a member of `other`.
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
