#include "mapper/report/report_json.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/errors.h"
#include "base/json_text.h"
#include "mapper/anneal/objective_table.h"
#include "mapper/report/simulation_json.h"
#include "mapper/report/verdict.h"
#include "netmodel/machine/node_request.h"

namespace haichi {

using nlohmann::ordered_json;

namespace {

ordered_json wide_number(unsigned __int128 value) {
    constexpr unsigned __int128 kLargest = std::numeric_limits<std::uint64_t>::max();
    return value <= kLargest ? ordered_json(static_cast<std::uint64_t>(value))
                             : ordered_json(static_cast<double>(value));
}

ordered_json number_in(const std::string& unit, double value) {
    constexpr double kTwoTo63 = 0x1.0p63;
    const bool whole = is_counted(unit) && std::fabs(value) < kTwoTo63 && std::trunc(value) == value;
    return whole ? ordered_json(static_cast<std::int64_t>(value)) : ordered_json(value);
}

ordered_json value_of(const ObjectiveValue& row) {
    return row.counted_value ? wide_number(*row.counted_value) : number_in(row.unit, row.value);
}
ordered_json bound_of(const ObjectiveValue& row) {
    if (row.counted_lower_bound) return wide_number(*row.counted_lower_bound);
    return row.lower_bound ? number_in(row.unit, *row.lower_bound) : ordered_json(nullptr);
}

double quotient(std::int64_t a, std::int64_t b) { return b == 0 ? 0 : static_cast<double>(a) / static_cast<double>(b); }

/// A scalar metric. The table lists all in the order of the report. An entry adds a metric to the JSON, to --require
/// and to the help.
struct MetricRow {
    const char* name;
    ordered_json (*of)(const Job& job, const Metrics& metrics);
};
constexpr MetricRow kMetrics[] = {
    {"hop_bytes", [](const Job&, const Metrics& m) { return ordered_json(m.hop_bytes); }},
    {"hops_per_byte",
     [](const Job& job, const Metrics& m) {
         return ordered_json(quotient(m.hop_bytes, job.workload().total_bytes()));
     }},
    {"max_link_bytes", [](const Job&, const Metrics& m) { return ordered_json(m.max_link_bytes); }},
    {"mean_link_bytes",
     [](const Job& job, const Metrics& m) {
         const auto passed = std::accumulate(m.link_bytes.begin(), m.link_bytes.end(), std::int64_t{0});
         return ordered_json(quotient(passed, job.allocation().network.existing_link_count()));
     }},
    {"rmatt", [](const Job&, const Metrics& m) { return wide_number(m.rmatt()); }},
    {"tac3_seconds", [](const Job&, const Metrics& m) { return ordered_json(m.tac3_seconds); }},
    {"tac3_bytes_seconds", [](const Job&, const Metrics& m) { return ordered_json(m.tac3_bytes_seconds); }},
    {"excess_bytes", [](const Job&, const Metrics& m) { return ordered_json(m.excess_bytes); }},
    {"largest_contention",
     [](const Job&, const Metrics& m) {
         return ordered_json(m.set_contention.empty() ? 0 : std::ranges::max(m.set_contention));
     }},
    {"contention_sum",
     [](const Job&, const Metrics& m) {
         return ordered_json(std::reduce(m.set_contention.begin(), m.set_contention.end(), std::int64_t{0}));
     }},
};

void add_metrics(ordered_json& out, const Job& job, const Metrics& metrics) {
    for (const MetricRow& row : kMetrics) out[row.name] = row.of(job, metrics);
    for (const KeyedValue& value : metrics.of_objectives) out[value.key] = number_in(value.unit, value.value);
    out["set_contention"] = metrics.set_contention;
    out["set_max_link_bytes"] = metrics.set_max_link_bytes;
}

ordered_json objective_json(const ObjectiveValue& row) {
    ordered_json entry;
    entry["objective"] = row.objective;
    entry["unit"] = row.unit;
    entry["value"] = value_of(row);
    entry["lower_bound"] = bound_of(row);
    entry["optimal"] = row.optimal;
    return entry;
}

ordered_json objectives_json(const std::vector<ObjectiveValue>& rows) {
    ordered_json list = ordered_json::array();
    for (const ObjectiveValue& row : rows) list.push_back(objective_json(row));
    return list;
}

/// The requested objective and its tie-breaking order.
ordered_json levels_json(const Evaluation& evaluation) {
    std::vector<ObjectiveValue> levels = {evaluation.asked};
    levels.insert(levels.end(), evaluation.next.begin(), evaluation.next.end());
    return objectives_json(levels);
}

ordered_json candidates_json(const SearchRecord& search) {
    ordered_json list = ordered_json::array();
    for (const PlacementCandidate& candidate : search.candidates) {
        ordered_json entry;
        entry["placement"] = candidate.is_default ? "default" : "searched";
        entry["searched_value"] = candidate.searched_value;
        entry["simulated_seconds_per_iteration"] =
            candidate.seconds_per_iteration ? ordered_json(*candidate.seconds_per_iteration) : ordered_json(nullptr);
        list.push_back(std::move(entry));
    }
    return list;
}

ordered_json most_loaded_links_json(const Evaluation& evaluation) {
    const Job& job = evaluation.placement.job();
    ordered_json list = ordered_json::array();
    for (const HotLink& hot : evaluation.most_loaded_links) {
        ordered_json entry;
        entry["link"] = job.allocation().network.link_name(hot.link);
        entry["set"] = hot.set;
        entry["label"] = job.workload().set(hot.set).label;
        entry["message_count"] = hot.message_count;
        entry["load_bytes"] = hot.load_bytes;
        entry["seconds"] = hot.seconds;
        ordered_json messages = ordered_json::array();
        for (const Message& m : hot.messages) {
            messages.push_back(ordered_json::array({m.source.value, m.destination.value, m.size_bytes}));
        }
        entry["messages"] = std::move(messages);
        list.push_back(std::move(entry));
    }
    return list;
}

ordered_json trials_json(const ObjectiveTrials& trials, bool with_timing) {
    ordered_json out;
    const Verdict verdict = verdict_of(trials);
    out["verdict"] = {{"text", verdict.text},
                      {"helps", verdict.helps},
                      {"share_saved", verdict.share_saved},
                      {"spread", verdict.spread ? ordered_json(*verdict.spread) : ordered_json(nullptr)}};
    out["judge"] = trials.judge;
    out["form"] = trials.of_calls ? "calls" : "sets";
    if (!trials.reason.empty()) out["reason"] = trials.reason;
    out["default_seconds"] = trials.default_seconds;
    out["seconds"] = trials.seconds;
    out["keeps_default"] = trials.keeps_default;
    out["trials"] = ordered_json::array();
    for (const ObjectiveTrial& trial : trials.trials) {
        const std::optional<double> spread = spread_seconds(trial);
        out["trials"].push_back({{"objective", trial.objective},
                                 {"then", trial.next},
                                 {"seconds", trial.seconds},
                                 {"mean", mean_seconds(trial)},
                                 {"spread", spread ? ordered_json(*spread) : ordered_json(nullptr)},
                                 {"chosen", trial.is_chosen}});
    }
    out["full"] = nullptr;
    if (trials.full)
        out["full"] = {{"default_seconds", trials.full->default_seconds}, {"seconds", trials.full->seconds}};
    out["loaded"] = nullptr;
    if (trials.loaded) {
        out["loaded"] = {{"judge", trials.loaded->is_simulated ? "simulated" : "predicted"},
                         {"mean_message_bytes", trials.loaded->mean_message_bytes},
                         {"default_seconds", trials.loaded->default_seconds},
                         {"seconds", trials.loaded->seconds}};
    }
    if (with_timing) out["judging_seconds"] = trials.judging_seconds;
    return out;
}

/// The placement's search record, or the record of a placement that the user gave.
const SearchRecord& record_of(const Placement& placement) {
    static const SearchRecord kGiven{.strategy = "given", .objective = ""};
    return placement.search() == nullptr ? kGiven : *placement.search();
}

/// The values of a robust placement on all shapes.
void add_robust(ordered_json& out, const RobustPlacement& robust, const Evaluation& first, bool with_timing) {
    const std::string& unit = first.asked.unit;
    out["nodes"] = first.placement.job().allocation().node_count();
    out["robust"] = name_of(robust.options.measure);
    out["with_rotations"] = robust.options.with_rotations;
    out["value"] = number_in(unit, robust.value);
    out["lower_bound"] = robust.lower_bound ? number_in(unit, *robust.lower_bound) : ordered_json(nullptr);
    out["optimal"] = robust.optimal;
    out["evaluations"] = robust.evaluations;
    if (with_timing) out["evaluations_per_second"] = robust.evaluations_per_second;
    out["position_of_rank"] = robust.position_of_rank;
}

ordered_json rotations_json(const std::vector<RotationReport>& rotations, const std::string& unit) {
    ordered_json list = ordered_json::array();
    for (const RotationReport& rotation : rotations) {
        list.push_back({{"axes", rotation.axes},
                        {"value", number_in(unit, rotation.value)},
                        {"set_contention", rotation.set_contention}});
    }
    return list;
}

/// Times of the first run. Other runs are reported separately.
ordered_json simulated_json(const SimulatedPlacement& simulated) {
    ordered_json out = simulated_times(simulated.runs.front());
    if (!simulated.default_runs.empty()) out["default"] = simulated_times(simulated.default_runs.front());
    return out;
}

/// The counts above 0, with the keys that a replay uses for calls that it omits.
ordered_json left_out_json(const LeftOutOfSets& left_out) {
    ordered_json out = ordered_json::object();
    if (left_out.one_sided_operations > 0) out["one_sided_operations"] = left_out.one_sided_operations;
    if (left_out.one_sided_bytes > 0) out["one_sided_bytes"] = left_out.one_sided_bytes;
    if (left_out.unknown_calls > 0) out["unknown_calls"] = left_out.unknown_calls;
    return out;
}

}  // namespace

void add_job(ordered_json& out, const Job& job) {
    const Allocation& allocation = job.allocation();
    out["machine"] = allocation.machine_name;
    out["shape"] = allocation.shape;
    if (std::ranges::any_of(allocation.origin, [](std::int32_t c) { return c != 0; })) {
        out["origin"] = allocation.origin;
    }
    out["routing"] = allocation.network.routing_name();
    out["fold"] = allocation.fold.name;
    if (!allocation.is_node_list && has_logical_axes(job.machine())) out["request"] = allocation.fold.logical_sizes;
    out["ranks"] = job.rank_count();
    out["nodes"] = allocation.node_count();
    out["ranks_per_node"] = allocation.ranks_per_node;
    if (!allocation.slots_of_node.empty()) out["slots_of_node"] = allocation.slots_of_node;
    if (allocation.network.usable_node_count() < allocation.node_count()) {
        out["faulty"] = ordered_json::array();
        for (std::int32_t n = 0; n < allocation.node_count(); ++n) {
            if (!allocation.network.is_usable(NodeId(n))) out["faulty"].push_back(n);
        }
    }
    if (allocation.network.options().count_nic) out["count_nic"] = true;
    if (allocation.network.has_stated_distances()) out["distances"] = allocation.network.options().distances;
}

ordered_json::array_t nodes_json(const Mapping& mapping) {
    ordered_json::array_t nodes;
    nodes.reserve(static_cast<std::size_t>(mapping.rank_count()));
    for (const NodeId node : mapping.node_of_rank()) nodes.emplace_back(node.value);
    return nodes;
}

ordered_json report_json(const Evaluation& evaluation, bool with_timing) {
    const Placement& placement = evaluation.placement;
    const SearchRecord& search = record_of(placement);
    const ObjectiveValue& asked = evaluation.asked;
    ordered_json out;
    out["schema"] = "haichi-report/1";
    add_job(out, placement.job());
    if (const RankBalance* balance = placement.job().balance()) {
        const HeaviestNode heaviest = heaviest_node(*balance, placement.mapping());
        out.erase("ranks_per_node");
        out["balance"] = {{"imbalance_limit", balance->imbalance}, {"imbalance", heaviest.imbalance},
                          {"node_capacity", balance->capacity},    {"heaviest_node", heaviest.node.value},
                          {"heaviest_weight", heaviest.weight},    {"total_weight", balance->total}};
    }
    out["seed"] = search.seed;
    out["strategy"] = search.strategy;
    out["objective"] = asked.objective;
    if (evaluation.searched_objective) out["searched_objective"] = *evaluation.searched_objective;
    out["unit"] = asked.unit;
    out["value"] = value_of(asked);
    if (evaluation.search_value) out["search_value"] = number_in(asked.unit, *evaluation.search_value);
    out["lower_bound"] = bound_of(asked);
    out["optimal"] = asked.optimal;
    out["levels"] = levels_json(evaluation);
    out["evaluations"] = search.evaluations;
    if (with_timing) {
        auto& rate = out["evaluations_per_second"];  // stays null if the rate is unknown
        if (search.evaluations_per_second > 0) rate = search.evaluations_per_second;
        out["wall_seconds"] = wall_seconds(evaluation);
    }
    if (!search.candidates.empty()) out["candidates"] = candidates_json(search);
    if (search.trials) out["auto"] = trials_json(*search.trials, with_timing);
    if (search.time_limit_seconds) out["time_limit_seconds"] = *search.time_limit_seconds;
    if (search.seconds_gone > 0) out["seconds_of_earlier_runs"] = search.seconds_gone;
    out["reproducible"] = search.reproducible && !evaluation.interrupted;
    if (evaluation.interrupted) out["interrupted"] = true;
    if (ordered_json left_out = left_out_json(placement.job().left_out_of_sets()); !left_out.empty()) {
        out["left_out"] = std::move(left_out);
    }
    out["metrics"] = ordered_json::object();
    add_metrics(out["metrics"], placement.job(), evaluation.metrics);
    out["default"] = ordered_json::object();
    out["default"]["value"] = value_of(evaluation.usual);
    add_metrics(out["default"], placement.job(), evaluation.default_metrics);
    if (evaluation.rotated) {
        out["rotated"] = {{"shape", evaluation.rotated->shape},
                          {"value", number_in(asked.unit, evaluation.rotated->value)},
                          {"strict", evaluation.rotated->matters}};
    }
    if (evaluation.simulated) out["simulated"] = simulated_json(*evaluation.simulated);
    if (!evaluation.objectives.empty()) out["objectives"] = objectives_json(evaluation.objectives);
    if (!evaluation.most_loaded_links.empty()) out["most_loaded_links"] = most_loaded_links_json(evaluation);
    out["node_of_rank"] = nodes_json(placement.mapping());
    return out;
}

ordered_json report_json(const ShapesReport& report, bool with_timing) {
    const Evaluation& first = report.shapes.front();
    const Job& job = first.placement.job();
    const SearchRecord& search = record_of(first.placement);
    ordered_json out;
    out["schema"] = "haichi-report/1";
    out["machine"] = job.allocation().machine_name;
    out["ranks"] = job.rank_count();
    out["seed"] = search.seed;
    out["strategy"] = search.strategy;
    out["objective"] = first.asked.objective;
    out["unit"] = first.asked.unit;
    if (with_timing) out["wall_seconds"] = report.wall_seconds;
    if (report.interrupted) out["interrupted"] = true;
    if (report.robust) add_robust(out, *report.robust, first, with_timing);
    out["shapes"] = ordered_json::array();
    for (std::size_t k = 0; k < report.shapes.size(); ++k) {
        ordered_json shape = report_json(report.shapes[k], with_timing);
        shape.erase("schema");
        if (report.robust) {
            for (const char* of_the_whole : {"evaluations", "evaluations_per_second", "wall_seconds"}) {
                shape.erase(of_the_whole);
            }
            shape["rotations"] = rotations_json(report.robust->rotations[k], first.asked.unit);
        }
        out["shapes"].push_back(std::move(shape));
    }
    return out;
}

std::string report_text(const ordered_json& report) {
    std::string text = "{";
    for (const auto& [key, value] : report.items()) {
        text += text.size() == 1 ? "\n  " : ",\n  ";
        text += quoted_json(key) + ": " + json_text(value);
    }
    return text + "\n}\n";
}

std::vector<std::string> metric_names() {
    std::vector<std::string> names = {"value"};
    for (const ObjectiveRow& row : objectives()) {
        if (!row.report_key.empty()) names.emplace_back(row.name);
    }
    const auto add = [&](std::string_view key) {
        if (std::ranges::find(names, key) == names.end()) names.emplace_back(key);
    };
    for (const MetricRow& row : kMetrics) add(row.name);
    for (const ObjectiveRow& row : objectives()) {
        if (!row.report_key.empty()) add(row.report_key);
    }
    return names;
}

void check_metric_name(const std::string& name, const std::string& objective) {
    const std::vector<std::string> names = metric_names();
    if (name == objective || std::ranges::find(names, name) != names.end()) return;
    if (objectives().find(name) != nullptr) {
        throw OptionError("reports include " + name + " only if it is the objective",
                          "search for it with §objective " + name);
    }
    throw OptionError("unknown metric " + shown(name), near_or_all(name, names, "metrics are "));
}

double report_metric(const Evaluation& evaluation, const std::string& name) {
    if (name == "value" || name == evaluation.asked.objective) return evaluation.asked.value;
    const ObjectiveRow* objective = objectives().find(name);
    const std::string_view key = objective == nullptr ? name : objective->report_key;
    for (const MetricRow& row : kMetrics) {
        if (key == row.name) return row.of(evaluation.placement.job(), evaluation.metrics).get<double>();
    }
    for (const KeyedValue& value : evaluation.metrics.of_objectives) {
        if (key == value.key) return value.value;
    }
    throw OptionError("this report does not include " + name, "name it as the objective of a job of this size");
}

}  // namespace haichi
