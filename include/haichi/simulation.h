#pragma once

#include <haichi/export.h>
#include <haichi/options.h>
#include <haichi/placement.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

HAICHI_BEGIN

/// The progress of a simulation.
struct SimulationProgress {
    double simulated_seconds = 0;
    std::int64_t iterations_done = 0;
    std::int64_t iterations = 0;
};

/// Options of a simulation. The names are those of the options of `haichi simulate`.
struct SimulationOptions {
    std::string form = "auto";     ///< "calls" of a log, "sets", or "auto"
    std::string barrier = "none";  ///< barriers before "sets", before some ("1,3"), "none", or two runs ("both")
    std::optional<std::int32_t> threads{};  ///< does not change the result; empty for 1
    MoreOptions more{};                     ///< "sim-iterations", "compute-spread", "partitions", "most-loaded"

    /// Called a few times a second. It must not throw.
    std::function<void(const SimulationProgress&)> progress{};
    /// A request to stop ends the simulation soon with the results so far.
    std::stop_token stop{};
};

/// One simulation of all iterations.
struct SimulatedRun {
    std::string barrier{};  ///< "none", "sets", or the numbers of sets
    double seconds = 0;
    double seconds_per_iteration = 0;
    std::int64_t iterations = 0;
    std::int64_t simulated_iterations = 0;  ///< the others are extrapolated
    std::int64_t packets = 0;
    double link_efficiency = 0;  ///< mean over all links
};

/// The result of a simulation.
struct Simulation {
    std::vector<SimulatedRun> runs{};  ///< one, or without and with barriers
    bool interrupted = false;
    std::string json{};  ///< the report, in the format haichi-simulation/1
};

/// Simulates a placement packet by packet. Throws OptionError and InputError, for example for a machine that does
/// not state its times.
HAICHI_EXPORT Simulation simulate(const Placement& placement, const SimulationOptions& options = {});

HAICHI_END
