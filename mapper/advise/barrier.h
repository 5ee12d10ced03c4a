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

/// Advice on barriers: before which sets of a workload it pays that all ranks wait for each other.

/// One simulation that the advice asks for.
struct BarrierTrial {
    std::vector<bool> barriers;  ///< by set: before it
    std::int32_t draw = 0;       ///< of the load imbalance
};

/// The time of each trial, in their order; nothing for those that an interruption left out.
using BarrierSimulations = std::function<std::vector<std::optional<SimulatedTime>>(std::span<const BarrierTrial>)>;

struct BarrierSearchOptions {
    /// Sets that may get a barrier, the most promising first. Up to kMostSetsTriedAll all choices of them are tried,
    /// where most_simulations allows.
    std::vector<std::size_t> candidates;
    std::size_t set_count = 0;
    std::int32_t draws = 1;
    std::int32_t most_simulations = 64;  ///< of the first draw; at least 2
    bool barrier_costs_are_known = true;
    std::int64_t iterations = 1;  ///< of the workload, for what a barrier may cost
};

inline constexpr std::size_t kMostSetsTriedAll = 4;

/// A choice of barriers and its times: of every draw for what is compared in the end, else of the first.
struct BarrierChoiceTimes {
    std::vector<std::size_t> sets;  ///< with a barrier before them, from 0, ascending
    std::vector<SimulatedTime> draws;
};

enum class BarrierVerdict {
    kNone,     ///< barriers lose
    kSets,     ///< barriers before BarrierAdvice::sets pay
    kUnknown,  ///< see the sentence
};

struct BarrierAdvice {
    BarrierVerdict verdict = BarrierVerdict::kUnknown;
    std::vector<std::size_t> sets;            ///< the best choice with any barrier; empty: none was simulated
    std::vector<BarrierChoiceTimes> choices;  ///< as they were simulated: without barriers first
    std::int64_t simulations = 0;
    bool tried_all = false;     ///< choices of barriers
    double gain_seconds = 0;    ///< mean over the draws of what `sets` saves; below 0: it loses
    double spread_seconds = 0;  ///< of the gain
    /// What a barrier may cost at most, when the machine does not say what it does and free ones would pay.
    std::optional<double> break_even_seconds;
    /// What a barrier by put and poll takes there, if it has been simulated.
    std::optional<double> put_barrier_seconds;
    bool interrupted = false;
    std::string sentence;
};

/// Tries choices of barriers and compares the best with none. With few candidates all choices are tried on the first
/// draw; with more, from the better of no barrier and all of them, the set whose change helps most is changed, or all
/// whose change helps where that is better still, until none helps or most_simulations have been made. Of choices that
/// cannot be told apart the one with the fewest barriers is taken. It must then save time in every draw of the
/// imbalance, by more than the spread.
BarrierAdvice advise_barriers(const BarrierSearchOptions& options, const BarrierSimulations& simulate);

/// "set 3", "sets 1 and 3", counted from 1.
std::string sets_text(std::span<const std::size_t> sets);

/// What barriers have to stand, and what the answer may cost.
struct BarrierAdviceOptions {
    /// How unevenly the ranks compute; each draw has a seed of its own, from `seed` on.
    double imbalance_share = 0;
    std::int64_t imbalance_ps = 0;
    std::int32_t draws = 5;  ///< when there is an imbalance
    std::uint64_t seed = 1;
    std::vector<std::int64_t> sizes{};  ///< of all messages, one answer each; empty: as the workload says
    std::int32_t most_simulations = 64;
    double packet_hops = kAdvicePacketHops;  ///< that the simulations of one size may take
    std::int32_t threads = 0;                ///< 0: all cores; the answer does not depend on it
};

/// "5%" of the computing time, or a time, "20us"; sets the imbalance. Throws OptionError.
void parse_imbalance(const std::string& text, BarrierAdviceOptions& options);

struct SizedBarrierAdvice {
    std::optional<std::int64_t> message_size_bytes;  ///< nothing: as the workload says
    SimulatedIterations iterations;
    BarrierAdvice advice;
};

/// From which of these sizes on, ascending, barriers pay, up to the largest. Nothing when they do not pay at the
/// largest.
std::optional<std::int64_t> barriers_pay_from(std::span<const SizedBarrierAdvice> sizes);

/// The answer: haichi-advice/1. A value.
struct BarrierAdviceReport {
    Placement placement;
    std::vector<std::int64_t> set_contention{};  ///< most messages on any link, by set
    std::int32_t draws = 1;
    double imbalance_share = 0;
    std::int64_t imbalance_ps = 0;
    std::vector<SizedBarrierAdvice> sizes{};  ///< ascending; one without --sizes
    std::optional<std::int64_t> pays_from_bytes{};
    std::string sentence{};
    bool interrupted = false;
};

/// Throws the errors of its parts, and OptionError for an imbalance of a computing time that the workload does not
/// have; never prints.
BarrierAdviceReport advise_barrier(const Placement& placement, const BarrierAdviceOptions& options,
                                   const AdviceControl& control = {});

}  // namespace haichi
