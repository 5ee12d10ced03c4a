#include "cli/output/log_comparison.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/output/log_words.h"
#include "cli/output/tables.h"

namespace haichi::cli {

namespace {

using nlohmann::ordered_json;

constexpr double kSlower = 1.05;
constexpr double kMatters = 0.01;

/// The mean time of a function over the profiled ranks.
double mean_seconds(const ComparedRun& run, const FunctionTotals& function) {
    return run.totals.profiled_ranks == 0 ? 0 : function.seconds_total / run.totals.profiled_ranks;
}

double mean_seconds(const ComparedRun& run, const std::string& name) {
    const auto found = std::ranges::find(run.totals.functions, name, &FunctionTotals::name);
    return found == run.totals.functions.end() ? 0 : mean_seconds(run, *found);
}

/// The functions of all runs, sorted by decreasing time.
std::vector<std::string> function_names(const std::vector<ComparedRun>& runs) {
    std::map<std::string, double> most;
    for (const ComparedRun& run : runs) {
        for (const FunctionTotals& f : run.totals.functions) {
            double& seconds = most[f.name];
            seconds = std::max(seconds, mean_seconds(run, f));
        }
    }
    std::vector<std::string> names;
    for (const auto& [name, seconds] : most) names.push_back(name);
    std::ranges::stable_sort(names, std::ranges::greater{}, [&](const std::string& name) { return most[name]; });
    return names;
}

void add_slower(const ComparedRun& from, const ComparedRun& to, bool by_rails, std::vector<FunctionChange>& changes) {
    for (const FunctionTotals& f : to.totals.functions) {
        const double before = mean_seconds(from, f.name);
        const double after = mean_seconds(to, f);
        const double shortest = std::min(from.totals.run_seconds, to.totals.run_seconds);
        if (before <= 0 || after < kSlower * before || std::max(before, after) < kMatters * shortest) continue;
        changes.push_back({f.name, from.label, to.label, by_rails, before, after});
    }
}

/// Compares runs that are equal in `other`. Each run is compared with the one that has the next higher `key`.
template <class Key, class Other>
void compare_neighbours(const std::vector<ComparedRun>& runs, Key key, Other other, bool by_rails,
                        std::vector<FunctionChange>& changes) {
    for (const ComparedRun& from : runs) {
        const ComparedRun* next = nullptr;
        for (const ComparedRun& to : runs) {
            if (other(to) != other(from) || key(to) <= key(from)) continue;
            if (next == nullptr || key(to) < key(*next)) next = &to;
        }
        if (next != nullptr) add_slower(from, *next, by_rails, changes);
    }
}

std::string change_text(const FunctionChange& change) {
    std::array<char, 32> ratio{};
    std::snprintf(ratio.data(), ratio.size(), "%.2f", change.ratio());
    return "  " + printable(change.function) + ": " + seconds_text(change.from_seconds) + " -> " +
           seconds_text(change.to_seconds) + " per rank, " + ratio.data() + " times slower, from " +
           printable(change.from) + " to " + printable(change.to) + "\n";
}

}  // namespace

std::vector<FunctionChange> slower_functions(const std::vector<ComparedRun>& runs) {
    const auto processes = [](const ComparedRun& run) { return run.processes; };
    const auto rails = [](const ComparedRun& run) { return run.rails.value_or(0); };
    std::vector<FunctionChange> changes;
    compare_neighbours(runs, processes, rails, false, changes);
    compare_neighbours(runs, rails, processes, true, changes);
    std::ranges::stable_sort(changes, std::ranges::greater{},
                             [](const FunctionChange& c) { return c.to_seconds - c.from_seconds; });
    return changes;
}

std::vector<MeasuredRun> measured_runs(const std::vector<ComparedRun>& runs) {
    std::vector<MeasuredRun> measured;
    for (const ComparedRun& run : runs) {
        if (run.rails) measured.push_back({run.label, run.processes, *run.rails, run.totals.run_seconds});
    }
    return measured;
}

std::string comparison_table(const std::vector<ComparedRun>& runs) {
    std::vector<std::vector<std::string>> rows(4);
    rows[0] = {"run"};
    rows[1] = {"ranks"};
    const bool has_rails = std::ranges::any_of(runs, [](const ComparedRun& run) { return run.rails.has_value(); });
    rows[2] = {"elapsed"};
    rows[3] = {"computation, mean of the ranks"};
    rows.push_back({"MPI, mean of the ranks"});
    std::vector<std::string> rails = {"NICs per node"};
    std::vector<std::size_t> numbers;
    for (const ComparedRun& run : runs) {
        numbers.push_back(rows[0].size());
        rows[0].push_back(printable(run.label));
        rows[1].push_back(std::to_string(run.processes));
        rails.push_back(run.rails ? std::to_string(*run.rails) : "?");
        rows[2].push_back(seconds_text(run.totals.run_seconds));
        rows[3].push_back(seconds_text(run.totals.computing.mean));
        rows[4].push_back(seconds_text(run.totals.mpi.mean));
    }
    if (has_rails) rows.insert(rows.begin() + 2, rails);
    for (const std::string& name : function_names(runs)) {
        std::vector<std::string> row = {"  " + printable(name)};
        for (const ComparedRun& run : runs) {
            const auto found = std::ranges::find(run.totals.functions, name, &FunctionTotals::name);
            row.push_back(found == run.totals.functions.end() ? "-" : seconds_text(mean_seconds(run, *found)));
        }
        rows.push_back(std::move(row));
    }
    std::string text = table(rows, "", numbers);
    for (const bool by_rails : {false, true}) {
        std::string list;
        for (const FunctionChange& change : slower_functions(runs)) {
            if (change.by_rails == by_rails) list += change_text(change);
        }
        if (list.empty()) continue;
        text += by_rails ? "\nfunctions that are slower with more NICs per node\n"
                         : "\nfunctions that are slower with more ranks\n";
        text += list;
    }
    return text;
}

ordered_json comparison_json(const std::vector<ComparedRun>& runs) {
    ordered_json out;
    out["schema"] = "haichi-log-comparison/1";
    out["runs"] = ordered_json::array();
    for (const ComparedRun& run : runs) {
        ordered_json row;
        row["label"] = run.label;
        row["processes"] = run.processes;
        row["rails"] = run.rails ? ordered_json(*run.rails) : ordered_json(nullptr);
        row["run_seconds"] = run.totals.run_seconds;
        row["mpi_seconds"] = run.totals.mpi_seconds;
        row["computing_seconds"] = run.totals.computing_seconds;
        row["balance"] = balance_json(run.totals);
        row["warnings"] = run.warnings;
        row["functions"] = functions_json(run.totals);
        out["runs"].push_back(std::move(row));
    }
    out["slower"] = ordered_json::array();
    for (const FunctionChange& change : slower_functions(runs)) {
        out["slower"].push_back({{"function", change.function},
                                 {"with_more", change.by_rails ? "rails" : "processes"},
                                 {"from", change.from},
                                 {"to", change.to},
                                 {"from_seconds", change.from_seconds},
                                 {"to_seconds", change.to_seconds},
                                 {"ratio", change.ratio()}});
    }
    return out;
}

}  // namespace haichi::cli
