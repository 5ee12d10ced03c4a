#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mapper/advise/barrier.h"
#include "mapper/job/advice_runs.h"
#include "mapper/job/simulate.h"

namespace haichi {

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
