#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/stop_flag.h"
#include "commlog/workload/workload.h"
#include "mgen/process_options.h"
#include "mgen/rank_times.h"
#include "mgen/replay/call_replay_options.h"
#include "mgen/replay/iteration_clock.h"
#include "mgen/replay/observation_options.h"
#include "mgen/replay/replay.h"
#include "netmodel/packetsim/packet_timing.h"
#include "netmodel/routing/network.h"

namespace haichi {

class Transport;
struct JobLog;

/// Simulated time is counted in picoseconds.
inline constexpr double kPsPerSecond = 1e12;

/// Placed ranks and their work: the sets of a workload, or the calls of a log. Objects that the pointers refer to must
/// outlive the run.
struct SimulationRequest {
    const Workload* workload = nullptr;
    const JobLog* log = nullptr;  ///< if set, its calls are replayed; ignores `workload`, `replay` and `iterations`
    CallReplayOptions calls;
    const Network* network = nullptr;
    PacketTimingOptions timing;
    ProcessOptions process;
    std::vector<NodeId> node_of_rank;
    ReplayOptions replay;
    SimulatedIterations iterations;
    std::int32_t threads = 1;
    std::int32_t partitions = 0;  ///< see PacketEngineOptions, also for `transport`
    Transport* transport = nullptr;
    std::size_t most_loaded_links = 10;  ///< number of links that the result lists
    ObservationOptions observation;
};

struct SimulationProgress {
    double simulated_seconds = 0;
    std::int64_t iterations_done = 0;
    std::int64_t iterations = 0;
    std::int64_t packet_hops = 0;
    std::int64_t calls_done = 0;        ///< for a log
    double packet_hops_per_second = 0;  ///< per second of wall time
};

/// All members may be empty. The callback is called a few times per second, between events, and must not throw.
struct SimulationControl {
    std::function<void(const SimulationProgress&)> progress;
    const StopFlag* stop = nullptr;  ///< set by another thread to end the run soon with the results so far
    Log log{};

    [[nodiscard]] bool is_stopped() const { return stop != nullptr && stop->load(); }
};

/// The traffic of a link during the simulation.
struct LinkTraffic {
    LinkId link;  ///< in the fabric; invalid for the ejection channel of `node`
    NodeId node;
    std::int64_t bytes = 0;  ///< including headers
    double efficiency = 0;   ///< bytes / (time * bandwidth)
};

/// The name of a link, like Network::link_name, or "ejection (node)".
std::string link_text(const LinkTraffic& traffic, const Network& network);

/// The result of a simulation. Counts (ranks, packets, links) refer to the simulated part, which is simulated_seconds
/// long.
struct SimulationResult {
    double seconds = 0;                ///< for all iterations, from the start to the end of the last rank
    double seconds_per_iteration = 0;  ///< NaN if the run was interrupted before the first iteration ended
    std::int64_t iterations = 0;
    std::int64_t simulated_iterations = 0;
    bool extrapolated = false;
    bool settled_by_mean = false;  ///< the iteration time did not repeat; see IterationClock
    bool reached_limit = false;    ///< kAuto reached its limit before the time settled
    bool interrupted = false;
    double simulated_seconds = 0;
    std::int64_t calls = 0;            ///< for a log, made by all ranks in simulated_seconds
    std::optional<ReplayGaps> gaps{};  ///< for a log

    std::vector<RankTimes> ranks;
    std::int64_t payload_bytes = 0;  ///< payload that NICs sent in `packets`
    std::int64_t on_node_bytes = 0;  ///< payload that stayed on its node
    std::int64_t packets = 0;
    std::int64_t packet_hops = 0;
    std::int64_t existing_links = 0;
    std::int64_t used_links = 0;
    std::int64_t saturated_links = 0;            ///< links with an efficiency above kSaturated
    double mean_link_bandwidth_bytes_per_s = 0;  ///< mean over the used links
    double link_efficiency = 0;                  ///< mean over all links
    double used_link_efficiency = 0;
    std::vector<LinkTraffic> most_loaded_links;  ///< links and ejection channels with the highest efficiency
    std::int64_t events = 0;
    double wall_seconds = 0;

    static constexpr double kSaturated = 0.99;
};

/// The breakdown of the ranks' time, as fractions of the whole run. The remainder to 1 is the time after the ranks had
/// ended.
struct RunShares {
    double computing = 0;
    double calls = 0;
    double waiting = 0;
};
RunShares run_shares(const SimulationResult& result);

/// Replays the workload or the log. Throws OptionError for ranks on invalid nodes and for invalid replay options.
/// Throws InputError for computation times that are too long to simulate, and for a log whose calls cannot continue.
/// Throws UnsupportedError for routings without known virtual channels. For a log, it also throws the errors of
/// CallReplay.
/// Results except wall_seconds and events do not depend on threads, partitions, transport or the times of progress
/// reports.
SimulationResult simulate(const SimulationRequest& request, const SimulationControl& control = {});

}  // namespace haichi
