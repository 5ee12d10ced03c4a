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

/// The barriers of a replayed workload: a run without barriers, a run with barriers, or both.
struct BarrierChoice {
    bool without = true;
    bool with = false;
    std::vector<std::size_t> sets{};  ///< ids of sets that follow a barrier, ascending; empty means every set
};
struct BarrierWord {
    std::string_view name;
    std::string_view sentence;
    bool without = false;
    bool with = false;
};
const Table<BarrierWord>& barrier_words();

/// Parses "none", "sets", "both", or set numbers such as "1,3", where the first set is 1. Throws OptionError with a
/// did-you-mean hint.
BarrierChoice parse_barrier_choice(std::string_view text);

/// Parses set numbers such as "1,3", where the first set is 1. Returns ascending ids, which start at 0. Throws
/// OptionError, which names the option.
std::vector<std::size_t> parse_set_numbers(std::string_view text, const std::string& option);

/// Parses "all", "auto" or a number from 1. Throws OptionError.
SimulatedIterations parse_simulated_iterations(const std::string& text);

/// Parses "5%" of the computation time, or a time such as "20us". Throws OptionError and InputError, which name the
/// option.
ComputeImbalance parse_imbalance(const std::string& text, const std::string& option);
/// An imbalance that varies between iterations. Like parse_imbalance(), and also parses interruptions such as
/// "50us/200ms".
ComputeImbalance parse_compute_spread(const std::string& text);
/// Throws OptionError for a fraction of the computation time if the workload has no computation time. `subject` names
/// the fraction.
void check_imbalance(const ComputeImbalance& imbalance, const Workload& workload, const std::string& subject);

/// The simulated form of a job's traffic.
enum class TrafficForm : std::uint8_t {
    kAuto,   ///< calls if the job has calls, otherwise sets
    kSets,   ///< the job's communication sets
    kCalls,  ///< the calls of the job's log
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

/// Options of a simulation, independent of the job.
struct SimulationOptions {
    TrafficForm form = TrafficForm::kAuto;
    BarrierChoice barriers;  ///< this and the next two members affect only sets
    SimulatedIterations iterations;
    ComputeImbalance imbalance;
    CallReplayOptions calls;
    std::string call_option{};  ///< name of a given option that applies to calls only; empty if none
    std::int32_t threads = 1;
    std::int32_t partitions = 0;  ///< partitions of the machine that are simulated separately; 0 means by size
    std::size_t most_loaded_links = 10;
    /// Allowed only with one choice of barriers, because a stream holds one run.
    ObservationOptions observation;
};

/// Results of a live program.
struct SimulatedProgram {
    std::string path;
    int exit_code = 0;
    /// Code between calls took its CPU time on this computer multiplied by this factor, so no two runs are equal. Empty
    /// if such code took no time.
    std::optional<double> measured_factor{};
};

/// One simulation of a placement.
struct SimulatedRun {
    bool has_barriers = false;
    std::vector<std::size_t> barrier_sets{};  ///< ids of sets that follow a barrier; empty means every set
    SimulationResult result;
    bool leaves_computing_out = false;          ///< sets of a log have no computation time
    std::optional<SimulatedProgram> program{};  ///< set only if a live program was simulated
    ComputeImbalance imbalance{};
};

/// Returns "none", "sets", or set numbers such as "1,3", where the first set is 1.
std::string barrier_name(const SimulatedRun& run);

/// The result of simulate(), written as haichi-simulation/1. A value type.
struct Simulation {
    Placement placement;
    std::vector<SimulatedRun> runs;  ///< one run, or a run without and a run with barriers
    bool interrupted = false;
};

/// Simulates a placement packet by packet. Throws OptionError for barriers before nonexistent sets. After an
/// interruption, the remaining runs are missing.
Simulation simulate(const Placement& placement, const SimulationOptions& options,
                    const SimulationControl& control = {});

/// Whether the calls of the job's log are simulated. Throws OptionError if calls are requested but missing, or if
/// options of sets are given.
bool replays_calls(const Job& job, const SimulationOptions& options, const Log& log = {});

/// A request with the machine, the placement of the ranks and the options, but without traffic.
SimulationRequest machine_request(const Job& job, const Mapping& mapping, const SimulationOptions& options);

/// Simulates a mapping of the job.
std::vector<SimulatedRun> simulate_mapping(const Job& job, const Mapping& mapping, const SimulationOptions& options,
                                           const SimulationControl& control = {});

/// A warning for simulations on a machine whose buffers limit the rate of its links; "" for other machines. Throws the
/// errors of packet_timing_of().
std::string buffer_warning(const Machine& machine);

/// Throws every error that simulate() would throw before its first event. Callers use it before a long search.
void check_simulation(const Job& job, const SimulationOptions& options);

}  // namespace haichi
