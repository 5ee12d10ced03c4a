#include <utility>

#include "base/stop_flag.h"
#include "library/data.h"
#include "mapper/anneal/objective_table.h"
#include "mapper/choose/map.h"
#include "mapper/judge/evaluate.h"
#include "mapper/report/report_json.h"
#include "objectives/plugged_objective.h"
#include "options/search_options.h"

namespace haichi::v0 {

namespace {

using detail::Access;

/// Converts an objective for the modules. `job` must outlive the result.
ObjectiveChoice as_choice(const Objective& objective, const detail::JobData& job) {
    ObjectiveChoice choice{.name = objective.name()};
    if (objective.table() != nullptr) {
        choice.function = PluggedObjective(*objective.table(), nullptr, job.problem().problem);
    } else if (objective.function()) {
        choice.function = [function = objective.function()](std::span<const NodeId> nodes) {
            return function({plugged_nodes(nodes), nodes.size()});
        };
    }
    return choice;
}

haichi::MapOptions as_options(const MapOptions& given, const detail::JobData& job) {
    haichi::MapOptions options{.objective = as_choice(given.objective, job)};
    OptionTable table;
    declare_then(table, options.objective);
    declare_search(table, options);
    if (given.then) {
        std::string names;
        for (const std::string& name : *given.then) names += (names.empty() ? "" : ",") + name;
        detail::take(table, "then", names.empty() ? "none" : names);
    }
    detail::take(table, "evaluations", given.evaluations);
    detail::take(table, "restarts", given.restarts);
    detail::take(table, "threads", given.threads);
    detail::take(table, "strategy", given.strategy);
    options.search.seed = given.seed;
    const auto* const start = std::get_if<std::string>(&given.start);
    if (start != nullptr) detail::take(table, "start", *start);
    detail::take_more(table, given.more);
    if (given.time) {
        if (given.evaluations) throw haichi::OptionError("§evaluations cannot be combined with §time");
        if (!(*given.time > 0)) {
            throw haichi::OptionError("§time: expected more than 0 seconds, found " + std::to_string(*given.time));
        }
        options.search.time_limit_seconds = given.time;
    }
    if (start == nullptr) options.start = detail::node_ids(std::get<std::vector<std::int32_t>>(given.start));
    check_map_options(options);
    return options;
}

ObjectiveValue as_value(const haichi::ObjectiveValue& value) {
    return {value.objective, value.unit, value.value, value.lower_bound, value.optimal};
}

}  // namespace

std::vector<ObjectiveDescription> objectives() {
    std::vector<ObjectiveDescription> rows;
    for (const ObjectiveRow& row : haichi::objectives()) {
        rows.push_back({std::string(row.name), std::string(row.unit), std::string(row.sentence)});
    }
    return rows;
}

Placement map(const Job& job, const MapOptions& options) {
    return detail::converted([&] {
        const haichi::MapOptions wanted = as_options(options, *Access::data(job));
        StopFlag stop;
        const std::stop_callback on_stop(options.stop, [&] { stop = true; });
        SearchControl control{.progress = {}, .stop = &stop};
        if (options.progress) {
            control.progress = [&options](const haichi::SearchProgress& news) {
                options.progress({news.fraction_done, news.best_value, news.lower_bound, news.evaluations,
                                  std::string(news.objective)});
            };
        }
        static_cast<void>(Access::data(job)->problem());
        haichi::Placement placement =
            haichi::map(Access::data(job)->job, wanted, control, {.progress = {}, .stop = &stop});
        return Access::make<Placement>(std::make_shared<const detail::PlacementData>(
            detail::PlacementData{Access::data(job), std::move(placement)}));
    });
}

Evaluation evaluate(const Placement& placement, const Objective& objective) {
    return detail::converted([&] {
        const detail::PlacementData& data = *Access::data(placement);
        static_cast<void>(data.job->problem());
        const haichi::Evaluation found =
            haichi::evaluate(data.placement, {.objective = as_choice(objective, *data.job)});
        Evaluation evaluation{.asked = as_value(found.asked),
                              .default_placement = as_value(found.usual),
                              .json = report_text(report_json(found, false))};
        for (const haichi::ObjectiveValue& value : found.objectives) evaluation.all.push_back(as_value(value));
        return evaluation;
    });
}

}  // namespace haichi::v0
