#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "commlog/log/job_log.h"
#include "mgen/rank_program.h"
#include "mgen/replay/call_replay_options.h"

namespace haichi {

/// The schedules of a job's ranks (RankLog::schedule) as a program for ProcessModel. A rank has one CPU. It starts the
/// operation that became ready first; ties follow the order in the file. A send is complete when its buffer is free.
/// Memory is 4 bytes per operation.
class ScheduleReplay final : public RankProgram {
  public:
    /// `job` must outlive it. Ranks without a schedule finish at once.
    ScheduleReplay(const JobLog& job, const ReplayedComputing& computing);

    /// True if ranks of the job have schedules.
    static bool fits(const JobLog& job);

    // Overrides of RankProgram.
    [[nodiscard]] Call next(RankId rank, std::int64_t now_ps) override;
    void completed(RankId rank, std::uint32_t request, const CompletedRequest& request_is,
                   std::int64_t now_ps) override;
    [[nodiscard]] bool may_resume(RankId rank, std::uint32_t open_requests) override;
    [[nodiscard]] std::string hint_when_stuck() const override { return std::string(kHintWhenLogIsStuck); }

    /// Number of operations started so far by all ranks.
    [[nodiscard]] std::uint64_t calls() const;

  private:
    struct Rank {
        const RankSchedule* schedule = nullptr;
        std::vector<std::uint32_t> unmet;  ///< number of unmet dependencies, by operation
        std::deque<std::uint32_t> ready;
        std::int64_t computing = -1;  ///< the operation that computes; -1 if there is none
        std::uint32_t open = 0;       ///< number of open messages
        std::uint64_t started = 0;
    };

    static void release(Rank& rank, std::uint32_t operation, bool has_started);

    ReplayedComputing computing_;
    std::vector<Rank> ranks_;
};

}  // namespace haichi
