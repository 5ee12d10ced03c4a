#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mapper/advise/advice_runs.h"
#include "mapper/advise/evidence.h"
#include "mapper/judge/simulate.h"

namespace haichi {

/// Advice on barriers: finds the sets of a workload before which a barrier over all ranks saves time.

/// One simulation that the advice requires.
struct BarrierTrial {
    std::vector<bool> barriers;  ///< per set: whether a barrier precedes it
    std::int32_t draw = 0;       ///< draw of the load imbalance
};

/// Simulates trials and returns their times, in the same order. An entry is empty if an interruption prevented the
/// trial.
using BarrierSimulations = std::function<std::vector<std::optional<SimulatedTime>>(std::span<const BarrierTrial>)>;

struct BarrierSearchOptions {
    /// Sets that may get a barrier, the most promising first. With up to kMostSetsTriedAll sets, all choices are tried
    /// if most_simulations allows it.
    std::vector<std::size_t> candidates;
    std::size_t set_count = 0;
    std::int32_t draws = 1;
    std::int32_t most_simulations = 64;  ///< limit for the first draw; at least 2
    bool barrier_costs_are_known = true;
    std::int64_t iterations = 1;  ///< iterations of the workload; determines the break-even cost of a barrier
};

inline constexpr std::size_t kMostSetsTriedAll = 4;

/// A choice of barriers and its times. The two choices compared at the end have a time for every draw, the others only
/// for the first draw.
struct BarrierChoiceTimes {
    std::vector<std::size_t> sets;  ///< ids of the sets that have a barrier before them, ascending
    std::vector<SimulatedTime> draws;
};

enum class BarrierVerdict {
    kNone,     ///< barriers cost time
    kSets,     ///< barriers before BarrierAdvice::sets save time
    kUnknown,  ///< undecided; BarrierAdvice::sentence states the reason
};

struct BarrierAdvice {
    BarrierVerdict verdict = BarrierVerdict::kUnknown;
    std::vector<std::size_t> sets;            ///< the best choice that has barriers; empty if none was simulated
    std::vector<BarrierChoiceTimes> choices;  ///< in the order of simulation; the choice without barriers is first
    std::int64_t simulations = 0;
    bool tried_all = false;     ///< whether all choices of barriers were tried
    double gain_seconds = 0;    ///< time saved by `sets`, as the mean over the draws; negative if barriers cost time
    double spread_seconds = 0;  ///< spread of the gain
    /// Largest worthwhile cost of a barrier, if the machine does not state the cost and free barriers would save time.
    std::optional<double> break_even_seconds;
    /// Simulated time of a barrier by put and poll on this machine.
    std::optional<double> put_barrier_seconds;
    bool interrupted = false;
    std::string sentence;
};

/// Tries different choices of barriers. Compares the best choice with a run without barriers. With few candidates, all
/// choices are tried under the first draw. With more, a search begins at the better of no barrier and all barriers.
/// Each step changes the set that helps most, or all sets that help if that is faster. The search ends when no change
/// helps, or after most_simulations.
///
/// Among choices whose times are equal within tolerance, the one with the fewest barriers is taken. Barriers are
/// advised only if this choice saves more time than the spread, in every draw of the imbalance.
BarrierAdvice advise_barriers(const BarrierSearchOptions& options, const BarrierSimulations& simulate);

/// Returns "set 3" or "sets 1 and 3". The numbers in the text start at 1.
std::string sets_text(std::span<const std::size_t> sets);

/// The conditions under which barriers are compared, and the budget of the answer.
struct BarrierAdviceOptions {
    ComputeImbalance imbalance{};       ///< the first draw has its seed, later draws have the next seeds
    std::int32_t draws = 5;             ///< number of draws if there is an imbalance
    std::vector<std::int64_t> sizes{};  ///< message sizes, with one answer per size; empty means the workload's sizes
    std::int32_t most_simulations = 64;
    double packet_hops = kAdvicePacketHops;  ///< budget for the simulations of one size
    std::int32_t threads = 0;                ///< 0 means all cores; the answer does not depend on it
};

struct SizedBarrierAdvice {
    std::optional<std::int64_t> message_size_bytes;  ///< empty means the workload's sizes
    SimulatedIterations iterations;
    BarrierAdvice advice;
};

/// The smallest size from which barriers save time for all larger sizes in the list, too. Empty if they save no time
/// for the largest size. `sizes` must be ascending.
std::optional<std::int64_t> barriers_pay_from(std::span<const SizedBarrierAdvice> sizes);

/// The answer on barriers, written as haichi-advice/1. A value type.
struct BarrierAdviceReport {
    Placement placement;
    std::vector<std::int64_t> set_contention{};  ///< per set: most messages on any link
    std::int32_t draws = 1;
    ComputeImbalance imbalance{};
    /// Computation time of a rank per iteration, mean over the ranks. 0 for a log without times between its calls.
    double compute_seconds = 0;
    bool is_of_log = false;                   ///< whether the sets and their computation times come from a log
    std::vector<SizedBarrierAdvice> sizes{};  ///< ascending; one entry without --sizes
    std::optional<std::int64_t> pays_from_bytes{};
    std::string sentence{};
    bool interrupted = false;
};

/// Advises on barriers for a placement. If the job keeps the calls of a log (Traffic::keeps_calls), each set has the
/// mean computation time between the calls. Throws the errors of searches and simulations. Throws OptionError for an
/// imbalance in per cent if the workload has no computation time. Never prints.
BarrierAdviceReport advise_barrier(const Placement& placement, const BarrierAdviceOptions& options,
                                   const AdviceControl& control = {});

}  // namespace haichi
