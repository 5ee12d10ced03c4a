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

/// Advice on barriers: before which sets of a workload a barrier over all ranks saves time.

/// One simulation that the advice requires.
struct BarrierTrial {
    std::vector<bool> barriers;  ///< per set: whether a barrier precedes it
    std::int32_t draw = 0;       ///< draw of the load imbalance
};

/// The time of each trial, in their order. An entry is empty if an interruption prevented the trial.
using BarrierSimulations = std::function<std::vector<std::optional<SimulatedTime>>(std::span<const BarrierTrial>)>;

struct BarrierSearchOptions {
    /// Sets that may get a barrier, the most promising first. With up to kMostSetsTriedAll sets, all choices are tried
    /// if most_simulations allows it.
    std::vector<std::size_t> candidates;
    std::size_t set_count = 0;
    std::int32_t draws = 1;
    std::int32_t most_simulations = 64;  ///< limit for the first draw; at least 2
    bool barrier_costs_are_known = true;
    std::int64_t iterations = 1;  ///< iterations of the workload, for the break-even cost of a barrier
};

inline constexpr std::size_t kMostSetsTriedAll = 4;

/// A choice of barriers and its times. The finally compared choices have a time for every draw, the others for the
/// first draw.
struct BarrierChoiceTimes {
    std::vector<std::size_t> sets;  ///< sets with a barrier before them, from 0, ascending
    std::vector<SimulatedTime> draws;
};

enum class BarrierVerdict {
    kNone,     ///< barriers cost time
    kSets,     ///< barriers before BarrierAdvice::sets save time
    kUnknown,  ///< undecided, for the reason in the sentence
};

struct BarrierAdvice {
    BarrierVerdict verdict = BarrierVerdict::kUnknown;
    std::vector<std::size_t> sets;            ///< the best choice with any barrier, or empty if none was simulated
    std::vector<BarrierChoiceTimes> choices;  ///< in order of simulation, without barriers first
    std::int64_t simulations = 0;
    bool tried_all = false;     ///< whether all choices of barriers were tried
    double gain_seconds = 0;    ///< mean over the draws of the time that `sets` saves; negative if it costs time
    double spread_seconds = 0;  ///< spread of the gain
    /// Largest worthwhile cost of a barrier, if the machine does not state the cost and free barriers would save time.
    std::optional<double> break_even_seconds;
    /// Simulated time of a barrier by put and poll on this machine.
    std::optional<double> put_barrier_seconds;
    bool interrupted = false;
    std::string sentence;
};

/// Tries choices of barriers and compares the best with no barrier. With few candidates, all choices are tried on the
/// first draw. With more, the search begins at the better of no barrier and all barriers. Each step changes the set
/// that helps most, or all sets that help if that is better still. It ends when no change helps or after
/// most_simulations.
///
/// Among indistinguishable choices, the one with the fewest barriers is taken. It must then save time in every draw of
/// the imbalance, by more than the spread.
BarrierAdvice advise_barriers(const BarrierSearchOptions& options, const BarrierSimulations& simulate);

/// Returns "set 3" or "sets 1 and 3", counted from 1.
std::string sets_text(std::span<const std::size_t> sets);

/// The conditions under which barriers are compared, and the budget of the answer.
struct BarrierAdviceOptions {
    ComputeImbalance imbalance{};  ///< each draw has its own seed, from this one on
    std::int32_t draws = 5;        ///< number of draws if there is an imbalance
    std::vector<std::int64_t>
        sizes{};  ///< sizes of all messages, one answer per size; empty means the workload's sizes
    std::int32_t most_simulations = 64;
    double packet_hops = kAdvicePacketHops;  ///< budget for the simulations of one size
    std::int32_t threads = 0;                ///< 0 means all cores; the answer does not depend on it
};

struct SizedBarrierAdvice {
    std::optional<std::int64_t> message_size_bytes;  ///< empty means the workload's sizes
    SimulatedIterations iterations;
    BarrierAdvice advice;
};

/// The smallest of these ascending sizes from which barriers save time for every size up to the largest. Empty if they
/// do not at the largest.
std::optional<std::int64_t> barriers_pay_from(std::span<const SizedBarrierAdvice> sizes);

/// The answer, format haichi-advice/1. A value type.
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

/// The sets of a log compute for the mean times between its calls, if the job keeps them (Traffic::keeps_calls). Throws
/// the errors of its parts. Throws OptionError for an imbalance in per cent if the workload has no computation time.
/// Never prints.
BarrierAdviceReport advise_barrier(const Placement& placement, const BarrierAdviceOptions& options,
                                   const AdviceControl& control = {});

}  // namespace haichi
