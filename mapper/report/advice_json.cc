#include "mapper/report/advice_json.h"

#include "mapper/report/report_json.h"
#include "mapper/report/simulation_json.h"
#include "mgen/replay/simulation.h"

namespace haichi {

using nlohmann::ordered_json;

namespace {

ordered_json headed(const char* question) {
    ordered_json out;
    out["schema"] = "haichi-advice/1";
    out["question"] = question;
    return out;
}

ordered_json times_json(const std::vector<SimulatedTime>& times) {
    const TimeSpread spread = spread_of(times);
    ordered_json out;
    out["seconds"] = spread.mean_seconds;
    out["spread_seconds"] = spread.spread_seconds;
    out["by_seed"] = ordered_json::array();
    for (const SimulatedTime& time : times) out["by_seed"].push_back(time.seconds);
    return out;
}

/// `words` must be in the order of the enumerators.
template <class Enum, std::size_t count>
const char* word_of(Enum value, const char* const (&words)[count]) {
    return words[static_cast<std::size_t>(value)];
}
const char* name_of(ShapeVerdict verdict) { return word_of(verdict, {"one", "several", "any", "unknown"}); }
const char* name_of(BarrierVerdict verdict) { return word_of(verdict, {"none", "sets", "unknown"}); }
const char* name_of(RailChoice choice) { return word_of(choice, {"more", "fewer", "measured", "unknown"}); }
const char* name_of(SpreadVerdict verdict) { return word_of(verdict, {"spread", "stay", "equal", "unknown"}); }

ordered_json place_json(const SpreadPlace& place) {
    ordered_json out;
    out["clusters"] = place.clusters;
    out["ranks"] = place.ranks;
    out["nodes"] = place.nodes;
    out["ranks_per_node"] = place.ranks_per_node;
    if (place.by_default.empty()) return out;
    out["default_seconds"] = place.by_default.front().seconds;
    out["mapped_seconds"] = ordered_json::array();
    for (const SimulatedTime& time : place.mapped) out["mapped_seconds"].push_back(time.seconds);
    out["seconds"] = fastest(place).seconds;
    return out;
}

ordered_json row_json(const ShapeReport& row) {
    ordered_json out;
    out["shape"] = row.times.shape;
    out["request"] = row.times.request;
    out["mean_distance"] = row.mean_distance;
    if (!row.is_searched) return out;
    out["idle_nodes"] = row.idle_nodes;
    out["value"] = row.times.search_value;
    out["optimal"] = row.optimal;
    out["contention_sum"] = row.contention_sum;
    out["set_contention"] = row.set_contention;
    if (row.times.without_barriers.empty()) return out;
    out["without_barriers"] = times_json(row.times.without_barriers);
    out["with_barriers"] = times_json(row.times.with_barriers);
    return out;
}

/// Converts set ids, which start at 0, to set numbers, which start at 1.
ordered_json sets_json(const std::vector<std::size_t>& sets) {
    ordered_json out = ordered_json::array();
    for (const std::size_t t : sets) out.push_back(t + 1);
    return out;
}

ordered_json answer_json(const SizedBarrierAdvice& sized) {
    const BarrierAdvice& advice = sized.advice;
    ordered_json out;
    out["message_size"] = sized.message_size_bytes ? ordered_json(*sized.message_size_bytes) : ordered_json(nullptr);
    out["advice"] = name_of(advice.verdict);
    out["sets"] = sets_json(advice.sets);
    out["gain_seconds"] = advice.gain_seconds;
    out["spread_seconds"] = advice.spread_seconds;
    if (advice.break_even_seconds) out["break_even_seconds"] = *advice.break_even_seconds;
    if (advice.put_barrier_seconds) out["put_barrier_seconds"] = *advice.put_barrier_seconds;
    out["simulations"] = advice.simulations;
    out["tried_all"] = advice.tried_all;
    out["most_iterations"] = sized.iterations.count;
    out["choices"] = ordered_json::array();
    for (const BarrierChoiceTimes& choice : advice.choices) {
        ordered_json row;
        row["sets"] = sets_json(choice.sets);
        row["seconds"] = ordered_json::array();
        for (const SimulatedTime& time : choice.draws) row["seconds"].push_back(time.seconds);
        out["choices"].push_back(std::move(row));
    }
    out["sentence"] = advice.sentence;
    return out;
}

}  // namespace

ordered_json advice_json(const ShapeAdviceReport& report) {
    ordered_json out = headed("shape");
    out["machine"] = report.machine;
    out["ranks"] = report.ranks;
    out["ranks_per_node"] = report.ranks_per_node;
    out["wanted_nodes"] = report.wanted_nodes;
    out["nodes"] = report.node_count;
    out["listed_by_machine"] = report.is_listed;
    out["objective"] = report.objective;
    out["unit"] = report.unit;
    out["advice"] = name_of(report.advice.verdict);
    out["requests"] = report.advice.requests;
    out["gain"] = report.advice.gain;
    out["spread"] = report.advice.spread;
    out["seeds"] = report.seeds;
    out["simulations"] = report.simulations;
    out["most_iterations"] = report.iterations.count;
    if (report.interrupted) out["interrupted"] = true;
    out["shapes"] = ordered_json::array();
    for (const ShapeReport& row : report.shapes) out["shapes"].push_back(row_json(row));
    out["sentence"] = report.advice.sentence;
    return out;
}

ordered_json advice_json(const BarrierAdviceReport& report) {
    ordered_json out = headed("barrier");
    add_job(out, report.placement.job());
    out["placement"] = report.placement.is_default() ? "default" : "given";
    out["set_contention"] = report.set_contention;
    if (report.is_of_log) out["compute_seconds"] = report.compute_seconds;
    out["imbalance_share"] = report.imbalance.share;
    out["imbalance_seconds"] = static_cast<double>(report.imbalance.most_ps) / kPsPerSecond;
    if (report.imbalance.varies && !report.imbalance.is_even()) out["computing"] = spread_json(report.imbalance);
    out["draws"] = report.draws;
    if (report.interrupted) out["interrupted"] = true;
    out["answers"] = ordered_json::array();
    for (const SizedBarrierAdvice& sized : report.sizes) out["answers"].push_back(answer_json(sized));
    if (report.pays_from_bytes) out["pays_from_bytes"] = *report.pays_from_bytes;
    out["sentence"] = report.sentence;
    return out;
}

ordered_json advice_json(const RailAdviceReport& report) {
    ordered_json out = headed("rails");
    out["measured"] = report.is_measured;
    out["answers"] = ordered_json::array();
    for (const RailAdvice& advice : report.advices) out["answers"].push_back(rail_advice_json(advice));
    if (!report.trend.empty()) out["trend"] = report.trend;
    out["warnings"] = report.warnings;
    out["sentence"] = report.sentence;
    return out;
}

ordered_json advice_json(const SpreadAdviceReport& report) {
    const SpreadQuestion& question = report.question;
    const SpreadAdvice& advice = report.advice;
    ordered_json out = headed("spread");
    out["machine"] = report.machine;
    out["delay_seconds"] = question.delay_seconds;
    out["objective"] = report.objective;
    out["simulated"] = report.of_calls ? "calls" : "sets";
    if (!report.of_calls && question.computing_is_known) out["compute_seconds"] = report.compute_seconds;
    out["advice"] = name_of(advice.verdict);
    if (advice.gain > 0) {
        out["gain"] = advice.gain;
        out["tolerance"] = advice.tolerance;
        out["pays_without_delay"] = advice.pays_without_delay;
        out["pays_at_any_delay"] = advice.pays_at_any_delay;
    }
    if (advice.delay_seconds) out["pays_up_to_delay_seconds"] = advice.delay_seconds->middle();
    if (advice.computing_seconds) out["pays_from_compute_seconds"] = advice.computing_seconds->middle();
    out["simulations"] = report.simulations;
    if (!report.of_calls) out["most_iterations"] = report.iterations.count;
    if (report.interrupted) out["interrupted"] = true;
    out["in_one"] = ordered_json::array();
    for (const SpreadPlace& place : question.in_one) out["in_one"].push_back(place_json(place));
    out["over_all"] = place_json(question.over_all);
    out["sentence"] = advice.sentence;
    return out;
}

ordered_json rail_advice_json(const RailAdvice& advice) {
    ordered_json out;
    out["processes"] = advice.processes;
    out["advice"] = name_of(advice.choice);
    if (advice.choice == RailChoice::kNumber) {
        out["rails"] = advice.rails;
        out["gain"] = advice.gain;
    }
    out["reasons"] = advice.reasons;
    out["settings"] = advice.settings;
    return out;
}

}  // namespace haichi
