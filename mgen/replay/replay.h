#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "commlog/workload/workload.h"
#include "mgen/rank_program.h"
#include "mgen/replay/iteration_clock.h"

namespace haichi {

/// Ranks that compute unevenly, in every iteration alike: before a set, a rank computes for
/// (1 + share * (2u - 1)) times the set's computing time, and for u times most_ps besides. u, uniform in [0, 1), is
/// drawn for each rank and each set.
struct ComputeImbalance {
    double share = 0;          ///< 0 to 1
    std::int64_t most_ps = 0;  ///< of the communicating ranks, whether the set computes or not
    std::uint64_t seed = 1;
};

/// How a workload is replayed.
struct ReplayOptions {
    std::vector<bool> barriers{};  ///< by set: all ranks wait for each other before it; empty: nowhere
    ComputeImbalance imbalance{};
};

/// A workload as a program for ProcessModel. In every set a rank computes, at a barrier waits for all others, posts
/// its receives, then its sends in order, and waits for them. In a set by put it puts its messages in order, polls for
/// those that it gets, and waits until its own are complete. Without messages in a set it does nothing there, but it
/// computes, and comes to the barriers, if it has messages in any. Sets follow each other without barriers: ranks slide
/// apart. 8 bytes a message and some dozen a rank; a rank steps from message to message, so a set that it has no part
/// in costs nothing, unless it has a barrier.
class Replay final : public RankProgram {
  public:
    /// `workload` and `clock` must outlive it. Barriers are those of group 0, of communicating_ranks(). Throws
    /// InputError for a computing time that is too long to simulate, OptionError for barriers that are not one for
    /// each set, and an imbalance out of range.
    Replay(const Workload& workload, const ReplayOptions& options, IterationClock& clock);

    /// Ranks with messages. What IterationClock has to count.
    static std::vector<RankId> communicating_ranks(const Workload& workload);

    [[nodiscard]] Call next(RankId rank, std::int64_t now_ps) override;

  private:
    enum class Step : std::uint8_t { kStart, kCompute, kBarrier, kReceive, kSend, kPoll, kWait };
    struct Position {
        std::int64_t iteration = 0;
        std::uint32_t set = 0;
        std::uint32_t send = 0;  ///< among the rank's own
        std::uint32_t receive = 0;
        Step step = Step::kStart;
        bool has_posted = false;  ///< in this set
    };
    /// The messages of each rank, in their order: by rank the first and, behind it, the numbers.
    struct Lists {
        std::vector<std::uint32_t> first;
        std::vector<std::uint32_t> messages;
        [[nodiscard]] std::span<const std::uint32_t> of(RankId rank) const {
            return std::span(messages).subspan(first[rank.index()], first[rank.index() + 1] - first[rank.index()]);
        }
    };
    static Lists lists_by(const Workload& workload, RankId Message::*end);

    void enter_next_set(RankId rank, Position& at, std::uint32_t from) const;
    [[nodiscard]] const Message& message(std::uint32_t number) const { return workload_->messages()[number]; }
    [[nodiscard]] std::int32_t put_tag(const Position& at) const;
    [[nodiscard]] std::int64_t compute_ps(RankId rank, std::uint32_t set) const;

    const Workload* workload_;
    std::vector<bool> has_barrier_;  ///< by set
    ComputeImbalance imbalance_;
    IterationClock* clock_;
    Lists sends_;
    Lists receives_;
    std::vector<std::int64_t> compute_ps_;  ///< by set
    std::vector<std::uint32_t> next_stop_;  ///< by set: the first from there on where every rank has to stop
    std::vector<Position> positions_;
};

}  // namespace haichi
