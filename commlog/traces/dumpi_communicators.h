#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "commlog/traces/dumpi_call.h"
#include "commlog/traces/traced_job.h"

namespace haichi {

/// Communicators of DUMPI traces. A rank's trace says how it made one, not with whom: that follows from the traces of
/// all ranks, read once for it before they are read for their calls.
class DumpiCommunicators {
  public:
    static constexpr std::int64_t kNull = 1, kWorld = 2, kSelf = 3;

    explicit DumpiCommunicators(TracedJob* job) : job_(job) {}

    /// First reading: to be given every call of a rank, rank by rank. Throws InputError when there are too many.
    void note(std::int32_t rank, const DumpiCall& call);
    /// After it: works out who is in which communicator of a job of so many ranks.
    void resolve(std::int32_t ranks);

    /// Second reading: the communicator that a handle means now; calls that make one are given to made() as they come.
    void begin_rank(std::int32_t rank);
    void made(const DumpiCall& call);
    [[nodiscard]] std::uint32_t of_handle(std::int64_t handle) const;
    /// Communicators whose members are not known.
    [[nodiscard]] std::uint64_t unresolved() const { return unresolved_; }
    /// Made from a group: their members' order is not known.
    [[nodiscard]] std::uint64_t unordered() const { return unordered_; }

    /// Whether a call makes a communicator by all ranks of another one.
    static bool makes(const DumpiCall& call);
    static std::int64_t old_handle(const DumpiCall& call);

  private:
    enum class How : std::uint8_t { kDuplicate, kSplit, kSubset, kGrid, kSubgrid, kUnknown };
    struct Making {
        How how = How::kUnknown;
        std::int64_t old_handle = 0, new_handle = 0;
        std::int64_t color = 0, key = 0;
        std::vector<std::int64_t> dims;  ///< of the grid, or whether each remains
        std::uint32_t result = 0;        ///< index of the job's communicator
    };
    struct RankCommunicators {
        std::size_t next = 0;
        std::unordered_map<std::int64_t, std::uint32_t> handles;
        std::unordered_map<std::uint32_t, std::uint32_t> calls_on;  ///< of a communicator, so far
    };
    static Making making_of(const DumpiCall& call);
    void make_together(const std::vector<std::int32_t>& members, std::uint32_t old);
    void advance(std::int32_t rank, std::uint32_t result);

    TracedJob* job_;
    std::map<std::int32_t, std::vector<Making>> makings_;
    std::size_t making_count_ = 0;
    std::map<std::int32_t, RankCommunicators> states_;
    std::vector<std::int32_t> movable_;                                  ///< ranks that have gone on
    std::unordered_map<std::uint32_t, std::vector<std::int64_t>> dims_;  ///< of grids
    std::uint32_t unknown_ = 0;
    std::uint64_t unresolved_ = 0, unordered_ = 0;
    std::int32_t reading_ = 0;
    std::size_t made_ = 0;
    std::unordered_map<std::int64_t, std::uint32_t> handles_;
};

}  // namespace haichi
