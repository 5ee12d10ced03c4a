#include "mgen/replay/schedule_replay.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/errors.h"
#include "mgen/process_options.h"

namespace haichi {

bool ScheduleReplay::fits(const JobLog& job) {
    return std::ranges::any_of(job.ranks, [](const RankLog& rank) { return rank.schedule != nullptr; });
}

ScheduleReplay::ScheduleReplay(const JobLog& job, const ReplayedComputing& computing)
    : computing_(computing), ranks_(static_cast<std::size_t>(job.rank_count)) {
    for (const RankLog& log : job.ranks) {
        if (log.schedule == nullptr) continue;
        Rank& rank = ranks_[static_cast<std::size_t>(log.rank)];
        rank.schedule = log.schedule.get();
        const auto operations = static_cast<std::uint32_t>(rank.schedule->operations().size());
        rank.unmet.assign(operations, 0);
        for (std::uint32_t i = 0; i < operations; ++i) {
            for (const RankSchedule::Later& later : rank.schedule->later_than(i)) ++rank.unmet[later.operation];
        }
        for (std::uint32_t i = 0; i < operations; ++i) {
            if (rank.unmet[i] == 0) rank.ready.push_back(i);
        }
    }
}

/// Releases the operations that wait for the start of `operation`, or for its end.
void ScheduleReplay::release(Rank& rank, std::uint32_t operation, bool has_started) {
    for (const RankSchedule::Later& later : rank.schedule->later_than(operation)) {
        if ((later.started_is_enough != 0) != has_started) continue;
        if (--rank.unmet[later.operation] == 0) rank.ready.push_back(later.operation);
    }
}

Call ScheduleReplay::next(RankId id, std::int64_t) {
    Rank& rank = ranks_[id.index()];
    if (rank.computing >= 0) release(rank, static_cast<std::uint32_t>(std::exchange(rank.computing, -1)), false);
    while (!rank.ready.empty()) {
        const std::uint32_t number = rank.ready.front();
        rank.ready.pop_front();
        ++rank.started;
        const ScheduledOperation& operation = rank.schedule->operations()[number];
        release(rank, number, true);
        if (operation.kind == ScheduledOperation::Kind::kCompute) {
            const bool computes = computing_.rule != ReplayedComputing::Rule::kNone;
            const double time_ps = computes ? static_cast<double>(operation.amount) /
                                                  rank.schedule->ticks_per_second() * computing_.factor * 1e12
                                            : 0;
            if (time_ps > static_cast<double>(kLongestSimulationPs)) {
                throw InputError("rank " + std::to_string(id.value) + " computes for too long to simulate",
                                 "reduce the computation time to at most 26 days");
            }
            rank.computing = number;
            return Call::compute(std::llround(time_ps));
        }
        ++rank.open;
        const auto bytes = static_cast<std::int64_t>(operation.amount);
        if (operation.kind == ScheduledOperation::Kind::kSend) {
            SendOptions options;
            options.nic = operation.nic;
            return Call::send(RankId(operation.peer), bytes, operation.tag, options, number);
        }
        const std::int32_t tag = (operation.flags & kAnyTag) != 0 ? Call::kAnyTag : operation.tag;
        return Call::receive(operation.peer < 0 ? RankId() : RankId(operation.peer), bytes, tag, number);
    }
    return rank.open > 0 ? Call::park() : Call::finish();
}

void ScheduleReplay::completed(RankId id, std::uint32_t request, const CompletedRequest&, std::int64_t) {
    Rank& rank = ranks_[id.index()];
    --rank.open;
    release(rank, request, false);
}

bool ScheduleReplay::may_resume(RankId id, std::uint32_t /*open_requests*/) {
    const Rank& rank = ranks_[id.index()];
    return rank.open == 0 || !rank.ready.empty();
}

std::uint64_t ScheduleReplay::calls() const {
    std::uint64_t sum = 0;
    for (const Rank& rank : ranks_) sum += rank.started;
    return sum;
}

}  // namespace haichi
