#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "mapper/choose/map_shapes.h"
#include "mapper/judge/evaluate.h"

namespace haichi {

/// What every report says of the job: machine, shape, routing, fold, numbers of ranks and nodes.
void add_job(nlohmann::ordered_json& out, const Job& job);
/// The node of each rank.
nlohmann::ordered_json::array_t nodes_json(const Mapping& mapping);

/// haichi-report/1. Keys in a fixed order. `with_timing` false leaves out wall_seconds and evaluations_per_second, so
/// that equal runs give equal bytes. Counts of bytes, hops and their products are integers wherever they fit 64 bits;
/// seconds and ratios are shortest decimal numbers.
nlohmann::ordered_json report_json(const Evaluation& evaluation, bool with_timing);

/// The same for several shapes: what they have in common, then `shapes`, one report each.
nlohmann::ordered_json report_json(const ShapesReport& report, bool with_timing);

/// A report as text: one key per line, its value behind it, a newline at the end. Bytes that are not valid UTF-8 become
/// U+FFFD.
std::string report_text(const nlohmann::ordered_json& report);

/// The names of a report's numbers, for --require: "value", objectives by their names ("tac3"), all metrics by their
/// keys in the report ("tac3_seconds", "largest_contention").
std::vector<std::string> metric_names();

/// Throws OptionError with did-you-mean for others; to be called before a long run. `objective` is that of the run,
/// whose report tells it whatever it is.
void check_metric_name(const std::string& name, const std::string& objective);
double report_metric(const Evaluation& evaluation, const std::string& name);

}  // namespace haichi
