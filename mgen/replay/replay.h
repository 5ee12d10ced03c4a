#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"
#include "commlog/workload/workload.h"
#include "mgen/rank_program.h"
#include "mgen/replay/iteration_clock.h"

namespace haichi {

/// Uneven computation times of ranks. Before a set, a rank computes for (1 + share * (2u - 1)) times the set's
/// computation time, plus u times most_ps. The number u is uniform in [0, 1) and drawn for each rank and each set.
///
/// If interval_ps is set, most_ps is the longest interruption of a rank instead. Times between the beginnings of two
/// interruptions are uniform in [0, 2 interval_ps), and their lengths in [0, most_ps). Before a set, a rank spends the
/// time of all interruptions since its previous set.
struct ComputeImbalance {
    double share = 0;          ///< 0 to 1
    std::int64_t most_ps = 0;  ///< for communicating ranks, even in sets without computation
    std::uint64_t seed = 1;
    bool varies = false;           ///< u is drawn for each iteration, too
    std::int64_t interval_ps = 0;  ///< mean time between interruptions, at least most_ps; 0 for a delay before each set

    [[nodiscard]] bool is_even() const { return share == 0 && most_ps == 0; }
    /// True if computation times differ by iteration, so that equal iteration times are a coincidence.
    [[nodiscard]] bool differs_by_iteration() const { return !is_even() && (varies || interval_ps > 0); }
};

/// Options for replaying a workload.
struct ReplayOptions {
    std::vector<bool> barriers{};  ///< by set, whether all ranks wait for each other before it; empty for no barriers
    ComputeImbalance imbalance{};
};

/// A workload as a program for ProcessModel. In every set, a rank computes and, at a barrier, waits for all others. It
/// then posts its receives, posts its sends in order, and waits for all of them. In a set that uses put, it puts its
/// messages in order, polls for incoming puts, and waits until its own are complete. A rank without messages in a set
/// only computes and joins the barrier. A rank without any messages does nothing. Without barriers between sets, ranks
/// drift apart. Memory is 8 bytes per message and a few dozen bytes per rank. A rank skips sets in which it has no
/// messages, so these sets cost nothing unless they have a barrier.
class Replay final : public RankProgram {
  public:
    /// `workload` and `clock` must outlive it. Barriers use group 0, which contains communicating_ranks(). Throws
    /// InputError for a computation time that is too long to simulate. Throws OptionError if there is not one barrier
    /// entry per set, or if the imbalance is out of range.
    Replay(const Workload& workload, const ReplayOptions& options, IterationClock& clock);

    /// The ranks that have messages; IterationClock counts these ranks.
    static std::vector<RankId> communicating_ranks(const Workload& workload);

    [[nodiscard]] Call next(RankId rank, std::int64_t now_ps) override;

  private:
    enum class Step : std::uint8_t { kStart, kCompute, kBarrier, kReceive, kSend, kPoll, kWait };
    struct Position {
        std::int64_t iteration = 0;
        std::uint32_t set = 0;
        std::uint32_t send = 0;  ///< index among the rank's own messages
        std::uint32_t receive = 0;
        Step step = Step::kStart;
        bool has_posted = false;  ///< in the current set
    };
    struct Interruptions {
        Random random;
        std::int64_t next_ps;
    };
    /// The messages of each rank in order: `first` has the index of each rank's first entry in `messages`.
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
    [[nodiscard]] std::int64_t compute_ps(RankId rank, const Position& at, std::int64_t now_ps);
    [[nodiscard]] std::int64_t interrupted_ps(Interruptions& rank, std::int64_t now_ps) const;

    const Workload* workload_;
    std::vector<bool> has_barrier_;  ///< by set
    ComputeImbalance imbalance_;
    IterationClock* clock_;
    Lists sends_;
    Lists receives_;
    std::vector<std::int64_t> compute_ps_;  ///< by set
    std::vector<std::uint32_t> next_stop_;  ///< by set, the next set in which every rank has to stop
    std::vector<Position> positions_;
    std::vector<Interruptions> interruptions_;  ///< by rank; empty without an interval
};

}  // namespace haichi
