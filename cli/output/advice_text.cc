#include "cli/output/advice_text.h"

#include <algorithm>
#include <array>

#include "cli/output/simulation_text.h"
#include "cli/output/tables.h"
#include "netmodel/topology/sizes.h"

namespace haichi::cli {

namespace {

using Row = std::vector<std::string>;

std::string count(std::int64_t number) { return count_text(static_cast<double>(number)); }

std::string iterations_text(const SimulatedIterations& iterations) {
    return "each of at most " + count(iterations.count) + (iterations.count == 1 ? " iteration" : " iterations");
}

/// "1.03 s ± 1 ms": the mean and the spread.
std::string spread_text(const std::vector<SimulatedTime>& times) {
    if (times.empty()) return "-";
    const TimeSpread spread = spread_of(times);
    return duration_text(spread.mean_seconds) + " ± " + duration_text(spread.spread_seconds);
}

/// The maximum number of shapes in the table, about one screen. --json has all shapes.
constexpr std::size_t kMostListed = 20;

std::string shape_notes(const ShapeAdviceReport& report) {
    std::int64_t searched = 0;
    std::int64_t simulated = 0;
    for (const ShapeReport& row : report.shapes) {
        searched += row.is_searched ? 1 : 0;
        simulated += row.times.without_barriers.empty() ? 0 : 1;
    }
    const auto all = static_cast<std::int64_t>(report.shapes.size());
    std::string text;
    if (all > static_cast<std::int64_t>(kMostListed)) {
        text += count(all - static_cast<std::int64_t>(kMostListed)) + " more shapes are listed only by --json\n";
    }
    if (searched < all) text += "the " + count(all - searched) + " least compact shapes were not searched\n";
    if (simulated > 0) {
        text += count(report.simulations) + " simulations, " + iterations_text(report.iterations) +
                "; mean and spread of " + std::to_string(report.seeds) +
                (report.seeds == 1 ? " placement" : " placements") + " per shape";
        if (simulated < searched) {
            text += "\n" + count(searched - simulated) + (searched - simulated == 1 ? " shape was" : " shapes were") +
                    " searched but not simulated";
        }
        text += "\n";
    }
    return text;
}

std::string choice_text(const std::vector<std::size_t>& sets) { return sets.empty() ? "no barrier" : sets_text(sets); }

/// A table of the fastest choices, the advised choice, and the choice without barriers.
std::string choices_table(const BarrierAdvice& advice) {
    constexpr std::size_t kMost = 8;
    std::vector<const BarrierChoiceTimes*> order;
    for (const BarrierChoiceTimes& choice : advice.choices) order.push_back(&choice);
    std::ranges::stable_sort(order, {}, [](const auto* choice) { return choice->draws.front().seconds; });
    const auto usual = std::ranges::find_if(order, [](const auto* choice) { return choice->sets.empty(); });
    if (usual == order.end()) return "";
    const double without = (*usual)->draws.front().seconds;
    // The sentence above the table compares means. The table shows the first draw, because only this draw has all
    // choices.
    const bool has_draws = (*usual)->draws.size() > 1;
    std::vector<Row> rows = {{"barriers before", has_draws ? "time, first draw" : "time", "saved"}};
    for (auto it = order.begin(); it != order.end(); ++it) {
        const bool is_advised = (*it)->sets == advice.sets;
        const bool is_first = it < order.begin() + static_cast<std::ptrdiff_t>(kMost);
        if (!is_first && it != usual && !is_advised) continue;
        const SimulatedTime& time = (*it)->draws.front();
        rows.push_back({choice_text((*it)->sets), duration_text(time.seconds),
                        it == usual ? "" : percent_text((without - time.seconds) / without)});
    }
    constexpr std::array<std::size_t, 2> kNumbers = {1, 2};
    return table(rows, "  ", kNumbers);
}

const char* verdict_text(BarrierVerdict verdict) {
    switch (verdict) {
        case BarrierVerdict::kNone:
            return "no barrier";
        case BarrierVerdict::kSets:
            return "use barriers";
        case BarrierVerdict::kUnknown:
            break;
    }
    return "unknown";
}

std::string sizes_table(const BarrierAdviceReport& report) {
    std::vector<Row> rows = {{"message size", "no barrier", "best", "before", "saved", "spread", ""}};
    for (const SizedBarrierAdvice& sized : report.sizes) {
        const BarrierAdvice& advice = sized.advice;
        Row row = {count(*sized.message_size_bytes)};
        const auto times_of = [&](const std::vector<std::size_t>& sets) {
            const auto found = std::ranges::find(advice.choices, sets, &BarrierChoiceTimes::sets);
            return found == advice.choices.end() ? "-" : duration_text(spread_of(found->draws).mean_seconds);
        };
        if (advice.sets.empty()) {
            row.insert(row.end(), {"-", "-", "-", "-", "-"});
        } else {
            row.insert(row.end(), {times_of({}), times_of(advice.sets), sets_text(advice.sets),
                                   duration_text(advice.gain_seconds), duration_text(advice.spread_seconds)});
        }
        row.emplace_back(verdict_text(advice.verdict));
        rows.push_back(std::move(row));
    }
    constexpr std::array<std::size_t, 5> kNumbers = {0, 1, 2, 4, 5};
    return table(rows, "  ", kNumbers);
}

std::string computation_text(const BarrierAdviceReport& report) {
    if (!report.is_of_log) return "";
    if (!(report.compute_seconds > 0)) return "communication only: the log has no times between its calls\n";
    return "each rank computes for " + duration_text(report.compute_seconds) +
           " per iteration, the mean of the times between the calls of the log\n";
}

std::string draws_text(const BarrierAdviceReport& report) {
    if (report.imbalance.is_even()) return "";
    return "each rank computes " + imbalance_text(report.imbalance) +
           (report.imbalance.interval_ps > 0 ? "" : " before each set") + ", in " + std::to_string(report.draws) +
           (report.draws == 1 ? " random draw\n" : " random draws\n");
}

}  // namespace

std::string shape_advice_text(const ShapeAdviceReport& report) {
    std::string text = std::to_string(report.ranks) + " ranks on " + count(report.node_count) + " nodes of " +
                       report.machine + ", " + count(static_cast<std::int64_t>(report.shapes.size())) +
                       (report.shapes.size() == 1 ? " allowed shape" : " allowed shapes") +
                       (report.is_listed ? " from its file" : "") + "\n";
    if (report.node_count != report.wanted_nodes) {
        text += "no allowed shape has " + count(report.wanted_nodes) + " nodes: the next larger number is " +
                count(report.node_count) + "\n";
    }
    std::vector<Row> rows = {
        {"request", "shape", "idle nodes", report.objective, "contention", "no barriers", "barriers"}};
    for (const ShapeReport& row : report.shapes) {
        if (rows.size() > kMostListed) break;
        const ShapeTimes& times = row.times;
        rows.push_back({sizes_text(times.request), sizes_text(times.shape),
                        row.is_searched ? count(row.idle_nodes) : "-",
                        row.is_searched ? short_number(times.search_value) + (row.optimal ? " (optimal)" : "") : "-",
                        row.is_searched ? count(row.contention_sum) : "-", spread_text(times.without_barriers),
                        spread_text(times.with_barriers)});
    }
    constexpr std::array<std::size_t, 2> kNumbers = {2, 4};
    text.append("\n").append(table(rows, "  ", kNumbers)).append("\n");
    return text + shape_notes(report) + report.advice.sentence + "\n";
}

std::string barrier_advice_text(const BarrierAdviceReport& report) {
    std::string text = job_line(report.placement.job());
    text += report.placement.is_default() ? "placement: default" : "placement: given";
    text += ", contention per set: " + contention_text(report.set_contention) + "\n" + computation_text(report) +
            draws_text(report);
    const bool is_sweep = report.sizes.empty() || report.sizes.front().message_size_bytes;
    if (is_sweep)
        return text.append("\n").append(sizes_table(report)).append("\n").append(report.sentence).append("\n");
    const SizedBarrierAdvice& sized = report.sizes.front();
    const BarrierAdvice& advice = sized.advice;
    if (advice.simulations > 0) {
        text += count(advice.simulations) + " simulations, " + iterations_text(sized.iterations) +
                (advice.tried_all
                     ? "; all choices of sets were tried (sets are numbered from 1)\n"
                     : "; too many choices to try all, so one set was changed at a time (sets are numbered from 1)\n");
        text.append("\n").append(choices_table(advice)).append("\n");
    }
    return text + report.sentence + "\n";
}

std::string spread_advice_text(const SpreadAdviceReport& report) {
    const SpreadQuestion& question = report.question;
    std::string text =
        report.machine + ", gateway nodes delay packets by up to " + duration_text(question.delay_seconds) + "\n";
    if (!report.of_calls && question.computing_is_known && report.compute_seconds > 0) {
        text += "a rank in one cluster computes for " + duration_text(report.compute_seconds) + " per iteration\n";
    }
    std::vector<Row> rows = {{"", "ranks", "nodes", "per node", "default",
                              "mapped" + (report.objective.empty() ? "" : " by " + report.objective)}};
    const auto add = [&](const SpreadPlace& place) {
        const auto least = std::ranges::min_element(place.mapped, {}, &SimulatedTime::seconds);
        rows.push_back({clusters_text(place), count(place.ranks), count(place.nodes), count(place.ranks_per_node),
                        place.by_default.empty() ? "-" : duration_text(place.by_default.front().seconds),
                        least == place.mapped.end() ? "-" : duration_text(least->seconds)});
    };
    for (const SpreadPlace& place : question.in_one) add(place);
    add(question.over_all);
    constexpr std::array<std::size_t, 5> kNumbers = {1, 2, 3, 4, 5};
    text.append("\n").append(table(rows, "  ", kNumbers)).append("\n");
    if (report.simulations > 0) {
        text += count(report.simulations) + " simulations" +
                (report.of_calls ? " of the log's calls" : ", " + iterations_text(report.iterations)) + "\n";
    }
    return text + report.advice.sentence + "\n";
}

}  // namespace haichi::cli
