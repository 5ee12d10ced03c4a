#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/table.h"
#include "commlog/workload/workload.h"
#include "mapper/rankmap/hosts.h"
#include "mgen/replay/simulation.h"
#include "netmodel/machine/allocation.h"
#include "netmodel/machine/machine.h"
#include "objectives/mapping.h"

namespace haichi {

/// Where the ranks of a replayed workload wait for each other: a run without barriers, one with, or both.
struct BarrierChoice {
    bool without = true;
    bool with = false;
    std::vector<std::size_t> sets{};  ///< with barriers before these, from 0, ascending; empty: before every set
};
struct BarrierWord {
    std::string_view name;
    std::string_view sentence;
    bool without = false;
    bool with = false;
};
const Table<BarrierWord>& barrier_words();

/// "none", "sets", "both", or numbers of sets from 1, "1,3"; throws OptionError with did-you-mean.
BarrierChoice parse_barrier_choice(std::string_view text);

/// "all", "auto" or a number from 1; throws OptionError.
SimulatedIterations parse_simulated_iterations(const std::string& text);

/// How to simulate; nothing here depends on the job.
struct SimulationOptions {
    BarrierChoice barriers;
    SimulatedIterations iterations;
    ComputeImbalance imbalance;
    std::int32_t threads = 1;
    std::size_t hottest_links = 10;
    /// Only with one choice of barriers: streams hold one run.
    ObservationOptions observation;
};

/// A file ("-": standard input), a value, or a value that others hold as well and that is not copied.
using GivenWorkload = std::variant<std::string, Workload, std::shared_ptr<const Workload>>;

/// Everything `haichi simulate` is asked, as written by a user.
struct SimulateRequest {
    std::variant<std::string, Machine> machine;
    GivenWorkload workload;
    std::string workload_format;
    std::optional<std::int64_t> message_size_bytes;
    AllocationRequest allocation;
    std::string hosts;
    /// A map file (in `format`, or recognised), or the node of each rank; nothing: the default placement.
    std::optional<std::variant<std::string, std::vector<NodeId>>> map;
    std::string format;
    SimulationOptions simulation;
};

/// One simulation of a placement.
struct SimulatedRun {
    bool has_barriers = false;
    std::vector<std::size_t> barrier_sets{};  ///< before which, from 0; empty: before every one
    SimulationResult result;
};

/// "none", "sets", or numbers of sets from 1, "1,3".
std::string barrier_name(const SimulatedRun& run);

/// A placement and, for comparison, the default one, each simulated in the same ways.
struct SimulatedPlacement {
    std::vector<SimulatedRun> runs;
    std::vector<SimulatedRun> default_runs;  ///< empty after an interruption
};

/// The answer: haichi-simulation/1. A value.
struct SimulateReport {
    std::shared_ptr<const Allocation> allocation;
    std::shared_ptr<const Workload> workload;
    bool is_default_placement = false;
    Mapping mapping;
    std::vector<SimulatedRun> runs;  ///< one, or without and with barriers
    bool interrupted = false;
};

/// The map of the request, or the default placement. Throws InputError and OptionError for a map that does not fit.
Mapping requested_placement(const SimulateRequest& request, const Workload& workload, const Allocation& allocation);

/// Throws the errors of its parts; never prints.
SimulateReport run_simulate(const SimulateRequest& request, const SimulationControl& control = {});

/// The same of a placement of a job that is loaded already. Throws OptionError for barriers before sets that are none.
/// An interruption leaves out the runs behind it.
std::vector<SimulatedRun> simulate_placement(const Machine& machine, const Allocation& allocation,
                                             const Workload& workload, const Mapping& mapping,
                                             const SimulationOptions& options, const SimulationControl& control = {});

}  // namespace haichi
