#include "mgen/replay/simulation.h"

#include <limits>

#include "mgen/replay/call_replay.h"
#include "mgen/replay/program_run.h"
#include "mgen/replay/schedule_replay.h"

namespace haichi {

namespace {

/// The reason why no more iterations were simulated.
std::string_view end_of_iterations(const SimulationResult& result, SimulatedIterations::Rule rule) {
    if (result.interrupted) return "interrupted";
    if (!result.extrapolated) return "all";
    if (result.reached_limit) return "limit reached before their time settled";
    if (rule == SimulatedIterations::Rule::kCount) return "as requested";
    return result.settled_by_mean ? "their mean time settled" : "their time repeated";
}

class SetProgress final : public RunProgress {
  public:
    SetProgress(const IterationClock& clock, std::int64_t iterations) : clock_(&clock), iterations_(iterations) {}
    [[nodiscard]] bool is_enough() const override { return clock_->is_settled(); }
    void tell(SimulationProgress& progress) const override {
        progress.iterations_done = clock_->done();
        progress.iterations = iterations_;
    }

  private:
    const IterationClock* clock_;
    std::int64_t iterations_;
};

SimulationResult simulate_sets(const SimulationRequest& request, const SimulationControl& control) {
    const Workload& workload = *request.workload;
    std::vector<RankId> ranks = Replay::communicating_ranks(workload);
    const bool is_silent = ranks.empty();
    IterationClock clock(static_cast<std::int32_t>(ranks.size()), workload.iterations(), request.iterations,
                         !request.replay.imbalance.differs_by_iteration());
    Replay replay(workload, request.replay, clock);
    std::vector<std::vector<RankId>> groups;
    const bool uses_barriers = std::ranges::find(request.replay.barriers, true) != request.replay.barriers.end();
    if (uses_barriers) groups.push_back(std::move(ranks));
    SimulationResult result =
        run_program(request, control, replay, SetProgress(clock, workload.iterations()), std::move(groups));
    result.iterations = workload.iterations();
    result.simulated_iterations = is_silent ? result.iterations : clock.done();
    // The rest cannot be extrapolated before an iteration has ended.
    result.extrapolated = result.simulated_iterations < result.iterations && result.simulated_iterations > 0;
    result.settled_by_mean = result.extrapolated && clock.settled_by_mean();
    result.reached_limit = result.extrapolated && clock.reached_limit();
    result.seconds = clock.seconds().value_or(result.simulated_seconds);
    result.seconds_per_iteration = result.simulated_iterations == 0
                                       ? std::numeric_limits<double>::quiet_NaN()
                                       : result.seconds / static_cast<double>(result.iterations);
    control.log.info("simulation: {} of {} iterations ({}), {} events, {} packet-hops", result.simulated_iterations,
                     result.iterations, end_of_iterations(result, request.iterations.rule), result.events,
                     result.packet_hops);
    return result;
}

template <class P>
class CallProgress final : public RunProgress {
  public:
    explicit CallProgress(const P& replay) : replay_(&replay) {}
    void tell(SimulationProgress& progress) const override {
        progress.calls_done = static_cast<std::int64_t>(replay_->calls());
    }

  private:
    const P* replay_;
};

template <class P>
SimulationResult run_calls(const SimulationRequest& request, const SimulationControl& control, P& replay,
                           std::vector<std::vector<RankId>> groups) {
    SimulationResult result = run_program(request, control, replay, CallProgress<P>(replay), std::move(groups));
    result.iterations = 1;
    result.simulated_iterations = result.interrupted ? 0 : 1;
    result.seconds = result.simulated_seconds;
    result.seconds_per_iteration = result.seconds;
    result.calls = static_cast<std::int64_t>(replay.calls());
    result.gaps.emplace();
    control.log.info("simulation: {} calls, {} events, {} packet-hops", result.calls, result.events,
                     result.packet_hops);
    return result;
}

SimulationResult simulate_calls(const SimulationRequest& request, const SimulationControl& control) {
    if (ScheduleReplay::fits(*request.log)) {
        ScheduleReplay replay(*request.log, request.calls.computing);
        return run_calls(request, control, replay, {});
    }
    CallReplayOptions options = request.calls;
    options.has_barrier_network = request.process.barrier_ps > 0;
    CallReplay replay(*request.log, options);
    SimulationResult result = run_calls(request, control, replay, replay.barrier_groups());
    result.gaps = replay.gaps();
    return result;
}

}  // namespace

std::string link_text(const LinkTraffic& traffic, const Network& network) {
    return traffic.link.valid() ? network.link_name(traffic.link) : "ejection " + network.node_name(traffic.node);
}

RunShares run_shares(const SimulationResult& result) {
    RunShares shares;
    const double all_ps = result.simulated_seconds * kPsPerSecond * static_cast<double>(result.ranks.size());
    if (all_ps <= 0) return shares;
    for (const RankTimes& rank : result.ranks) {
        shares.computing += static_cast<double>(rank.compute_ps) / all_ps;
        shares.calls += static_cast<double>(rank.call_ps) / all_ps;
        shares.waiting += static_cast<double>(rank.wait_ps) / all_ps;
    }
    return shares;
}

SimulationResult simulate(const SimulationRequest& request, const SimulationControl& control) {
    return request.log != nullptr ? simulate_calls(request, control) : simulate_sets(request, control);
}

}  // namespace haichi
