#include "mapper/anneal/objective_table.h"
#include "objectives/registry.h"

namespace haichi {

namespace {

/// The objective that evaluates placements with the packet simulator.
ObjectiveRow simulated_time_row() {
    ObjectiveRow row{{.name = "simulated-time",
                      .unit = "seconds",
                      .sentence = "simulated time of an iteration without barriers; compares the best placements for "
                                  "tac3 and the default one"}};
    row.searched_as = Tac3::kInfo.name;
    return row;
}

}  // namespace

std::vector<ObjectiveRow> built_in_objectives() {
    std::vector<ObjectiveRow> rows;
    for_each_objective([&](auto tag) { rows.push_back(objective_row<typename decltype(tag)::type>()); });
    rows.push_back(simulated_time_row());
    return rows;
}

Table<ObjectiveRow> objective_table(std::vector<ObjectiveRow> rows) {
    return {{"objective", "objectives"}, std::move(rows)};
}

}  // namespace haichi
