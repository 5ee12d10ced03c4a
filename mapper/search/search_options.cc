#include "mapper/search/search_options.h"

#include <array>
#include <string>
#include <utility>

#include "base/errors.h"
#include "base/split.h"

namespace haichi {

namespace {

template <class T, std::size_t N>
T choose(std::string_view what, std::string_view name, const std::array<std::pair<std::string_view, T>, N>& choices) {
    std::vector<std::string> names;
    std::string all;
    for (const auto& [known, value] : choices) {
        if (known == name) return value;
        names.emplace_back(known);
        all += (all.empty() ? "" : ", ") + std::string(known);
    }
    const std::string near = did_you_mean(name, names);
    throw OptionError("unknown " + std::string(what) + " " + shown(name), near.empty() ? "known are " + all : near);
}

using namespace std::string_view_literals;

constexpr std::array kMoves = {std::pair{"uniform"sv, MoveKind::kUniform}, std::pair{"empty"sv, MoveKind::kEmpty},
                               std::pair{"neighbour"sv, MoveKind::kNeighbour},
                               std::pair{"neighbor"sv, MoveKind::kNeighbour},
                               std::pair{"focused"sv, MoveKind::kFocused}};
constexpr std::array kSchedules = {std::pair{"auto"sv, ScheduleKind::kAuto}, std::pair{"paper"sv, ScheduleKind::kPaper},
                                   std::pair{"rmatt"sv, ScheduleKind::kRmatt}};
constexpr std::array kVerifyLevels = {std::pair{"off"sv, VerifyLevel::kOff}, std::pair{"end"sv, VerifyLevel::kEnd},
                                      std::pair{"step"sv, VerifyLevel::kStep}};

}  // namespace

std::vector<MoveKind> parse_moves(std::string_view text) {
    std::vector<MoveKind> moves;
    for (const std::string_view name : split(text, ',')) moves.push_back(choose("kind of move", name, kMoves));
    return moves;
}

ScheduleKind parse_schedule(std::string_view text) { return choose("schedule", text, kSchedules); }

void check_options(const SearchOptions& options) {
    const bool timed = options.time_limit_seconds || options.time_by_savings;
    if (timed && options.evaluations > 0) throw OptionError("--time and --evaluations exclude each other");
    if (timed && options.schedule == ScheduleKind::kRmatt) {
        throw OptionError("--time and --schedule rmatt exclude each other",
                          "the schedule ends when the objective stays the same over --evaluations");
    }
}

VerifyLevel parse_verify(std::string_view text) { return choose("verify level", text, kVerifyLevels); }

}  // namespace haichi
