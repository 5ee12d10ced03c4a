#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "mapper/choose/map_shapes.h"
#include "mapper/judge/evaluate.h"

namespace haichi {

/// Adds the part about the job, which every report has: machine, shape, routing, fold, numbers of ranks and nodes.
void add_job(nlohmann::ordered_json& out, const Job& job);
/// The node of each rank.
nlohmann::ordered_json::array_t nodes_json(const Mapping& mapping);

/// haichi-report/1, with keys in a fixed order. Without `with_timing` it omits wall_seconds and evaluations_per_second,
/// so that equal runs give byte-identical reports. Counts of bytes, hops and their products are integers if they fit 64
/// bits. Seconds and ratios are the shortest decimals that read back equal.
nlohmann::ordered_json report_json(const Evaluation& evaluation, bool with_timing);

/// The report for several shapes: their common part, then `shapes` with one report each.
nlohmann::ordered_json report_json(const ShapesReport& report, bool with_timing);

/// A report as text: one key and its value per line, with a newline at the end. Bytes that are not valid UTF-8 become
/// U+FFFD.
std::string report_text(const nlohmann::ordered_json& report);

/// The names of values for --require: "value", objectives by their names ("tac3"), and all metrics by their keys in the
/// report ("tac3_seconds", "largest_contention").
std::vector<std::string> metric_names();

/// Throws OptionError with a did-you-mean hint for unknown names. To be called before a long run. `objective` is the
/// run's objective, which the report always contains.
void check_metric_name(const std::string& name, const std::string& objective);
double report_metric(const Evaluation& evaluation, const std::string& name);

}  // namespace haichi
