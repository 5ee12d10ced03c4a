#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "commlog/traces/dumpi_call.h"
#include "commlog/traces/traced_job.h"

namespace haichi {

/// Determines the communicators of DUMPI traces. The trace of a rank states how the rank created a communicator, but
/// not which other members it has. The members follow from the traces of all ranks, which are therefore read once
/// before their calls are converted.
class DumpiCommunicators {
  public:
    static constexpr std::int64_t kNull = 1, kWorld = 2, kSelf = 3;

    explicit DumpiCommunicators(TracedJob* job) : job_(job) {}

    /// First pass: pass every call of a rank to it, one rank after the other. Throws InputError if there are too many
    /// communicators.
    void note(std::int32_t rank, const DumpiCall& call);
    /// After the first pass: determines the members of all communicators of a job with `ranks` ranks.
    void resolve(std::int32_t ranks);

    /// Second pass: of_handle() returns the current communicator of a handle. Pass each call that creates a
    /// communicator to made().
    void begin_rank(std::int32_t rank);
    void made(const DumpiCall& call);
    [[nodiscard]] std::uint32_t of_handle(std::int64_t handle) const;
    /// Returns the number of communicators whose members are unknown.
    [[nodiscard]] std::uint64_t unresolved() const { return unresolved_; }
    /// Returns the number of communicators that were created from a group, so that the order of their members is
    /// unknown.
    [[nodiscard]] std::uint64_t unordered() const { return unordered_; }

    /// Returns true if this call creates a communicator and is collective over an existing one.
    static bool makes(const DumpiCall& call);
    static std::int64_t old_handle(const DumpiCall& call);

  private:
    enum class How : std::uint8_t { kDuplicate, kSplit, kSubset, kGrid, kSubgrid, kUnknown };
    struct Making {
        How how = How::kUnknown;
        std::int64_t old_handle = 0, new_handle = 0;
        std::int64_t color = 0, key = 0;
        std::vector<std::int64_t> dims;  ///< sizes of a grid; for a subgrid, 1 for each dimension that remains
        std::uint32_t result = 0;        ///< index in JobLog::communicators
    };
    struct RankCommunicators {
        std::size_t next = 0;
        std::unordered_map<std::int64_t, std::uint32_t> handles;
        std::unordered_map<std::uint32_t, std::uint32_t> calls_on;  ///< number of calls so far, by communicator
    };
    static Making making_of(const DumpiCall& call);
    void make_together(const std::vector<std::int32_t>& members, std::uint32_t old);
    void advance(std::int32_t rank, std::uint32_t result);

    TracedJob* job_;
    std::map<std::int32_t, std::vector<Making>> makings_;
    std::size_t making_count_ = 0;
    std::map<std::int32_t, RankCommunicators> states_;
    std::vector<std::int32_t> movable_;                                  ///< ranks that have advanced to another call
    std::unordered_map<std::uint32_t, std::vector<std::int64_t>> dims_;  ///< sizes of grids, by communicator
    std::uint32_t unknown_ = 0;
    std::uint64_t unresolved_ = 0, unordered_ = 0;
    std::int32_t reading_ = 0;
    std::size_t made_ = 0;
    std::unordered_map<std::int64_t, std::uint32_t> handles_;
};

}  // namespace haichi
