#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "base/stop_flag.h"
#include "base/table.h"
#include "objectives/mapping.h"

namespace haichi {

enum class ScheduleKind { kAuto, kPaper, kRmatt };
enum class MoveKind { kUniform, kEmpty, kNeighbour, kStep, kFocused };
enum class VerifyLevel { kOff, kEnd, kStep };

/// Options of a search. The defaults are the recommended values.
struct SearchOptions {
    std::uint64_t seed = 1;
    /// Number of independent searches, of which the best result is taken. 0 means default_restarts(), which does not
    /// depend on threads.
    std::int32_t restarts = 0;
    std::int32_t threads = 0;  ///< 0 means all cores
    /// Evaluations per restart, or per window of the schedule rmatt. 0 means the schedule's default.
    std::int64_t evaluations = 0;
    /// Wall-clock limit of the whole search instead of a number of evaluations. Results are then not reproducible.
    std::optional<double> time_limit_seconds;
    double seconds_gone = 0;  ///< part of the limit spent in earlier runs that this run continues
    /// Derives the limit from the time that a better placement can save (mapper/job). Cannot be combined with the two
    /// members above.
    bool time_by_savings = false;
    ScheduleKind schedule = ScheduleKind::kAuto;
    /// Kinds of moves, mixed in equal parts. Empty means the default mix.
    std::vector<MoveKind> moves;
    /// Multiple of the smoothing term that the search adds to the objective. Unset means the default.
    std::optional<double> smoothing_weight;
    VerifyLevel verify = VerifyLevel::kOff;
};

/// A table entry: a kind of move that users can choose.
struct MoveRow {
    std::string_view name;
    std::string_view sentence;
    MoveKind kind;
};
struct ScheduleRow {
    std::string_view name;
    std::string_view sentence;
    ScheduleKind kind;
};
struct VerifyRow {
    std::string_view name;
    std::string_view sentence;
    VerifyLevel level;
};
const Table<MoveRow>& move_kinds();
const Table<ScheduleRow>& schedules();
const Table<VerifyRow>& verify_levels();

/// Parses a list such as "uniform,focused". Throws OptionError with a did-you-mean hint.
std::vector<MoveKind> parse_moves(std::string_view text);

/// The remaining time limit, if there is one; always positive.
std::optional<double> time_left(const SearchOptions& options);

/// Throws OptionError for options that cannot be combined.
void check_options(const SearchOptions& options);

/// Progress of a search. Any thread of the search may report it, but never two at once.
struct SearchProgress {
    std::int32_t restarts_done = 0;
    std::int32_t restarts = 0;
    double fraction_done = 0;             ///< fraction of the whole search, 0..1
    double best_value = 0;                ///< in the unit of the objective
    std::optional<double> lower_bound{};  ///< in the unit of the objective; unset if there is none
    std::int64_t evaluations = 0;         ///< sum over all restarts so far
    std::string_view objective{};  ///< objective of the current search, if there are several searches in sequence
};

/// Callbacks and the stop flag of a long run. All members are optional. Callbacks must not throw.
struct SearchControl {
    std::function<void(const SearchProgress&)> progress;
    const StopFlag* stop = nullptr;  ///< once the caller sets it, the search ends soon with the best so far
    Log log{};
    /// Receives the best placement so far, once a second, or less often if that takes long. Called from one thread at a
    /// time.
    std::function<void(const Mapping& best)> keep{};
};

}  // namespace haichi
