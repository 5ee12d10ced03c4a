#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
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

/// Placed ranks, and what they do: the sets of a workload, or the calls of a log. What the pointers lead to must
/// outlive the run.
struct SimulationRequest {
    const Workload* workload = nullptr;
    const JobLog* log = nullptr;  ///< not null: call by call; `workload`, `replay` and `iterations` do not matter then
    CallReplayOptions calls;
    const Network* network = nullptr;
    PacketTimingOptions timing;
    ProcessOptions process;
    std::vector<NodeId> node_of_rank;
    ReplayOptions replay;
    SimulatedIterations iterations;
    std::int32_t threads = 1;
    std::int32_t partitions = 0;  ///< as PacketEngineOptions, also the next one
    Transport* transport = nullptr;
    std::size_t hottest_links = 10;  ///< how many the result lists
    ObservationOptions observation;
};

struct SimulationProgress {
    double simulated_seconds = 0;
    std::int64_t iterations_done = 0;
    std::int64_t iterations = 0;
    std::int64_t packet_hops = 0;
    std::int64_t calls_done = 0;        ///< of a log
    double packet_hops_per_second = 0;  ///< of wall time
};

/// All may be left empty. The callback is called a few times a second, between events, and must not throw.
struct SimulationControl {
    std::function<void(const SimulationProgress&)> progress;
    const std::atomic<bool>* stop = nullptr;  ///< set from outside: end soon with what is known
    Log log{};

    [[nodiscard]] bool is_stopped() const { return stop != nullptr && stop->load(); }
};

/// Traffic of a link while the simulation ran.
struct LinkTraffic {
    LinkId link;  ///< of the fabric; invalid: the ejection channel of `node`
    NodeId node;
    std::int64_t bytes = 0;  ///< with headers
    double efficiency = 0;   ///< bytes / (time * bandwidth)
};

/// Name of a link, as Network::link_name, or "ejection (node)".
std::string link_text(const LinkTraffic& traffic, const Network& network);

/// A value. What is counted (ranks, packets, links) is of the simulated part, simulated_seconds long.
struct SimulationResult {
    double seconds = 0;                ///< of all iterations, from the start to the end of the last rank
    double seconds_per_iteration = 0;  ///< not a number when an interruption came before the first has ended
    std::int64_t iterations = 0;
    std::int64_t simulated_iterations = 0;
    bool extrapolated = false;
    bool settled_by_mean = false;  ///< the iteration time did not repeat, see IterationClock
    bool reached_limit = false;    ///< of SimulatedIterations::kAuto, before the time settled
    bool interrupted = false;
    double simulated_seconds = 0;
    std::int64_t calls = 0;            ///< of a log, made by all ranks in this time
    std::optional<ReplayGaps> gaps{};  ///< of a log

    std::vector<RankTimes> ranks;
    std::int64_t payload_bytes = 0;  ///< that NICs sent, in `packets`
    std::int64_t on_node_bytes = 0;  ///< payload that stayed on its node
    std::int64_t packets = 0;
    std::int64_t packet_hops = 0;
    std::int64_t existing_links = 0;
    std::int64_t used_links = 0;
    std::int64_t saturated_links = 0;            ///< with an efficiency above kSaturated
    double mean_link_bandwidth_bytes_per_s = 0;  ///< of the links that were used
    double link_efficiency = 0;                  ///< mean over all links
    double used_link_efficiency = 0;
    std::vector<LinkTraffic> hottest_links;  ///< and ejection channels, by efficiency
    std::int64_t events = 0;
    double wall_seconds = 0;

    static constexpr double kSaturated = 0.99;
};

/// Where the time of the ranks goes, as shares of the whole run; what is missing to 1 they had ended before.
struct RunShares {
    double computing = 0;
    double calls = 0;
    double waiting = 0;
};
RunShares run_shares(const SimulationResult& result);

/// Replays the workload, or the log. Throws OptionError for ranks on nodes that are none, InputError for computing
/// times beyond what can be simulated, OptionError for replay options that do not fit, UnsupportedError for routings
/// without known virtual channels; for a log also what CallReplay throws, and InputError when its calls cannot go on.
/// The result depends neither on threads, partitions and transport nor on when progress is asked for, apart from
/// wall_seconds and events.
SimulationResult simulate(const SimulationRequest& request, const SimulationControl& control = {});

}  // namespace haichi
