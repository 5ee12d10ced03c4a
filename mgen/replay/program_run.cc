#include "mgen/replay/program_run.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <utility>

#include "mgen/process_model.h"
#include "mgen/replay/observation.h"

namespace haichi {

namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Decides whether the engine continues, and reports progress.
class RunWatch {
  public:
    RunWatch(const SimulationControl& control, const RunProgress& run, const ProcessModel& model)
        : control_(&control), run_(&run), model_(&model) {}

    bool may_go_on() {
        if (run_->is_enough()) return false;
        if (control_->is_stopped()) {
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
        progress.simulated_seconds = static_cast<double>(model_->engine().window_end_ps()) / kPsPerSecond;
        progress.packet_hops = hops;
        progress.packet_hops_per_second = static_cast<double>(hops - told_hops_) / (now - told_);
        run_->tell(progress);
        control_->progress(progress);
        told_ = now;
        told_hops_ = hops;
    }

    const SimulationControl* control_;
    const RunProgress* run_;
    const ProcessModel* model_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    double told_ = 0;
    std::int64_t told_hops_ = 0;
    bool was_stopped_ = false;
};

void describe_links(const SimulationRequest& request, const ProcessModel& model, SimulationResult& result) {
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
    const auto listed = static_cast<std::ptrdiff_t>(std::min(request.most_loaded_links, used.size()));
    // The sort is stable, so equal links stay in the order of the ports.
    std::ranges::stable_sort(used, std::greater<>(), &LinkTraffic::efficiency);
    result.most_loaded_links.assign(used.begin(), used.begin() + listed);
}

void log_begin(const ProcessModel& model, bool uses_barriers, const Log& log) {
    if (!log.enabled(LogLevel::kInfo)) return;
    const auto& engine = model.engine();
    const PacketMachine& machine = engine.machine();
    log.info("simulation: {} ranks {} barriers, {} partitions of the machine, windows of {} ps, {} virtual channels",
             model.rank_count(), uses_barriers ? "with" : "without", machine.partition_count(), engine.window_ps(),
             machine.vcs);
    log.debug("simulation: {} channels needed by the routes, {} bytes of state, {}", machine.virtual_channels.needed(),
              engine.memory_bytes(),
              machine.steps ? "packets are routed by coordinates" : "each message holds its route");
    if (!log.enabled(LogLevel::kTrace) || machine.partition_count() == 1) return;
    std::vector<std::int64_t> vertices(static_cast<std::size_t>(machine.partition_count()), 0);
    for (const std::uint16_t partition : machine.blocks.block_of_vertex) ++vertices[partition];
    for (std::size_t p = 0; p < vertices.size(); ++p) {
        log.trace("simulation: partition {} has {} of {} routers and nodes", p + 1, vertices[p],
                  machine.blocks.block_of_vertex.size());
    }
}

}  // namespace

SimulationResult run_program(const SimulationRequest& request, const SimulationControl& control, RankProgram& program,
                             const RunProgress& progress, std::vector<std::vector<RankId>> groups) {
    const auto start = std::chrono::steady_clock::now();
    // Groups that a program creates during its run use the barrier network.
    const std::int64_t step_ps = program.makes_groups() ? request.process.barrier_step_ps : 0;
    const bool uses_barriers = !groups.empty() || step_ps > 0;
    const ProcessModel::Parameters parameters{.network = request.network,
                                              .timing = PacketTiming(request.timing),
                                              .process = request.process,
                                              .node_of_rank = request.node_of_rank,
                                              .threads = request.threads,
                                              .partitions = request.partitions,
                                              .transport = request.transport,
                                              .uses_barriers = uses_barriers,
                                              .shortest_barrier_ps = step_ps > 0 ? step_ps : -1};
    ProcessModel model(parameters, program);
    program.set_model(model);
    log_begin(model, uses_barriers, control.log);
    for (std::vector<RankId>& group : groups) model.add_group(std::move(group));
    RunWatch watch(control, progress, model);
    Observation observation(request.observation, model);
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
    result.simulated_seconds = static_cast<double>(end_ps) / kPsPerSecond;
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

}  // namespace haichi
