#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "collectives/selection.h"

namespace haichi {

/// The computing time between the calls of a log.
struct ReplayedComputing {
    enum class Rule : std::uint8_t {
        kMean,   ///< the mean of what was measured at the place of the program
        kDrawn,  ///< drawn for each call anew, between the least and the greatest measured there, with the same mean
        kNone
    };
    Rule rule = Rule::kMean;  ///< a schedule has one time for each operation: kDrawn is kMean there
    double factor = 1;        ///< on it all: a faster or slower processor
    std::uint64_t seed = 1;
};

/// How a log is replayed call by call.
struct CallReplayOptions {
    ReplayedComputing computing{};
    /// Of collectives. The table is that of the library that the job ran with, unless one is set.
    collectives::CollectiveSelection algorithms{};
    /// Barriers are the machine's (ProcessOptions::barrier_ps); else messages of 0 bytes.
    bool has_barrier_network = false;
};

/// Why the ranks of a log may wait for ever.
inline constexpr std::string_view kHintWhenLogIsStuck =
    "the calls of the log do not fit together, as in traces that say nothing of communicators; §form sets simulates "
    "the "
    "communication sets of its kernel";

/// What a replay does not do though the log has it, and what it takes for another; counts over all ranks.
struct ReplayGaps {
    std::int64_t outside_messages = 0;          ///< to or from processes that are not in the job
    std::int64_t never_completed = 0;           ///< receives that were cancelled or freed
    std::int64_t neighborhood_collectives = 0;  ///< no log knows their neighbours
    std::int64_t other_collectives = 0;         ///< of intercommunicators
    std::int64_t mean_sizes = 0;                ///< messages whose place had many sizes: they have the mean
    std::int64_t unknown_sources = 0;           ///< receives from any source of which the log does not say what came
};

/// How a kind of gap is told.
struct ReplayGapRow {
    std::string_view key;       ///< in reports
    std::string_view sentence;  ///< behind the count
    std::int64_t ReplayGaps::*count;
};
std::span<const ReplayGapRow> replay_gap_rows();

}  // namespace haichi
