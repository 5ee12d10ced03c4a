#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <vector>

namespace haichi {

/// How many of a workload's iterations are simulated; the rest is multiplied.
struct SimulatedIterations {
    enum class Rule : std::uint8_t {
        kAll,
        kCount,  ///< the first `count`
        kAuto,   ///< until the iteration time settles, see IterationClock; at most `count`, where that is not 0
    };
    Rule rule = Rule::kAuto;
    std::int64_t count = 0;
};

/// When iterations end: iteration i when its last rank has finished it. The run is settled after K iterations, where K
/// depends on these times alone, not on how far ranks have run ahead. Ranks may report from any thread.
///
/// By kAuto it is settled when, after ten iterations at least, five in a row took the same time within 0.1 %. Without
/// barriers ranks may slide into each other anew in every iteration, and their time never repeats; then its mean
/// decides: after 64, 128, 256, .. iterations, the third and the fourth quarter must agree within 1 %. Where a limit
/// comes first, the mean of the second half decides, settled or not.
class IterationClock {
  public:
    /// `ranks` take part; there are `iterations` in all.
    IterationClock(std::int32_t ranks, std::int64_t iterations, const SimulatedIterations& simulated);

    /// Iterations that a rank has to run at most.
    [[nodiscard]] std::int64_t most_iterations() const { return most_; }
    /// A rank has finished its iteration number `iteration` (from 0).
    void finish(std::int64_t iteration, std::int64_t now_ps);

    [[nodiscard]] bool is_settled() const { return is_settled_.load(std::memory_order_relaxed); }
    /// Iterations that have ended, up to the settled one.
    [[nodiscard]] std::int64_t done() const { return done_.load(std::memory_order_relaxed); }
    /// The end of the last of these; 0 without any.
    [[nodiscard]] std::int64_t end_ps() const { return ends_.back(); }
    /// end_ps() and, for the iterations that were not simulated, the mean of the last five (or of all, when there are
    /// fewer; or of the second half, when that has settled it, or a limit has). Nothing when no iteration has ended.
    [[nodiscard]] std::optional<double> seconds() const;
    /// The iteration time did not repeat, but its mean settled.
    [[nodiscard]] bool settled_by_mean() const { return settled_by_mean_; }
    /// The time did not settle before the limit.
    [[nodiscard]] bool reached_limit() const { return reached_limit_; }

  private:
    static constexpr std::int64_t kWindow = 5;
    static constexpr std::int64_t kLeast = 10;

    struct Open {
        std::int32_t ranks = 0;
        std::int64_t last_ps = 0;
    };

    void end_iteration(std::int64_t end_ps);
    [[nodiscard]] bool repeats() const;
    bool mean_settles(std::int64_t end_ps);

    std::int32_t ranks_;
    std::int64_t iterations_;
    std::int64_t most_;
    bool by_time_;
    std::mutex mutex_;
    std::deque<Open> open_;  ///< from the first that has not ended
    std::int64_t first_open_ = 0;
    static constexpr std::int64_t kFirstQuarter = 16;
    std::int64_t quarter_ = kFirstQuarter;      ///< iterations
    std::vector<std::int64_t> quarters_ = {0};  ///< ends of the quarters so far
    bool settled_by_mean_ = false;
    bool reached_limit_ = false;
    std::int64_t half_ps_ = 0;              ///< end of iteration most_ / 2
    std::vector<std::int64_t> ends_ = {0};  ///< of the last kWindow + 1, the start of the run included
    std::atomic<std::int64_t> done_{0};
    std::atomic<bool> is_settled_{false};
};

}  // namespace haichi
