#include "mapper/job/simulate_job.h"

#include <limits>

#include "base/errors.h"
#include "base/quantity.h"
#include "mapper/job/job.h"
#include "netmodel/packetsim/machine_timing.h"

namespace haichi {

BarrierChoice parse_barrier_choice(std::string_view text) {
    if (text == "none") return BarrierChoice::kNone;
    if (text == "sets") return BarrierChoice::kSets;
    if (text == "both") return BarrierChoice::kBoth;
    const std::vector<std::string> choices = {"none", "sets", "both"};
    const std::string near = did_you_mean(text, choices);
    throw OptionError("unknown choice of barriers " + shown(text), near.empty() ? "it is none, sets or both" : near);
}

const char* barrier_name(bool has_barriers) { return has_barriers ? "sets" : "none"; }

SimulatedIterations parse_simulated_iterations(const std::string& text) {
    using Rule = SimulatedIterations::Rule;
    if (text == "auto") return {Rule::kAuto, 0};
    if (text == "all") return {Rule::kAll, 0};
    const std::int64_t count = parse_count(text, std::numeric_limits<std::int64_t>::max(), {"--sim-iterations", 0});
    if (count == 0) throw OptionError("--sim-iterations: at least one has to be simulated", "or auto, or all");
    return {Rule::kCount, count};
}

std::vector<SimulatedRun> simulate_placement(const Machine& machine, const Allocation& allocation,
                                             const Workload& workload, const Mapping& mapping,
                                             const SimulationOptions& options, const SimulationControl& control) {
    SimulationRequest request;
    request.workload = &workload;
    request.network = &allocation.network;
    request.timing = packet_timing_of(machine);
    request.process = process_options_of(machine);
    request.node_of_rank.assign(mapping.node_of_rank().begin(), mapping.node_of_rank().end());
    request.iterations = options.iterations;
    request.threads = options.threads;
    request.hottest_links = options.hottest_links;
    request.observation = options.observation;
    std::vector<SimulatedRun> runs;
    for (const bool has_barriers : {false, true}) {
        if (options.barriers == (has_barriers ? BarrierChoice::kNone : BarrierChoice::kSets)) continue;
        if (!runs.empty() && runs.back().result.interrupted) break;
        request.has_barriers = has_barriers;
        runs.push_back({has_barriers, simulate(request, control)});
    }
    return runs;
}

SimulateReport run_simulate(const SimulateRequest& request, const SimulationControl& control) {
    SimulateReport report;
    report.workload = loaded_workload(request.workload, request.workload_format, request.message_size_bytes);
    const Machine machine = loaded_machine(request.machine);
    report.allocation = std::make_shared<const Allocation>(allocate(machine, request.allocation));
    const std::int32_t ranks = report.workload->rank_count();
    report.is_default_placement = !request.map.has_value();
    if (request.map) {
        std::optional<HostNames> hosts;
        if (!request.hosts.empty()) hosts = HostNames::read(request.hosts, report.allocation->node_count());
        const RankMapContext context{
            .allocation = report.allocation.get(), .rank_count = ranks, .hosts = hosts ? &*hosts : nullptr};
        report.mapping = given_placement(*request.map, request.format, context);
    } else {
        report.mapping = default_placement(ranks, *report.allocation);
    }
    report.runs =
        simulate_placement(machine, *report.allocation, *report.workload, report.mapping, request.simulation, control);
    report.interrupted = report.runs.back().result.interrupted;
    return report;
}

}  // namespace haichi
