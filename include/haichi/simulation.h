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

/// The options of a simulation. Members have the names of the options of `haichi simulate`.
struct SimulationOptions {
    std::string form = "auto";     ///< simulates "calls" of a log, or "sets"; "auto" selects calls if there are any
    std::string barrier = "none";  ///< "none", or barriers before "sets" or some sets ("1,3"), or two runs ("both")
    std::optional<std::int32_t> threads{};  ///< number of threads, which does not change the result; empty for 1
    MoreOptions more{};                     ///< values of "sim-iterations", "compute-spread", "partitions" and
                                            ///< "most-loaded"

    /// Called a few times a second. It must not throw.
    std::function<void(const SimulationProgress&)> progress{};
    /// If a stop is requested, the simulation soon ends and returns the results so far.
    std::stop_token stop{};
};

/// One simulated run over all iterations.
struct SimulatedRun {
    std::string barrier{};  ///< sets with a barrier: "none", "sets" for all, or their numbers
    double seconds = 0;
    double seconds_per_iteration = 0;
    std::int64_t iterations = 0;
    std::int64_t simulated_iterations = 0;  ///< number of simulated iterations; the others are extrapolated
    std::int64_t packets = 0;
    double link_efficiency = 0;  ///< mean over all links
};

/// The result of a simulation.
struct Simulation {
    std::vector<SimulatedRun> runs{};  ///< one run; with "both", one without and one with barriers
    bool interrupted = false;
    std::string json{};  ///< the report, in the format haichi-simulation/1
};

/// Simulates a placement packet by packet. Throws OptionError and InputError, for example for a machine file without
/// times.
HAICHI_EXPORT Simulation simulate(const Placement& placement, const SimulationOptions& options = {});

HAICHI_END
