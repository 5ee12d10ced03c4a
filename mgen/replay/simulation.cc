#include "mgen/replay/simulation.h"

#include <algorithm>
#include <chrono>
#include <limits>

#include "mgen/process_model.h"
#include "mgen/replay/schedule_replay.h"

namespace haichi {

namespace {

using Clock = std::chrono::steady_clock;

constexpr double kPsPerS = 1e12;
constexpr const char* kHintWhenStuck =
    "the calls of the log do not fit together, as in traces that say nothing of communicators; --as sets simulates the "
    "communication sets of its kernel";

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// How far a run is, and whether that is enough.
class RunProgress {
  public:
    virtual ~RunProgress() = default;
    [[nodiscard]] virtual bool is_enough() const { return false; }
    virtual void tell(SimulationProgress& progress) const = 0;
};

/// Asked by the engine whether to go on; tells the progress on the way.
template <class Model>
class Watch {
  public:
    Watch(const SimulationControl& control, const RunProgress& run, const Model& model)
        : control_(&control), run_(&run), model_(&model) {}

    bool may_go_on() {
        if (run_->is_enough()) return false;
        if (control_->stop != nullptr && control_->stop->load()) {
            was_stopped_ = true;
            return false;
        }
        if (control_->progress) tell_progress();
        return true;
    }
    [[nodiscard]] bool was_stopped() const { return was_stopped_; }

  private:
    void tell_progress() {
        constexpr double kIntervalSeconds = 0.2;
        const double now = seconds_since(start_);
        if (now - told_ < kIntervalSeconds) return;
        const std::int64_t hops = model_->engine().counts().packet_hops;
        SimulationProgress progress;
        progress.simulated_seconds = static_cast<double>(model_->engine().window_end_ps()) / kPsPerS;
        progress.packet_hops = hops;
        progress.packet_hops_per_second = static_cast<double>(hops - told_hops_) / (now - told_);
        run_->tell(progress);
        control_->progress(progress);
        told_ = now;
        told_hops_ = hops;
    }

    const SimulationControl* control_;
    const RunProgress* run_;
    const Model* model_;
    Clock::time_point start_ = Clock::now();
    double told_ = 0;
    std::int64_t told_hops_ = 0;
    bool was_stopped_ = false;
};

template <class Model>
void describe_links(const SimulationRequest& request, const Model& model, SimulationResult& result) {
    const PacketPorts& ports = model.engine().ports();
    const std::vector<std::int64_t> bytes = model.engine().bytes_passed();
    const double seconds = result.simulated_seconds;
    const auto links = static_cast<std::size_t>(ports.link_count());
    const std::size_t channels_per_node =
        (bytes.size() - links) / static_cast<std::size_t>(request.network->node_count());
    double bandwidths = 0;
    double efficiencies = 0;
    std::vector<LinkTraffic> used;
    for (std::size_t o = 0; o < bytes.size(); ++o) {
        const bool is_link = o < links;
        if (is_link && ports.link_source()[o].valid()) ++result.existing_links;
        if (bytes[o] == 0) continue;
        LinkTraffic traffic;
        if (is_link) {
            traffic.link = LinkId(o);
        } else {
            traffic.node = NodeId((o - links) / channels_per_node);
        }
        traffic.bytes = bytes[o];
        const double mean = seconds > 0 ? static_cast<double>(bytes[o]) / seconds : 0;
        traffic.efficiency =
            mean / static_cast<double>(ports.classes()[ports.class_of_output()[o]].bandwidth_bytes_per_s);
        if (is_link) {
            ++result.used_links;
            bandwidths += mean;
            efficiencies += traffic.efficiency;
            if (traffic.efficiency > SimulationResult::kSaturated) ++result.saturated_links;
        }
        used.push_back(traffic);
    }
    const auto quotient = [](double sum, std::int64_t count) {
        return count > 0 ? sum / static_cast<double>(count) : 0;
    };
    result.mean_link_bandwidth_bytes_per_s = quotient(bandwidths, result.used_links);
    result.link_efficiency = quotient(efficiencies, result.existing_links);
    result.used_link_efficiency = quotient(efficiencies, result.used_links);
    const auto listed = static_cast<std::ptrdiff_t>(std::min(request.hottest_links, used.size()));
    // Of equal ones the first stays first: `used` is in the order of the ports.
    std::ranges::stable_sort(used, std::greater<>(), &LinkTraffic::efficiency);
    result.hottest_links.assign(used.begin(), used.begin() + listed);
}

template <class Model>
void log_begin(const Model& model, bool uses_barriers, const Log& log) {
    if (!log.enabled(LogLevel::kInfo)) return;
    const auto& engine = model.engine();
    const PacketMachine& machine = engine.machine();
    log.info("simulation: {} ranks {} barriers, {} partitions of the machine, windows of {} ps, {} virtual channels",
             model.rank_count(), uses_barriers ? "with" : "without", machine.partition_count(), engine.window_ps(),
             machine.vcs);
    log.debug("simulation: {} channels needed by the routes, {} bytes of state, {}", machine.virtual_channels.needed(),
              engine.memory_bytes(),
              machine.steps ? "packets are steered by coordinates" : "each message holds its route");
    if (!log.enabled(LogLevel::kTrace) || machine.partition_count() == 1) return;
    std::vector<std::int64_t> vertices(static_cast<std::size_t>(machine.partition_count()), 0);
    for (const std::uint16_t partition : machine.blocks.block_of_vertex) ++vertices[partition];
    for (std::size_t p = 0; p < vertices.size(); ++p) {
        log.trace("simulation: partition {} has {} of {} routers and hosts", p + 1, vertices[p],
                  machine.blocks.block_of_vertex.size());
    }
}

/// Why no more iterations were simulated.
std::string_view end_of_iterations(const SimulationResult& result, SimulatedIterations::Rule rule) {
    if (result.interrupted) return "interrupted";
    if (!result.extrapolated) return "all";
    if (result.reached_limit) return "the limit; their time had not settled";
    if (rule == SimulatedIterations::Rule::kCount) return "as many as asked for";
    return result.settled_by_mean ? "their mean time had settled" : "their time repeated";
}

/// Runs a program to its end, or as far as it is enough, and describes the run: everything that does not depend on what
/// kind of program it is.
template <class P>
SimulationResult run_program(const SimulationRequest& request, const SimulationControl& control, P& program,
                             const RunProgress& progress, std::vector<std::vector<RankId>> groups) {
    const auto start = Clock::now();
    using Model = ProcessModel<P>;
    const bool uses_barriers = !groups.empty();
    typename Model::Parameters parameters{.network = request.network,
                                          .timing = PacketTiming(request.timing),
                                          .process = request.process,
                                          .node_of_rank = request.node_of_rank,
                                          .threads = request.threads,
                                          .partitions = request.partitions,
                                          .transport = request.transport,
                                          .uses_barriers = uses_barriers};
    if (request.log != nullptr) parameters.hint_when_stuck = kHintWhenStuck;
    Model model(parameters, program);
    log_begin(model, uses_barriers, control.log);
    for (std::vector<RankId>& group : groups) model.add_group(std::move(group));
    Watch watch(control, progress, model);
    Observation<Model> observation(request.observation, model);
    observation.run([&] { return watch.may_go_on(); });

    SimulationResult result;
    result.interrupted = watch.was_stopped();
    std::int64_t end_ps = model.engine().now_ps();
    if (model.all_finished()) {
        end_ps = 0;
        for (std::int32_t r = 0; r < model.rank_count(); ++r) {
            end_ps = std::max(end_ps, model.times(RankId(r)).end_ps);
        }
    }
    result.simulated_seconds = static_cast<double>(end_ps) / kPsPerS;
    for (std::int32_t r = 0; r < model.rank_count(); ++r) result.ranks.push_back(model.times(RankId(r)));
    const PacketCounts& counts = model.engine().counts();
    result.payload_bytes = counts.payload_bytes_injected;
    result.on_node_bytes = counts.on_node_bytes;
    result.packets = counts.packets_injected;
    result.packet_hops = counts.packet_hops;
    result.events = counts.events;
    describe_links(request, model, result);
    result.wall_seconds = seconds_since(start);
    return result;
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
    IterationClock clock(static_cast<std::int32_t>(ranks.size()), workload.iterations(), request.iterations);
    Replay replay(workload, request.replay, clock);
    std::vector<std::vector<RankId>> groups;
    const bool uses_barriers = std::ranges::find(request.replay.barriers, true) != request.replay.barriers.end();
    if (uses_barriers) groups.push_back(std::move(ranks));
    SimulationResult result =
        run_program(request, control, replay, SetProgress(clock, workload.iterations()), std::move(groups));
    result.iterations = workload.iterations();
    result.simulated_iterations = is_silent ? result.iterations : clock.done();
    // Nothing can be said of the rest before an iteration has ended.
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
    const double all_ps = result.simulated_seconds * kPsPerS * static_cast<double>(result.ranks.size());
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
