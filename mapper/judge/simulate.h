#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/table.h"
#include "mapper/job/placement.h"
#include "mgen/replay/simulation.h"

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

/// What of a job's traffic is simulated.
enum class TrafficForm : std::uint8_t {
    kAuto,   ///< calls where the job has them, else sets
    kSets,   ///< its communication sets
    kCalls,  ///< the calls of its log
};
struct TrafficFormRow {
    std::string_view name;
    std::string_view sentence;
    TrafficForm form;
};
const Table<TrafficFormRow>& traffic_forms();
struct ComputingRow {
    std::string_view name;
    std::string_view sentence;
    ReplayedComputing::Rule rule;
};
const Table<ComputingRow>& computing_rules();

/// How to simulate; nothing here depends on the job.
struct SimulationOptions {
    TrafficForm form = TrafficForm::kAuto;
    BarrierChoice barriers;  ///< of sets, as the next two
    SimulatedIterations iterations;
    ComputeImbalance imbalance;
    CallReplayOptions calls;
    std::string call_option{};  ///< the name of one that was given and that only calls know; empty: none
    std::int32_t threads = 1;
    std::int32_t partitions = 0;  ///< parts of the machine that are worked through one by one; 0: by size
    std::size_t hottest_links = 10;
    /// Only with one choice of barriers: streams hold one run.
    ObservationOptions observation;
};

/// What is told of a program that ran live.
struct SimulatedProgram {
    std::string path;
    int exit_code = 0;
    /// Code between calls took the CPU time that it took here, times this: no two runs are equal. None: no time.
    std::optional<double> measured_factor{};
};

/// One simulation of a placement.
struct SimulatedRun {
    bool has_barriers = false;
    std::vector<std::size_t> barrier_sets{};  ///< before which, from 0; empty: before every one
    SimulationResult result;
    bool leaves_computing_out = false;          ///< the sets of a log, which do not have it
    std::optional<SimulatedProgram> program{};  ///< what ran, where it was no workload or log
};

/// "none", "sets", or numbers of sets from 1, "1,3".
std::string barrier_name(const SimulatedRun& run);

/// The answer: haichi-simulation/1. A value.
struct Simulation {
    Placement placement;
    std::vector<SimulatedRun> runs;  ///< one, or without and with barriers
    bool interrupted = false;
};

/// Simulates a placement packet by packet. Throws OptionError for barriers before sets that are none. An interruption
/// leaves out the runs behind it.
Simulation simulate(const Placement& placement, const SimulationOptions& options,
                    const SimulationControl& control = {});

/// Whether the calls of the job's log are simulated. Throws OptionError where they are wanted and it has none, and for
/// options of sets.
bool replays_calls(const Job& job, const SimulationOptions& options, const Log& log = {});

/// The machine with the ranks on it, and how it is simulated: all but what they do.
SimulationRequest machine_request(const Job& job, const Mapping& mapping, const SimulationOptions& options);

/// The runs of a mapping of the job.
std::vector<SimulatedRun> simulate_mapping(const Job& job, const Mapping& mapping, const SimulationOptions& options,
                                           const SimulationControl& control = {});

/// What users have to know before they simulate on the machine: that its buffers hold its links back, and how far; ""
/// where they do not. Throws what packet_timing_of() throws.
std::string buffer_warning(const Machine& machine);

/// Throws what simulate() would throw before its first event, so that no search is lost to it.
void check_simulation(const Job& job, const SimulationOptions& options);

}  // namespace haichi
