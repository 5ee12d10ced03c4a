#include "mgen/host/live_simulation.h"

#include <algorithm>

#include "mgen/replay/program_run.h"

namespace haichi::host {

namespace {

class LiveProgress final : public RunProgress {
  public:
    explicit LiveProgress(const Host& host) : host_(&host) {}
    void tell(SimulationProgress& progress) const override {
        progress.calls_done = static_cast<std::int64_t>(host_->calls());
    }

  private:
    const Host* host_;
};

}  // namespace

int LiveResult::exit_code() const {
    if (abort_code) return *abort_code;
    const auto failed = std::ranges::find_if(exit_codes, [](int code) { return code != 0; });
    return failed != exit_codes.end() ? *failed : 0;
}

std::size_t default_stack_bytes(std::int64_t ranks) {
    constexpr std::int64_t kAllBytes = std::int64_t{16} << 30;
    constexpr std::int64_t kLeastBytes = 64 << 10;
    constexpr std::int64_t kMostBytes = 8 << 20;
    return static_cast<std::size_t>(std::clamp(kAllBytes / std::max<std::int64_t>(ranks, 1), kLeastBytes, kMostBytes));
}

LiveResult simulate_program(const LiveRequest& request, const SimulationControl& control) {
    Host::Setup setup = request.program;
    setup.ranks = static_cast<std::int32_t>(request.machine.node_of_rank.size());
    setup.node_of_rank = request.machine.node_of_rank;
    setup.call_overhead_ps = request.machine.process.call_overhead_ps;
    setup.barrier_step_ps = request.machine.process.barrier_step_ps;
    setup.barrier_groups = request.machine.process.barrier_groups;
    setup.threads = request.machine.threads;
    if (setup.stack_bytes == 0) setup.stack_bytes = default_stack_bytes(setup.ranks);
    Host host(std::move(setup));
    if (request.begin_rank) {
        for (std::int32_t r = 0; r < host.rank_count(); ++r) request.begin_rank(host.rank(RankId(r)));
    }
    LiveResult result;
    result.simulation = run_program(request.machine, control, host, LiveProgress(host), {});
    result.simulation.iterations = 1;
    result.simulation.simulated_iterations = result.simulation.interrupted ? 0 : 1;
    result.simulation.seconds = result.simulation.simulated_seconds;
    result.simulation.seconds_per_iteration = result.simulation.seconds;
    result.simulation.calls = static_cast<std::int64_t>(host.calls());
    for (std::int32_t r = 0; r < host.rank_count(); ++r) {
        result.exit_codes.push_back(host.rank(RankId(r)).exit_code());
    }
    result.abort_code = host.abort_code();
    return result;
}

}  // namespace haichi::host
