#include "mapper/search/search_options.h"

#include <algorithm>
#include <string>

#include "base/errors.h"
#include "base/split.h"

namespace haichi {

const Table<MoveRow>& move_kinds() {
    static const Table<MoveRow> kMoves(
        {"kind of move", "kinds of moves"},
        {{"uniform", "a rank to any slot, swapped with the rank there", MoveKind::kUniform},
         {"empty", "a rank to an empty slot", MoveKind::kEmpty},
         {"neighbour", "a rank to a slot near one of its partners", MoveKind::kNeighbour},
         {"step", "a rank one hop nearer to one of its partners", MoveKind::kStep},
         {"focused", "a rank with messages over the most loaded links, to any slot", MoveKind::kFocused}});
    return kMoves;
}

const Table<ScheduleRow>& schedules() {
    static const Table<ScheduleRow> kSchedules(
        {"schedule", "schedules"},
        {{"auto", "temperatures from trial moves; ends at the lower bound", ScheduleKind::kAuto},
         {"paper", "the TAC3 paper's schedule: 197 temperatures, 2,500 evaluations each", ScheduleKind::kPaper},
         {"rmatt", "the RMATT tool's schedule: ends when the objective hardly changes over a window",
          ScheduleKind::kRmatt}});
    return kSchedules;
}

const Table<VerifyRow>& verify_levels() {
    static const Table<VerifyRow> kLevels(
        {"verify level", "levels"},
        {{"off", "no comparison with a full evaluation", VerifyLevel::kOff},
         {"end", "compares the value with a full evaluation at the end", VerifyLevel::kEnd},
         {"step", "compares the value with a full evaluation at every step", VerifyLevel::kStep}});
    return kLevels;
}

std::vector<MoveKind> parse_moves(std::string_view text) {
    std::vector<MoveKind> moves;
    for (const std::string_view name : split(text, ',')) {
        moves.push_back(move_kinds().at(name == "neighbor" ? "neighbour" : name).kind);
    }
    return moves;
}

std::optional<double> time_left(const SearchOptions& options) {
    constexpr double kLeast = 1e-3;
    if (!options.time_limit_seconds) return std::nullopt;
    return std::max(*options.time_limit_seconds - options.seconds_gone, kLeast);
}

void check_options(const SearchOptions& options) {
    const bool timed = options.time_limit_seconds || options.time_by_savings;
    if (timed && options.evaluations > 0) throw OptionError("§time cannot be combined with §evaluations");
    if (timed && options.schedule == ScheduleKind::kRmatt) {
        throw OptionError("§time cannot be combined with §schedule rmatt",
                          "set the window of the schedule with §evaluations");
    }
}

}  // namespace haichi
