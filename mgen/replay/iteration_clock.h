#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <vector>

namespace haichi {

/// The number of a workload's iterations that are simulated. The remaining iterations are extrapolated.
struct SimulatedIterations {
    enum class Rule : std::uint8_t {
        kAll,
        kCount,  ///< the first `count` iterations
        kAuto,   ///< until the time settles (IterationClock); at most `count` iterations unless it is 0
    };
    Rule rule = Rule::kAuto;
    std::int64_t count = 0;
};

/// Records the ends of iterations. Iteration i ends when its last rank has finished it. The run settles after some
/// iteration K. K depends only on these times, not on how far individual ranks have run ahead. Ranks may report from
/// any thread.
///
/// With kAuto, the run is settled after at least ten iterations, when five in a row took the same time within 0.1 %.
/// Without barriers, ranks may drift apart in every iteration, so that the time never repeats. The mean then decides.
/// After 64, 128, 256, ... iterations, the third and the fourth quarter must agree within 1 %. If a limit comes first,
/// the mean of the second half is used, whether or not it has settled.
class IterationClock {
  public:
    /// `ranks` is the number of participating ranks, and `iterations` the total number of iterations. Without
    /// `may_repeat`, iteration times vary randomly, and only their mean can settle.
    IterationClock(std::int32_t ranks, std::int64_t iterations, const SimulatedIterations& simulated,
                   bool may_repeat = true);

    /// Maximum number of iterations that a rank has to run.
    [[nodiscard]] std::int64_t most_iterations() const { return most_; }
    /// Reports that a rank has finished iteration `iteration`, counted from 0.
    void finish(std::int64_t iteration, std::int64_t now_ps);

    [[nodiscard]] bool is_settled() const { return is_settled_.load(std::memory_order_relaxed); }
    /// Number of ended iterations, up to the settled one.
    [[nodiscard]] std::int64_t done() const { return done_.load(std::memory_order_relaxed); }
    /// The end of the last of these iterations; 0 if there is none.
    [[nodiscard]] std::int64_t end_ps() const { return ends_.back(); }
    /// The total time: end_ps() plus an estimate for iterations that were not simulated. The estimate uses the mean of
    /// the last five iterations, or of all if there are fewer. If the mean settled, a limit was reached, or iterations
    /// cannot repeat, it uses the mean of the second half. Returns nothing if no iteration has ended.
    [[nodiscard]] std::optional<double> seconds() const;
    /// True if the iteration time did not repeat but its mean settled.
    [[nodiscard]] bool settled_by_mean() const { return settled_by_mean_; }
    /// True if the time did not settle before the limit.
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
    bool may_repeat_;
    std::mutex mutex_;
    std::deque<Open> open_;  ///< from the first iteration that has not ended
    std::int64_t first_open_ = 0;
    static constexpr std::int64_t kFirstQuarter = 16;
    std::int64_t quarter_ = kFirstQuarter;      ///< iterations per quarter
    std::vector<std::int64_t> quarters_ = {0};  ///< ends of the quarters so far
    bool settled_by_mean_ = false;
    bool reached_limit_ = false;
    std::int64_t half_ps_ = 0;              ///< end of iteration most_ / 2
    std::vector<std::int64_t> ends_ = {0};  ///< ends of the last kWindow + 1 iterations, including the start of the run
    std::atomic<std::int64_t> done_{0};
    std::atomic<bool> is_settled_{false};
};

}  // namespace haichi
