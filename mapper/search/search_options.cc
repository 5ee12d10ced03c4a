#include "mapper/search/search_options.h"

#include <algorithm>
#include <string>

#include "base/errors.h"
#include "base/split.h"

namespace haichi {

const Table<MoveRow>& move_kinds() {
    static const Table<MoveRow> kMoves(
        {"kind of move", "kinds of moves"},
        {{"uniform", "a rank to any slot, swapping with whoever is there", MoveKind::kUniform},
         {"empty", "a rank to an empty slot", MoveKind::kEmpty},
         {"neighbour", "a rank to a slot near one of its partners", MoveKind::kNeighbour},
         {"step", "a rank one hop nearer to one of its partners", MoveKind::kStep},
         {"focused", "a rank whose messages cross the worst links, to any slot", MoveKind::kFocused}});
    return kMoves;
}

const Table<ScheduleRow>& schedules() {
    static const Table<ScheduleRow> kSchedules(
        {"schedule", "schedules"},
        {{"auto", "temperatures from the spread of first moves; ends at the bound", ScheduleKind::kAuto},
         {"paper", "that of the TAC3 paper: 197 temperatures, 2,500 evaluations each", ScheduleKind::kPaper},
         {"rmatt", "the RMATT tool's: ends when the objective stays the same over a window", ScheduleKind::kRmatt}});
    return kSchedules;
}

const Table<VerifyRow>& verify_levels() {
    static const Table<VerifyRow> kLevels(
        {"verify level", "levels"},
        {{"off", "the incremental value is trusted", VerifyLevel::kOff},
         {"end", "it is compared with the value from scratch at the end", VerifyLevel::kEnd},
         {"step", "and at every step", VerifyLevel::kStep}});
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
                          "the schedule ends when the objective stays the same over §evaluations");
    }
}

}  // namespace haichi
