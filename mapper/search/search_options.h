#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "base/table.h"
#include "objectives/mapping.h"

namespace haichi {

enum class ScheduleKind { kAuto, kPaper, kRmatt };
enum class MoveKind { kUniform, kEmpty, kNeighbour, kStep, kFocused };
enum class VerifyLevel { kOff, kEnd, kStep };

/// How to search; the defaults are what a user should get.
struct SearchOptions {
    std::uint64_t seed = 1;
    /// Independent searches, of which the best counts; 0: by the rule of default_restarts(). Independent of threads.
    std::int32_t restarts = 0;
    std::int32_t threads = 0;  ///< 0: all cores
    /// Evaluations per restart, or per window of the schedule rmatt; 0: by the schedule's rule.
    std::int64_t evaluations = 0;
    /// Wall-clock limit of the whole search instead of a number of evaluations; results are then not reproducible.
    std::optional<double> time_limit_seconds;
    double seconds_gone = 0;  ///< of that limit, in earlier runs that this one goes on from
    /// The limit follows from the time that a better placement can save (mapper/job); excludes the two above.
    bool time_by_savings = false;
    ScheduleKind schedule = ScheduleKind::kAuto;
    /// Kinds of moves to mix in equal parts; empty: the default mix.
    std::vector<MoveKind> moves;
    /// Multiple of the smooth companion added to the objective in the search; unset: the default.
    std::optional<double> companion_weight;
    VerifyLevel verify = VerifyLevel::kOff;
};

/// What a user may choose of a search.
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

/// "uniform,focused" and so on; throws OptionError with did-you-mean.
std::vector<MoveKind> parse_moves(std::string_view text);

/// What is left of the time limit, where there is one; not nothing.
std::optional<double> time_left(const SearchOptions& options);

/// Throws OptionError for options that exclude each other.
void check_options(const SearchOptions& options);

/// How far a search is: called now and then from any of its threads, never at the same time.
struct SearchProgress {
    std::int32_t restarts_done = 0;
    std::int32_t restarts = 0;
    double fraction_done = 0;             ///< of the whole search, 0..1
    double best_value = 0;                ///< unit of the objective
    std::optional<double> lower_bound{};  ///< unit of the objective; unset: it has none
    std::int64_t evaluations = 0;         ///< of all restarts, so far
    std::string_view objective{};         ///< where several searches follow each other, that of the present one
};

/// What a long run looks at besides its options: all may be left empty. The callbacks must not throw.
struct SearchControl {
    std::function<void(const SearchProgress&)> progress;
    const std::atomic<bool>* stop = nullptr;  ///< set from outside: end soon with the best so far
    Log log{};
    /// Takes the best mapping so far, once a second or, where that takes long, more seldom; from one thread at a time.
    std::function<void(const Mapping& best)> keep{};
};

}  // namespace haichi
