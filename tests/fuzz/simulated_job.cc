// A machine and a trace, both hostile, all the way: routes, layers of virtual channels, packet engine, replay.

#include <algorithm>
#include <atomic>

#include "base/errors.h"
#include "commlog/log/job_log.h"
#include "commlog/traces/trace_readers.h"
#include "mgen/replay/simulation.h"
#include "netmodel/machine/allocation.h"
#include "netmodel/packetsim/machine_timing.h"
#include "tests/fuzz/readers.h"

namespace haichi {

namespace {
// The time goes into routes and packets, not into what is hostile in them.
constexpr std::int64_t kMostNodes = 300;
constexpr std::int64_t kMostHops = 200'000;
constexpr std::string_view kSeparator = "\n----\n";
}  // namespace

/// A machine file, a line of four dashes, a trace of SimGrid's.
void fuzz_simulated_job(std::string_view text) {
    const auto end = text.find(kSeparator);
    if (end == std::string_view::npos) return;
    const Machine machine = parse_machine(text.substr(0, end), "/nonexistent/fuzzed.json");
    if (machine.size_is_open || terminal_count(machine) > kMostNodes) return;
    const JobLog log = parse_tit(text.substr(end + kSeparator.size()), "fuzzed");
    const Allocation allocation = allocate(machine, {});
    if (log.rank_count > allocation.node_count()) return;

    SimulationRequest request;
    request.log = &log;
    request.network = &allocation.network;
    request.timing = packet_timing_of(machine);
    request.process = process_options_of(machine);
    for (std::int32_t rank = 0; rank < log.rank_count; ++rank) request.node_of_rank.emplace_back(rank);
    std::atomic<bool> stop = false;
    SimulationControl control;
    control.stop = &stop;
    control.progress = [&](const SimulationProgress& progress) { stop = progress.packet_hops > kMostHops; };
    (void)simulate(request, control);
}

}  // namespace haichi
