#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "collectives/selection.h"

namespace haichi {

/// The computation time between the calls of a log.
struct ReplayedComputing {
    enum class Rule : std::uint8_t {
        kMean,   ///< the mean of the times measured at the call site
        kDrawn,  ///< drawn for each call, between the least and the greatest time at the call site, with the same mean
        kNone
    };
    Rule rule = Rule::kMean;  ///< a schedule has one time per operation, so kDrawn equals kMean
    double factor = 1;        ///< multiplies all times, for a faster or slower processor
    std::uint64_t seed = 1;
};

/// Options for replaying a log call by call.
struct CallReplayOptions {
    ReplayedComputing computing{};
    /// Algorithms of collectives. By default, the algorithms are those of the library that the job used.
    collectives::CollectiveSelection algorithms{};
    /// Barriers use the machine's network (ProcessOptions::barrier_ps) instead of messages of 0 bytes.
    bool has_barrier_network = false;
};

/// A possible reason why the ranks of a log wait forever.
inline constexpr std::string_view kHintWhenLogIsStuck =
    "the calls of the log do not match; use §form sets, for example if a trace has no communicators";

/// Operations in the log that a replay omits or approximates. Counts are sums over all ranks.
struct ReplayGaps {
    std::int64_t outside_messages = 0;          ///< to or from processes outside the job
    std::int64_t never_completed = 0;           ///< cancelled or freed receives
    std::int64_t neighborhood_collectives = 0;  ///< logs do not contain their neighbours
    std::int64_t other_collectives = 0;         ///< on inter-communicators and on communicators with unknown ranks
    std::int64_t one_sided_operations = 0;      ///< logs do not contain their order
    std::int64_t one_sided_bytes = 0;           ///< moved by these operations
    std::int64_t unknown_calls = 0;             ///< JobLog::left_out_calls
    std::int64_t mean_sizes = 0;                ///< messages from a call site with many sizes; they have the mean size
    std::int64_t unknown_sources = 0;           ///< receives from any source whose actual source is not in the log
};

/// The key and the description of a kind of gap.
struct ReplayGapRow {
    std::string_view key;       ///< in reports
    std::string_view sentence;  ///< printed after the count
    std::int64_t ReplayGaps::*count;
};
std::span<const ReplayGapRow> replay_gap_rows();

}  // namespace haichi
