#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "commlog/traces/dumpi_call.h"
#include "commlog/traces/traced_job.h"

namespace haichi {

/// The communicators of DUMPI traces. A rank's trace states how it made a communicator, but not the other members. They
/// follow from the traces of all ranks, which are read once for this purpose before their calls are read.
class DumpiCommunicators {
  public:
    static constexpr std::int64_t kNull = 1, kWorld = 2, kSelf = 3;

    explicit DumpiCommunicators(TracedJob* job) : job_(job) {}

    /// First reading: call it with every call of a rank, rank by rank. Throws InputError if there are too many
    /// communicators.
    void note(std::int32_t rank, const DumpiCall& call);
    /// After the first reading: determines the members of all communicators in a job of `ranks` ranks.
    void resolve(std::int32_t ranks);

    /// Second reading: of_handle() returns the current communicator of a handle. Pass each call that makes one to
    /// made().
    void begin_rank(std::int32_t rank);
    void made(const DumpiCall& call);
    [[nodiscard]] std::uint32_t of_handle(std::int64_t handle) const;
    /// Number of communicators with unknown members.
    [[nodiscard]] std::uint64_t unresolved() const { return unresolved_; }
    /// Number of communicators made from a group, whose members have an unknown order.
    [[nodiscard]] std::uint64_t unordered() const { return unordered_; }

    /// Returns whether all ranks of one communicator make another one with this call.
    static bool makes(const DumpiCall& call);
    static std::int64_t old_handle(const DumpiCall& call);

  private:
    enum class How : std::uint8_t { kDuplicate, kSplit, kSubset, kGrid, kSubgrid, kUnknown };
    struct Making {
        How how = How::kUnknown;
        std::int64_t old_handle = 0, new_handle = 0;
        std::int64_t color = 0, key = 0;
        std::vector<std::int64_t> dims;  ///< sizes of the grid, or whether each dimension remains
        std::uint32_t result = 0;        ///< index in the job's communicators
    };
    struct RankCommunicators {
        std::size_t next = 0;
        std::unordered_map<std::int64_t, std::uint32_t> handles;
        std::unordered_map<std::uint32_t, std::uint32_t> calls_on;  ///< calls so far, by communicator
    };
    static Making making_of(const DumpiCall& call);
    void make_together(const std::vector<std::int32_t>& members, std::uint32_t old);
    void advance(std::int32_t rank, std::uint32_t result);

    TracedJob* job_;
    std::map<std::int32_t, std::vector<Making>> makings_;
    std::size_t making_count_ = 0;
    std::map<std::int32_t, RankCommunicators> states_;
    std::vector<std::int32_t> movable_;                                  ///< ranks that have advanced
    std::unordered_map<std::uint32_t, std::vector<std::int64_t>> dims_;  ///< sizes of grids
    std::uint32_t unknown_ = 0;
    std::uint64_t unresolved_ = 0, unordered_ = 0;
    std::int32_t reading_ = 0;
    std::size_t made_ = 0;
    std::unordered_map<std::int64_t, std::uint32_t> handles_;
};

}  // namespace haichi
