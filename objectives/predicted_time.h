#pragma once

#include <memory>
#include <vector>

#include "objectives/link_queues.h"
#include "objectives/objective.h"
#include "objectives/rank_clocks.h"

namespace haichi {

/// predicted-time: seconds per iteration without barriers, as RankClocks predict them.
///
///     1/2 (largest clock + mean clock) after the last set + 1/16 mean over all bytes of the load of all messages
///     of the iteration on the links of their routes
///
/// The mean clock and the queues show improvements that do not make the last rank earlier. Ranks that are early in this
/// iteration wait for others in the next. Messages of different sets meet where some ranks run ahead. The mean is over
/// ranks that communicate. The weights were chosen by rank correlation with the packet simulator's time
/// (studies/objectives/README.md).
///
/// The time of an evaluation grows with the routes of the moved messages and the sizes of their sets. From the first of
/// these sets on, it also recomputes all clocks, as long as any clock differs. The smoothing term is the mean queue, of
/// which the value contains a small fraction.
class PredictedTime {
  public:
    using Value = std::int64_t;  ///< ticks * 2 * communicating ranks
    static constexpr ObjectiveInfo kInfo{.name = "predicted-time",
                                         .unit = "seconds",
                                         .sentence =
                                             "predicted time of an iteration without barriers; ranks enter the next "
                                             "set when their messages, which share links and nodes, are complete",
                                         .most_messages = 1'000'000};

    PredictedTime(const Problem& problem, const ObjectiveSpec&, const Mapping&);

    void reset(const Mapping& mapping);
    Change propose(const Mapping& mapping, const Move& move);
    void commit();
    void rollback();

    [[nodiscard]] Value value() const { return value_; }
    /// The smoothing term in ticks: the mean queue.
    [[nodiscard]] std::int64_t smoothing() const { return queue_; }
    [[nodiscard]] Value value_from_scratch(const Mapping& mapping) const;
    [[nodiscard]] std::int64_t smoothing_from_scratch(const Mapping& mapping) const;
    [[nodiscard]] std::optional<Value> lower_bound() const;
    [[nodiscard]] double in_unit(Value value) const {
        return static_cast<double>(value) / (2 * static_cast<double>(rank_count_) * messages_->ticks_per_second());
    }
    /// Ranks whose messages share the most loaded link of their set.
    void append_hot_ranks(const Mapping& mapping, std::vector<RankId>& ranks) const;

    /// Memory for stored clocks of ranks. Clocks are stored before every k-th set, with the smallest k that fits. Other
    /// clocks are recomputed.
    static constexpr std::size_t kClocksBudgetBytes = std::size_t{64} << 20;
    /// The value contains the queues with weight 1/16. The default weight of the smoothing term is 0.1, so a search
    /// adds them with weight 0.1 * 5 = 1/2 (docs/reference/objectives.md).
    static constexpr double kQueuesInSmoothing = 5;

  private:
    /// Clocks of all ranks before a set, or after the last set: now, and with the proposed move.
    struct Checkpoint {
        std::vector<std::int64_t> now;
        std::vector<std::int64_t> proposed;
        bool is_proposed = false;

        [[nodiscard]] const std::vector<std::int64_t>& last() const { return is_proposed ? proposed : now; }
    };

    [[nodiscard]] Value combine(std::span<const std::int64_t> clocks, std::int64_t queue) const;
    /// Processes the sets of the checkpoint, and writes the clocks after them to the next checkpoint.
    void pass_checkpoint(std::size_t k);
    [[nodiscard]] bool is_touched(std::size_t k) const;

    const Problem* problem_;
    std::shared_ptr<const TimedMessages> messages_;
    LinkQueues queues_;
    RankClocks clocks_;
    std::int64_t rank_count_ = 1;
    double per_message_ = 1;
    double smoothing_per_tick_ = 1;
    std::size_t sets_per_checkpoint_ = 1;
    std::vector<Checkpoint> checkpoints_;
    Value value_ = 0;

    std::vector<std::size_t> proposed_checkpoints_;
    std::vector<std::int64_t> clocks_here_, clocks_next_;
    Value value_before_ = 0;
    std::int64_t queue_ = 0;
    std::int64_t queue_before_ = 0;
};

}  // namespace haichi
