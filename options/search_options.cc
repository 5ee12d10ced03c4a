#include "options/search_options.h"

#include "base/errors.h"
#include "base/field_names.h"
#include "base/quantity.h"
#include "mapper/solve/strategy.h"
#include "options/job_options.h"

namespace haichi {

namespace {

void read_time(const std::string& word, SearchOptions& search) {
    constexpr double kPsPerS = 1e12;
    search.time_by_savings = word == "auto";
    if (search.time_by_savings) return;
    const std::int64_t time_ps = parse_time_ps(word, {field("time"), 0});
    if (time_ps == 0) throw OptionError("§time: " + shown(word) + " is too short (it must exceed 0 s)");
    search.time_limit_seconds = static_cast<double>(time_ps) / kPsPerS;
}

void read_smoothing(const std::string& word, SearchOptions& search) {
    if (word == "on") return;
    double weight = 0;
    if (word != "off") {
        OptionTable number;
        number.add_number("smoothing", weight, {.description = "", .least = 0});
        number.take("smoothing", {word});
    }
    search.smoothing_weight = weight;
}

}  // namespace

void declare_search(OptionTable& options, MapOptions& map) {
    SearchOptions& search = map.search;
    options.begin(OptionGroup::kSearch);
    options.add_read("strategy", ValueKind::kText,
                     [&map](const std::string& word) { map.strategy = strategies().at(word).name; },
                     {.description = "Placement strategy (haichi list strategies)", .otherwise = map.strategy});
    options.add_file_or_word("start", map.start.emplace<std::string>(),
                             {.description = "First placement of the search: a rank map or the name of a strategy",
                              .value = "MAP",
                              .otherwise = "the best of default, grid, greedy and bisection"});
    declare_seed(options, search.seed);
    declare_threads(options, search.threads, "all cores");
    options.add_count("restarts", search.restarts,
                      {.description = "Number of independent searches, of which haichi keeps the best result",
                       .otherwise = "depends on the job's size",
                       .most = 1'000'000});
    options.add_count("evaluations", search.evaluations,
                      {.description = "Number of evaluations per restart. With --schedule rmatt, number of evaluations "
                                      "between two checks of the stopping rule",
                       .otherwise = "depends on the schedule"});
    options.add_read("time", ValueKind::kTime, [&search](const std::string& word) { read_time(word, search); },
                     {.description = "Wall-clock limit, as in 10s (not reproducible). With auto, haichi spends 1 % of "
                                     "the time that a better placement can save",
                      .value = "TIME|auto",
                      .excludes = {"evaluations"}});
    options.begin(OptionGroup::kExpert);
    options.add_choice("schedule", search.schedule, schedules(), &ScheduleRow::kind,
                       {.description = "Annealing schedule: temperatures and stopping rule"});
    options.add_read("moves", ValueKind::kList,
                     [&search](const std::string& word) { search.moves = parse_moves(word); },
                     {.description = "Kinds of moves: one or more of " + move_kinds().listing(),
                      .otherwise = "all kinds that suit the job"});
    options.add_read(
        "smoothing", ValueKind::kText, [&search](const std::string& word) { read_smoothing(word, search); },
        {.description =
             "Smoothing term that is added to the objective: off, on (haichi chooses its weight), or a weight",
         .value = "X|on|off",
         .otherwise = "on",
         .former_names = {"companion"}});
    options.add_choice("verify", search.verify, verify_levels(), &VerifyRow::level,
                       {.description = "Check the incremental value of the objective against a full evaluation: never "
                                       "(off), at the end (end), or after every step (step)"});
}

void declare_objective(OptionTable& options, ObjectiveChoice& objective, const std::string& description,
                       const std::string& otherwise) {
    options.begin(OptionGroup::kSearch);
    options.add_text("objective", objective.name, {.description = description, .otherwise = otherwise});
}

void declare_then(OptionTable& options, ObjectiveChoice& objective) {
    options.begin(OptionGroup::kSearch);
    options.add_read(
        "then", ValueKind::kList, [&objective](const std::string& word) { objective.then = parse_next(word); },
        {.description = "Tie-breaking order: objectives that decide between equal values, or none",
         .value = "LIST",
         .otherwise = "hop-bytes if the objective is tac3, tac3-bytes, max-link-load or max-hops; otherwise none"});
}

}  // namespace haichi
