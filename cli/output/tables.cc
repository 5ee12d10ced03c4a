#include "cli/output/tables.h"
#include "cli/output/log_words.h"
#include "cli/output/simulation_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>

#include <fmt/core.h>

#include "mapper/report/verdict.h"
#include "netmodel/topology/sizes.h"

namespace haichi::cli {

namespace {

bool is_counted(const std::string& unit) { return unit != "seconds" && unit != "1"; }

std::string value_text(const std::string& unit, double value) {
    return is_counted(unit) ? count_text(value) : short_number(value);
}

std::string plural(std::int64_t count, const std::string& word) {
    return count_text(static_cast<double>(count)) + " " + word + (count == 1 ? "" : "s");
}

std::string gap_text(const ObjectiveValue& row) {
    if (!row.lower_bound) return "";
    if (row.optimal) return "optimal";
    if (*row.lower_bound <= 0) return "";
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.1f%%", (row.value / *row.lower_bound - 1) * 100);
    return text.data();
}

std::string hops_per_byte(const Job& job, const Metrics& metrics) {
    const auto bytes = static_cast<double>(job.workload().total_bytes());
    return short_number(bytes > 0 ? static_cast<double>(metrics.hop_bytes) / bytes : 0);
}

std::string hot_link_text(const Job& job, const HotLink& hot) {
    const std::string& label = job.workload().set(hot.set).label;
    std::string text = "  " + job.allocation().network.link_name(hot.link) + "  " + plural(hot.load_bytes, "byte") +
                       " of " + plural(hot.message_count, "message") + " in set " + std::to_string(hot.set + 1) +
                       (label.empty() ? "" : " (" + label + ")") + ", " + short_number(hot.seconds) +
                       " s at its bandwidth\n";
    for (const Message& m : hot.messages) {
        text += "      rank " + std::to_string(m.source.value) + " -> rank " + std::to_string(m.destination.value) +
                ", " + plural(m.size_bytes, "byte") + "\n";
    }
    const auto shown = static_cast<std::int64_t>(hot.messages.size());
    if (shown < hot.message_count) text += "      and " + std::to_string(hot.message_count - shown) + " more\n";
    return text;
}

/// A table of the placements that the objective simulated-time compared.
std::string candidates_text(const std::vector<PlacementCandidate>& candidates) {
    std::string text;
    for (const PlacementCandidate& candidate : candidates) {
        const auto& seconds = candidate.seconds_per_iteration;
        text += (text.empty() ? "" : ", ") + (seconds ? short_number(*seconds) + " s" : std::string("not simulated"));
        text += candidate.is_default ? " (default placement)"
                                     : " (" + short_number(candidate.searched_value) + " s by tac3)";
    }
    return text;
}

}  // namespace

std::string short_number(double value) {
    std::array<char, 40> text{};
    std::snprintf(text.data(), text.size(), "%.6g", value);
    return text.data();
}

std::string count_text(double value) {
    constexpr double kLargest = 1e15;
    if (std::trunc(value) != value || std::fabs(value) >= kLargest) return short_number(value);
    std::string digits = std::to_string(static_cast<std::int64_t>(value));
    const std::size_t first = value < 0 ? 1 : 0;
    for (std::size_t at = digits.size(); at > first + 3;) digits.insert(at -= 3, 1, ',');
    return digits;
}

std::string whole_text(std::uint64_t count) { return count_text(static_cast<double>(count)); }

std::string counted_text(std::uint64_t count, const std::string& word) {
    return whole_text(count) + " " + word + (count == 1 ? "" : "s");
}

std::string table(const std::vector<std::vector<std::string>>& rows, std::string_view indent,
                  std::span<const std::size_t> right_aligned) {
    std::vector<std::size_t> widths;
    for (const auto& row : rows) {
        widths.resize(std::max(widths.size(), row.size()), 0);
        for (std::size_t k = 0; k < row.size(); ++k) widths[k] = std::max(widths[k], row[k].size());
    }
    std::string text;
    for (const auto& row : rows) {
        std::string line(indent);
        for (std::size_t k = 0; k < row.size(); ++k) {
            const std::string blanks(widths[k] - row[k].size(), ' ');
            const bool right = std::ranges::find(right_aligned, k) != right_aligned.end();
            line += (right ? blanks + row[k] : row[k] + blanks) + "  ";
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    return text;
}

std::string definition_list(const std::vector<std::pair<std::string, std::string>>& entries) {
    constexpr std::size_t kWidth = 100;
    std::size_t column = 0;
    for (const auto& [name, description] : entries) column = std::max(column, name.size() + 2);
    std::string text;
    for (const auto& [name, description] : entries) {
        std::string line = name + std::string(column - name.size(), ' ');
        std::string_view rest = description;
        while (rest.size() > kWidth - column) {
            const auto blank = rest.rfind(' ', kWidth - column);
            if (blank == std::string_view::npos) break;
            text += line.append(rest.substr(0, blank)) + "\n";
            rest.remove_prefix(blank + 1);
            line = std::string(column, ' ');
        }
        text += line.append(rest) + "\n";
    }
    return text;
}

std::string contention_text(const std::vector<std::int64_t>& set_contention) {
    constexpr std::size_t kMostListed = 16;
    std::string text;
    if (set_contention.size() <= kMostListed) {
        for (const std::int64_t c : set_contention) text.append(text.empty() ? "" : " ").append(std::to_string(c));
        return text.empty() ? "no sets" : text;
    }
    std::map<std::int64_t, std::int64_t> sets_with;
    for (const std::int64_t c : set_contention) ++sets_with[c];
    for (const auto& [contention, sets] : sets_with) {
        text += (text.empty() ? "" : ", ") + std::to_string(contention) + " in " + plural(sets, "set");
    }
    return text;
}

std::string comparison_text(double value, double default_value) {
    if (value == default_value) return "the same as the default placement";
    const bool lower = value < default_value;
    if (std::min(value, default_value) <= 0) {
        return std::string(lower ? "lower" : "higher") + " than the default placement (" + short_number(default_value) +
               ")";
    }
    const double percent = std::fabs(value / default_value - 1) * 100;
    const std::string change = percent < 0.1 ? "less than 0.1" : fmt::format("{:.1f}", percent);
    return change + " % " + (lower ? "lower" : "higher") + " than the default placement";
}

std::string job_line(const Job& job) {
    const Allocation& allocation = job.allocation();
    std::string line = plural(job.rank_count(), "rank") + " on " + plural(allocation.node_count(), "node") + " of " +
                       allocation.machine_name;
    if (const auto faulty = allocation.node_count() - allocation.network.usable_node_count(); faulty > 0) {
        line += ", " + std::to_string(faulty) + " of them faulty";
    }
    if (const RankBalance* balance = job.balance()) {
        line += ", a weight of up to " + std::to_string(balance->capacity) + " on each";
    } else if (!allocation.slots_of_node.empty()) {
        line += ", " + std::to_string(std::ranges::min(allocation.slots_of_node)) + " to " +
                std::to_string(allocation.ranks_per_node) + " on each";
    } else if (allocation.ranks_per_node > 1)
        line += ", up to " + std::to_string(allocation.ranks_per_node) + " on each";
    if (!allocation.origin.empty()) line += ", shape " + sizes_text(allocation.shape);
    if (allocation.fold.logical_sizes.size() > 1) {
        line += " (logical " + sizes_text(allocation.fold.logical_sizes) + ")";
    }
    return line + ", routing " + allocation.network.routing_name() + ", fold " + allocation.fold.name + "\n";
}

/// The weight of the heaviest node, for a job with weighted ranks.
std::string balance_text(const Placement& placement) {
    const RankBalance& balance = *placement.job().balance();
    const HeaviestNode heaviest = heaviest_node(balance, placement.mapping());
    return fmt::format("heaviest node {} of at most {}, {:.2f} % above the mean", heaviest.weight, balance.capacity,
                       100 * heaviest.imbalance);
}

std::string simulated_text(const SimulatedPlacement& simulated) {
    const SimulationResult& result = simulated.runs.front().result;
    std::string text = short_number(result.seconds) + " s for " +
                       (result.gaps ? "the whole run" : plural(result.iterations, "iteration"));
    const ComputeImbalance& spread = simulated.runs.front().imbalance;
    const std::string varied = spread.is_even() ? "" : "; computation time " + spread_text(spread);
    if (simulated.default_runs.empty()) return text + varied;
    const double default_seconds = simulated.default_runs.front().result.seconds;
    text += ", " + comparison_text(result.seconds, default_seconds);
    if (result.seconds != default_seconds) text += " (" + short_number(default_seconds) + " s)";
    return text + varied;
}

namespace {

std::string bound_text(const ObjectiveValue& asked) {
    if (!asked.optimal) return value_text(asked.unit, *asked.lower_bound);
    return asked.lower_bound == asked.value ? "reached: no placement is better"
                                            : "all placements were evaluated: none is better";
}

std::string next_text(const ObjectiveValue& next) {
    std::string text = value_text(next.unit, next.value) + (next.unit == "1" ? "" : " " + next.unit);
    if (next.optimal) return text + ", optimal";
    if (next.lower_bound && *next.lower_bound > 0) text += ", bound " + value_text(next.unit, *next.lower_bound);
    return text;
}

/// The contention of this placement and of the default placement.
std::string contention_comparison(const Evaluation& evaluation) {
    return contention_text(evaluation.metrics.set_contention) +
           " (default placement: " + contention_text(evaluation.default_metrics.set_contention) + ")";
}
const Network& network_of(const Evaluation& evaluation) { return evaluation.placement.job().allocation().network; }
std::string hops_comparison(const Evaluation& evaluation) {
    const Job& job = evaluation.placement.job();
    return hops_per_byte(job, evaluation.metrics) +
           " (default placement: " + hops_per_byte(job, evaluation.default_metrics) + ")";
}

std::string effort_text(const Evaluation& evaluation, const SearchRecord& search, bool with_timing) {
    const std::string effort = plural(search.evaluations, "evaluation");
    if (!with_timing) return effort;
    const std::string timed = effort + " in " + short_number(std::round(wall_seconds(evaluation) * 1000) / 1000) + " s";
    if (search.trials)
        return timed + ", " + short_number(std::round(search.trials->judging_seconds * 1000) / 1000) +
               " s of it for simulations";
    if (search.evaluations_per_second == 0) return timed;
    return timed + ", " + count_text(std::round(search.evaluations_per_second)) + " per second and thread";
}

/// The lead over the second-best search. `share` is a fraction of the time with the default placement.
std::string lead_text(double share, double spread, bool is_one_seed) {
    constexpr double kLeast = 0.0005;  // smaller values round to 0.0 %
    if (!(share >= kLeast)) return "the second-best search is not slower than the chosen one in these simulations";
    const std::string lead = fmt::format("the second-best search is {:.1f} % slower than the chosen one", share * 100);
    if (is_one_seed) return lead + " (one seed, so the spread is unknown)";
    return lead + (share > spread ? ", more than the spread over seeds" : ", within the spread over seeds");
}

/// A sentence on the comparison under load.
std::string loaded_text(const ObjectiveTrials& trials, const std::string& objective) {
    const LoadedTrial& loaded = *trials.loaded;
    const std::string when = "all times are within 2 %. Under load, with messages of " +
                             bytes_text(static_cast<double>(loaded.mean_message_bytes)) + " and no computation, ";
    if (trials.keeps_default && !(loaded.seconds < loaded.default_seconds))
        return when + "none is faster than the default placement";
    const std::string less = less_text(1 - loaded.seconds / loaded.default_seconds, std::nullopt) + " time";
    if (!trials.keeps_default) return when + "the chosen placement takes " + less;
    return when + "a placement by " + objective + " takes " + less + " (--objective " + objective + " writes one)";
}

/// Lines on the searches of --objective auto, the chosen one first. All numbers compare times, not values of
/// objectives.
std::vector<std::string> trials_lines(const ObjectiveTrials& trials) {
    const double usual = trials.default_seconds > 0 ? trials.default_seconds : 1;
    const auto name_of = [](const ObjectiveTrial& trial) {
        std::string name = trial.objective;
        for (const std::string& next : trial.next) name += " then " + next;
        return name;
    };
    const auto shown = [&](const ObjectiveTrial& trial, double share_saved) {
        std::optional<double> spread = spread_seconds(trial);
        if (spread) *spread /= usual;
        return name_of(trial) + " (" + less_text(share_saved, spread) + ")";
    };
    const auto chosen = std::ranges::find(trials.trials, true, &ObjectiveTrial::is_chosen);
    const std::string of = trials.of_calls ? " run time" : " communication time";
    // This line omits the time of the chosen placement, because the verdict states it.
    std::vector<std::string> lines = {"chosen search: " + name_of(*chosen) + " (" + trials.judge +
                                      (trials.of_calls ? " call by call)" : ")")};
    // The others were judged by their first iterations. They keep their ratio to the chosen placement.
    const double share_per_second =
        trials.keeps_default ? 1 / usual : (1 - verdict_of(trials).share_saved) / trials.seconds;
    double nearest = std::numeric_limits<double>::infinity();
    double spread = 0;
    std::string others;
    for (const ObjectiveTrial& trial : trials.trials) {
        if (trial.is_chosen || trial.seconds.empty()) continue;
        others += (others.empty() ? "" : ", ") + shown(trial, 1 - mean_seconds(trial) * share_per_second);
        const double behind = mean_seconds(trial) - mean_seconds(*chosen);
        if (!(behind < nearest)) continue;
        nearest = behind;
        spread = std::hypot(spread_seconds(trial).value_or(0), spread_seconds(*chosen).value_or(0));
    }
    const bool is_one_seed = std::ranges::all_of(trials.trials, [](const auto& t) { return t.seconds.size() < 2; });
    if (!others.empty()) {
        lines.push_back("other searches, by" + of + ": " + others);
        if (!trials.keeps_default) lines.push_back(lead_text(nearest / usual, spread / usual, is_one_seed));
    }
    if (trials.loaded) lines.push_back(loaded_text(trials, chosen->objective));
    if (!trials.reason.empty()) lines.push_back(trials.reason);
    return lines;
}

/// The value if PJM rotates the request, as in "1,879,048,192 byte-hops if PJM rotates the request to 4x2x2x2x3x2".
std::string rotated_text(const Evaluation& evaluation) {
    const ObjectiveValue& asked = evaluation.asked;
    const RotatedValue& rotated = *evaluation.rotated;
    if (!rotated.matters) return "the same or lower if PJM rotates the request";
    const std::string value = value_text(asked.unit, rotated.value) + (asked.unit == "1" ? "" : " " + asked.unit);
    return value + " if PJM rotates the request to " + sizes_text(rotated.shape);
}

}  // namespace

std::string map_summary(const Evaluation& evaluation, bool with_timing) {
    const ObjectiveValue& asked = evaluation.asked;
    const SearchRecord* search = evaluation.placement.search();
    std::vector<std::vector<std::string>> rows;
    const bool has_verdict = search != nullptr && search->trials;
    if (has_verdict) rows.push_back({"verdict", verdict_of(*search->trials).text});
    // Only the verdict has a percentage, because percentages of other quantities would contradict it.
    const std::string compared = has_verdict
                                     ? " (default placement: " + value_text(asked.unit, evaluation.usual.value) + ")"
                                     : ", " + comparison_text(asked.value, evaluation.usual.value);
    rows.push_back({asked.objective, value_text(asked.unit, asked.value) + (asked.unit == "1" ? "" : " " + asked.unit) +
                                         " per iteration" + compared});
    if (search != nullptr && !search->candidates.empty()) {
        rows.push_back({"candidates", candidates_text(search->candidates)});
    }
    if (has_verdict) {
        for (const std::string& line : trials_lines(*search->trials)) rows.push_back({"auto", line});
    }
    const bool is_proof = asked.optimal && asked.lower_bound != asked.value;
    if (asked.optimal || asked.lower_bound) rows.push_back({is_proof ? "proof" : "bound", bound_text(asked)});
    for (const ObjectiveValue& next : evaluation.next) rows.push_back({"then " + next.objective, next_text(next)});
    if (evaluation.rotated) rows.push_back({"rotated", rotated_text(evaluation)});
    rows.push_back({"contention", contention_comparison(evaluation)});
    rows.push_back({unit_on(network_of(evaluation), "hops per byte"), hops_comparison(evaluation)});
    if (evaluation.placement.job().balance() != nullptr)
        rows.push_back({"balance", balance_text(evaluation.placement)});
    if (evaluation.simulated) rows.push_back({"simulated", simulated_text(*evaluation.simulated)});
    if (search != nullptr && search->evaluations > 0) {
        rows.push_back({"search", effort_text(evaluation, *search, with_timing)});
    }
    return job_line(evaluation.placement.job()) + table(rows, "  ");
}

std::string robust_summary(const ShapesReport& report) {
    const RobustPlacement& robust = *report.robust;
    const std::string& unit = report.shapes.front().asked.unit;
    std::string text = "one placement for " + plural(static_cast<std::int64_t>(report.shapes.size()), "shape");
    if (robust.options.with_rotations) text += " and every order of their logical axes";
    text += ": " + std::string(robust.options.measure == RobustMeasure::kMax ? "worst " : "mean ") +
            value_text(unit, robust.value) + " " + unit;
    if (robust.optimal) {
        text += ", equal to the bound: no placement is better";
    } else if (robust.lower_bound) {
        text += ", bound " + value_text(unit, *robust.lower_bound);
    }
    text += "\n";
    std::size_t rotated = 0;
    double worst = 0;
    for (const auto& rotations : robust.rotations) {
        rotated += rotations.size() - 1;
        for (const RotationReport& rotation : rotations) worst = std::max(worst, rotation.value);
    }
    if (rotated > 0) {
        text += "worst value if the scheduler rotates the request: " + value_text(unit, worst) + " " + unit + "\n";
    }
    return text;
}

std::string evaluation_text(const Evaluation& evaluation) {
    const Job& job = evaluation.placement.job();
    std::string text = job_line(job) + "\n";
    std::vector<std::vector<std::string>> rows = {{"objective", "value", "unit", "lower bound", "gap"}};
    for (const ObjectiveValue& row : evaluation.objectives) {
        rows.push_back({row.objective, value_text(row.unit, row.value), row.unit,
                        row.lower_bound ? value_text(row.unit, *row.lower_bound) : "none", gap_text(row)});
    }
    constexpr std::array<std::size_t, 3> kNumbers = {1, 3, 4};
    text += table(rows, "", kNumbers);
    text += "\n" + evaluation.asked.objective + ": " + comparison_text(evaluation.asked.value, evaluation.usual.value) +
            "\n";
    if (evaluation.rotated) text += "rotated: " + rotated_text(evaluation) + "\n";
    text += unit_on(network_of(evaluation), "hops per byte") + ": " + hops_comparison(evaluation) + "\n";
    text += "contention per set: " + contention_comparison(evaluation) + "\n";
    if (job.balance() != nullptr) text += "balance: " + balance_text(evaluation.placement) + "\n";
    if (evaluation.simulated) text += "simulated: " + simulated_text(*evaluation.simulated) + "\n";
    if (!evaluation.most_loaded_links.empty()) text += "\nmost loaded links\n";
    for (const HotLink& hot : evaluation.most_loaded_links) text += hot_link_text(job, hot);
    return text;
}

}  // namespace haichi::cli
