#include "mapper/job/report_json.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/errors.h"
#include "mapper/anneal/objective_table.h"
#include "mapper/job/simulation_json.h"

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

/// Of a report or of one of its objectives.
template <class Valued>
ordered_json value_of(const Valued& valued) {
    return valued.counted_value ? wide_number(*valued.counted_value) : number_in(valued.unit, valued.value);
}
template <class Valued>
ordered_json bound_of(const Valued& valued) {
    if (valued.counted_lower_bound) return wide_number(*valued.counted_lower_bound);
    return valued.lower_bound ? number_in(valued.unit, *valued.lower_bound) : ordered_json(nullptr);
}

double quotient(std::int64_t a, std::int64_t b) { return b == 0 ? 0 : static_cast<double>(a) / static_cast<double>(b); }

/// The scalar metrics of the report, in its order: one row adds one to the JSON, to --require and to the help.
struct MetricRow {
    const char* name;
    ordered_json (*of)(const MapReport& report, const Metrics& metrics);
};
constexpr MetricRow kMetrics[] = {
    {"hop_bytes", [](const MapReport&, const Metrics& m) { return ordered_json(m.hop_bytes); }},
    {"hops_per_byte",
     [](const MapReport& report, const Metrics& m) {
         return ordered_json(quotient(m.hop_bytes, report.workload->total_bytes()));
     }},
    {"max_link_bytes", [](const MapReport&, const Metrics& m) { return ordered_json(m.max_link_bytes); }},
    {"mean_link_bytes",
     [](const MapReport& report, const Metrics& m) {
         return ordered_json(quotient(m.hop_bytes, report.allocation->network.existing_link_count()));
     }},
    {"rmatt", [](const MapReport&, const Metrics& m) { return wide_number(m.rmatt()); }},
    {"tac3_seconds", [](const MapReport&, const Metrics& m) { return ordered_json(m.tac3_seconds); }},
    {"tac3_bytes_seconds", [](const MapReport&, const Metrics& m) { return ordered_json(m.tac3_bytes_seconds); }},
    {"excess_bytes", [](const MapReport&, const Metrics& m) { return ordered_json(m.excess_bytes); }},
    {"largest_contention",
     [](const MapReport&, const Metrics& m) {
         return ordered_json(m.set_contention.empty() ? 0 : std::ranges::max(m.set_contention));
     }},
    {"contention_sum",
     [](const MapReport&, const Metrics& m) {
         return ordered_json(std::reduce(m.set_contention.begin(), m.set_contention.end(), std::int64_t{0}));
     }},
};

void add_metrics(ordered_json& out, const MapReport& report, const Metrics& metrics) {
    for (const MetricRow& row : kMetrics) out[row.name] = row.of(report, metrics);
    for (const KeyedValue& value : metrics.of_objectives) out[value.key] = number_in(value.unit, value.value);
    out["set_contention"] = metrics.set_contention;
    out["set_max_link_bytes"] = metrics.set_max_link_bytes;
}

ordered_json objectives_json(const MapReport& report) {
    ordered_json list = ordered_json::array();
    for (const ObjectiveValue& row : report.objectives) {
        ordered_json entry;
        entry["objective"] = row.objective;
        entry["unit"] = row.unit;
        entry["value"] = value_of(row);
        entry["lower_bound"] = bound_of(row);
        entry["optimal"] = row.optimal;
        list.push_back(std::move(entry));
    }
    return list;
}

ordered_json candidates_json(const MapReport& report) {
    ordered_json list = ordered_json::array();
    for (const PlacementCandidate& candidate : report.candidates) {
        ordered_json entry;
        entry["placement"] = candidate.is_default ? "default" : "searched";
        entry["searched_value"] = candidate.searched_value;
        entry["simulated_seconds_per_iteration"] =
            candidate.seconds_per_iteration ? ordered_json(*candidate.seconds_per_iteration) : ordered_json(nullptr);
        list.push_back(std::move(entry));
    }
    return list;
}

ordered_json hottest_links_json(const MapReport& report) {
    ordered_json list = ordered_json::array();
    for (const HotLink& hot : report.hottest_links) {
        ordered_json entry;
        entry["link"] = report.allocation->network.link_name(hot.link);
        entry["set"] = hot.set;
        entry["label"] = report.workload->set(hot.set).label;
        entry["message_count"] = hot.message_count;
        entry["load_bytes"] = hot.load_bytes;
        ordered_json messages = ordered_json::array();
        for (const Message& m : hot.messages) {
            messages.push_back(ordered_json::array({m.source.value, m.destination.value, m.size_bytes}));
        }
        entry["messages"] = std::move(messages);
        list.push_back(std::move(entry));
    }
    return list;
}

/// Of the first run; what others give stands beside it.
ordered_json simulated_json(const SimulatedPlacement& simulated) {
    ordered_json out = simulated_times(simulated.runs.front());
    if (!simulated.default_runs.empty()) out["default"] = simulated_times(simulated.default_runs.front());
    return out;
}

}  // namespace

void add_job(ordered_json& out, const Allocation& allocation, std::int32_t rank_count) {
    out["machine"] = allocation.machine_name;
    out["shape"] = allocation.shape;
    if (std::ranges::any_of(allocation.origin, [](std::int32_t c) { return c != 0; })) {
        out["origin"] = allocation.origin;
    }
    out["routing"] = allocation.network.routing_name();
    out["fold"] = allocation.fold.name;
    out["ranks"] = rank_count;
    out["nodes"] = allocation.node_count();
    out["ranks_per_node"] = allocation.ranks_per_node;
    if (allocation.network.usable_node_count() < allocation.node_count()) {
        out["faulty"] = ordered_json::array();
        for (std::int32_t n = 0; n < allocation.node_count(); ++n) {
            if (!allocation.network.is_usable(NodeId(n))) out["faulty"].push_back(n);
        }
    }
    if (allocation.network.options().count_nic) out["count_nic"] = true;
}

ordered_json report_json(const MapReport& report, bool with_timing) {
    ordered_json out;
    out["schema"] = "haichi-report/1";
    add_job(out, *report.allocation, report.mapping.rank_count());
    out["seed"] = report.seed;
    out["strategy"] = report.strategy;
    out["objective"] = report.objective;
    if (report.searched_objective) out["searched_objective"] = *report.searched_objective;
    out["unit"] = report.unit;
    out["value"] = value_of(report);
    if (report.search_value) out["search_value"] = number_in(report.unit, *report.search_value);
    out["lower_bound"] = bound_of(report);
    out["optimal"] = report.optimal;
    out["evaluations"] = report.evaluations;
    if (with_timing) {
        out["evaluations_per_second"] = report.evaluations_per_second;
        out["wall_seconds"] = report.wall_seconds;
    }
    if (!report.candidates.empty()) out["candidates"] = candidates_json(report);
    if (report.time_limit_seconds) out["time_limit_seconds"] = *report.time_limit_seconds;
    out["reproducible"] = report.reproducible;
    if (report.interrupted) out["interrupted"] = true;
    out["metrics"] = ordered_json::object();
    add_metrics(out["metrics"], report, report.metrics);
    out["default"] = ordered_json::object();
    out["default"]["value"] = report.default_counted_value ? wide_number(*report.default_counted_value)
                                                           : number_in(report.unit, report.default_value);
    add_metrics(out["default"], report, report.default_metrics);
    if (report.simulated) out["simulated"] = simulated_json(*report.simulated);
    if (!report.objectives.empty()) out["objectives"] = objectives_json(report);
    if (!report.hottest_links.empty()) out["hottest_links"] = hottest_links_json(report);
    ordered_json::array_t nodes;
    nodes.reserve(static_cast<std::size_t>(report.mapping.rank_count()));
    for (const NodeId node : report.mapping.node_of_rank()) nodes.emplace_back(node.value);
    out["node_of_rank"] = std::move(nodes);
    return out;
}

ordered_json report_json(const ShapesReport& report, bool with_timing) {
    ordered_json out;
    out["schema"] = "haichi-report/1";
    const MapReport& first = report.shapes.front();
    out["machine"] = first.allocation->machine_name;
    out["ranks"] = first.mapping.rank_count();
    out["seed"] = first.seed;
    out["strategy"] = first.strategy;
    out["objective"] = first.objective;
    out["unit"] = first.unit;
    if (with_timing) out["wall_seconds"] = report.wall_seconds;
    if (report.interrupted) out["interrupted"] = true;
    if (const auto& robust = report.robust) {
        out["nodes"] = first.allocation->node_count();
        out["robust"] = name_of(robust->measure);
        out["with_rotations"] = robust->with_rotations;
        out["value"] = number_in(first.unit, robust->value);
        out["lower_bound"] = robust->lower_bound ? number_in(first.unit, *robust->lower_bound) : ordered_json(nullptr);
        out["optimal"] = robust->optimal;
        out["evaluations"] = robust->evaluations;
        if (with_timing) out["evaluations_per_second"] = robust->evaluations_per_second;
        out["position_of_rank"] = robust->position_of_rank;
    }
    out["shapes"] = ordered_json::array();
    for (std::size_t k = 0; k < report.shapes.size(); ++k) {
        ordered_json shape = report_json(report.shapes[k], with_timing);
        shape.erase("schema");
        if (report.robust) {
            for (const char* of_the_whole : {"evaluations", "evaluations_per_second", "wall_seconds"}) {
                shape.erase(of_the_whole);
            }
            shape["rotations"] = ordered_json::array();
            for (const RotationReport& rotation : report.robust->rotations[k]) {
                shape["rotations"].push_back({{"axes", rotation.axes},
                                              {"value", number_in(first.unit, rotation.value)},
                                              {"set_contention", rotation.set_contention}});
            }
        }
        out["shapes"].push_back(std::move(shape));
    }
    return out;
}

std::string report_text(const ordered_json& report) {
    const auto dump = [](const ordered_json& value) {
        return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
    };
    std::string text = "{";
    for (const auto& [key, value] : report.items()) {
        text += text.size() == 1 ? "\n  " : ",\n  ";
        text += dump(key) + ": " + dump(value);
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
        throw OptionError("reports tell " + name + " only where it is the objective",
                          "search for it with --objective " + name);
    }
    throw OptionError("unknown metric " + shown(name), near_or_all(name, names, "metrics are "));
}

double report_metric(const MapReport& report, const std::string& name) {
    if (name == "value" || name == report.objective) return report.value;
    const ObjectiveRow* objective = objectives().find(name);
    const std::string_view key = objective == nullptr ? name : objective->report_key;
    for (const MetricRow& row : kMetrics) {
        if (key == row.name) return row.of(report, report.metrics).get<double>();
    }
    for (const KeyedValue& value : report.metrics.of_objectives) {
        if (key == value.key) return value.value;
    }
    throw OptionError("this report does not tell " + name, "for jobs of this size name it as the objective");
}

}  // namespace haichi
