#include "cli/commands/map.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>

#include "base/errors.h"
#include "base/field_names.h"
#include "base/split.h"
#include "cli/command_outputs.h"
#include "cli/commands/checkpoint_file.h"
#include "cli/commands/job_words.h"
#include "cli/commands/requirements.h"
#include "cli/interrupt.h"
#include "cli/output/progress.h"
#include "cli/output/tables.h"
#include "mapper/choose/map.h"
#include "mapper/choose/map_shapes.h"
#include "mapper/rankmap/formats.h"
#include "mapper/rankmap/rankmap.h"
#include "mapper/report/report_json.h"
#include "mapper/search/progress_meter.h"
#include "netmodel/topology/sizes.h"
#include "options/common_options.h"
#include "options/job_options.h"
#include "options/search_options.h"
#include "options/simulation_options.h"

namespace haichi::cli {

namespace {

struct MapArguments {
    JobOptions job;
    MapOptions map;
    std::vector<std::vector<std::int32_t>> shapes;  ///< empty for a single job
    std::optional<RobustOptions> robust;            ///< set if one placement must suit all shapes
    bool rotations = false;
    std::string checkpoint;
    std::vector<Requirement> require;
    std::size_t most_loaded = EvaluateOptions{}.most_loaded_links;
    const RankMapFormat* format = nullptr;
    const RankMapFormat* launcher = nullptr;
    std::string output;
    MeasuredSimulation simulation;
    bool json = false;
    bool no_timing = false;

    [[nodiscard]] bool writes_map() const { return !json || !output.empty(); }
};

std::string start_of(const MapOptions& options) {
    const auto* const start = std::get_if<std::string>(&options.start);
    return start == nullptr ? "" : *start;
}

/// Checks the options. Call this before anything is loaded. Throws OptionError.
void check_arguments(const MapArguments& arguments) {
    const MapOptions& options = arguments.map;
    const std::string& strategy = options.strategy;
    if (options.has_start() && strategy != "anneal" && strategy != "tabu" && strategy != "auto") {
        throw OptionError("--start cannot be combined with --strategy " + strategy,
                          "use --strategy anneal, tabu or auto, which start from a placement");
    }
    check_map_options(options);
    check_requirement_names(arguments.require, options.objective.is_auto() ? "" : options.objective.name);
    if (arguments.json && arguments.output == "-") {
        throw OptionError("--json cannot be combined with --output -", "give --output the name of a file");
    }
}

JobSpec job_spec(const MapArguments& arguments) {
    JobSpec spec = arguments.job.job({start_of(arguments.map)});
    if (arguments.simulation.is_wanted) (void)with_form(arguments.simulation.simulation.form, spec);
    return spec;
}

/// The options for the report on the placement that was found.
EvaluateOptions evaluate_options(const MapArguments& arguments) {
    EvaluateOptions evaluated{.objective = arguments.map.objective, .all_objectives = false};
    evaluated.most_loaded_links = arguments.most_loaded;
    evaluated.if_turned = true;
    evaluated.simulation = arguments.simulation.wanted();
    // --threads sets the threads of the search, and also of the simulation, whose results do not depend on them.
    if (evaluated.simulation) evaluated.simulation->threads = std::max(arguments.map.search.threads, 1);
    return evaluated;
}

/// Throws an error if the options require a simulation and a job cannot be simulated. Call this before any search. All
/// jobs are on one machine.
void check_simulations(std::span<const Job> jobs, const MapOptions& options, const EvaluateOptions& evaluated,
                       Console& console) {
    const ObjectiveRow* row = objectives().find(options.objective.name);
    const bool ranks_by_simulation = row != nullptr && !row->searched_as.empty();
    const bool is_judged = is_open(options) && jobs.front().balance() == nullptr;
    if (!evaluated.simulation && !ranks_by_simulation && !is_judged) return;
    say_about_simulated(jobs.front().machine(), console);
    if (!evaluated.simulation) return;
    for (const Job& job : jobs) check_simulation(job, *evaluated.simulation);
}

/// The output file for a shape: the value of -o with "{shape}" replaced by the shape.
std::string path_for(const std::string& pattern, const std::vector<std::int32_t>& shape) {
    constexpr std::string_view kField = "{shape}";
    std::string path = pattern;
    return path.replace(path.find(kField), kField.size(), sizes_text(shape));
}

/// Finds and evaluates a placement for each job, or one placement for all jobs.
ShapesReport find_for_shapes(const MapArguments& arguments, std::span<const Job> jobs, Console& console) {
    const MapOptions& options = arguments.map;
    const EvaluateOptions evaluated = evaluate_options(arguments);
    check_simulations(jobs, options, evaluated, console);
    ProgressBar bar(console, options.objective.name);
    SimulationLine line(console);
    const SearchControl control{bar.callback(), &InterruptWatch::flag(), console.log()};
    const SimulationControl simulation{line.callback(), &InterruptWatch::flag(), console.log()};
    if (!arguments.robust)
        return evaluate_shapes(map_shapes(jobs, options, control, simulation), evaluated, simulation);
    const RobustOptions robust{arguments.robust->measure, arguments.rotations};
    return evaluate_shapes(map_robust(jobs, robust, options, control), evaluated, simulation);
}

void check_shape_arguments(const MapArguments& arguments) {
    if (arguments.robust) {
        check_robust_options(arguments.map);
    } else if (arguments.writes_map()) {
        if (arguments.output.find("{shape}") != std::string::npos) return;
        throw OptionError("--shapes requires --json, or {shape} in the file name of --output",
                          "name one map per shape, as in --output 'cg-{shape}.map'");
    }
}

void add_inputs(const MapArguments& arguments, Outputs& outputs) {
    arguments.job.add_inputs(outputs);
    outputs.add_input(start_of(arguments.map));
    const std::string& objective = arguments.map.objective.name;
    outputs.add_input(objective.substr(0, objective.rfind(':')));  // the library of a plug-in
}

/// The destinations of -o: a file for each shape, or one file for all.
std::vector<Destination> add_shape_files(const MapArguments& arguments, CommandOutputs& outputs) {
    std::vector<Destination> files;
    if (arguments.output.empty() && arguments.json) return files;
    if (arguments.robust) return {outputs.add_destination(arguments.output)};
    for (const auto& shape : arguments.shapes)
        files.push_back(outputs.add_destination(path_for(arguments.output, shape)));
    return files;
}

/// The context that rank maps and job lines of a result need.
RankMapContext job_context(const Evaluation& evaluation) {
    RankMapContext context = evaluation.placement.job().rank_maps();
    const bool needs_strict = evaluation.rotated && evaluation.rotated->matters;
    if (needs_strict && context.strictness.empty()) context.strictness = "strict";
    return context;
}

/// The format that --format selects, or the default format.
const RankMapFormat& format_of(const MapArguments& arguments, const RankMapContext& context) {
    return arguments.format == nullptr ? default_rank_map_format(context) : *arguments.format;
}

/// The rank map for output file k.
std::string shape_map_text(const MapArguments& arguments, const ShapesReport& report, std::size_t k) {
    const Placement& placement = report.shapes[k].placement;
    const RankMapContext context = placement.job().rank_maps();
    const RankMapFormat& format = format_of(arguments, context);
    if (report.robust) return robust_map_text(*report.robust, std::string(format.name));
    return format.write(placement.mapping(), context);
}

/// Adds the job lines of a result to its report.
nlohmann::ordered_json with_job_lines(nlohmann::ordered_json report, const std::string& lines) {
    if (!lines.empty()) report["job_lines"] = lines;
    return report;
}

/// The job lines for a robust map, for a job that got the shape `shape`. PJM reads only maps in the coordinates of the
/// shape, so the lines convert the map.
std::string robust_job_lines(const MapArguments& arguments, const Evaluation& evaluation, const std::string& shape) {
    const auto* const machine = std::get_if<std::string>(&arguments.job.spec.machine);
    const Placement& placement = evaluation.placement;
    if (machine == nullptr || default_rank_map_format(placement.job().rank_maps()).name != "fujitsu") return "";
    const std::string file = arguments.output.empty() || arguments.output == "-" ? "FILE" : arguments.output;
    const std::string converted = shell_word(file + ".txt");
    const std::int32_t ranks_per_node = placement.mapping().ranks_per_node();
    return "haichi convert -m " + shell_word(*machine) + " --shape " + shape +
           (ranks_per_node > 1 ? " --ppn " + std::to_string(ranks_per_node) : "") + " --map " + shell_word(file) +
           " --to fujitsu -o " + converted + "\nmpiexec -n " + std::to_string(placement.mapping().rank_count()) +
           " --vcoordfile " + converted + " ./app\n";
}

/// The job lines for the rank map of shape k.
std::string shape_job_lines(const MapArguments& arguments, const ShapesReport& report, std::size_t k) {
    const Evaluation& shape = report.shapes[k];
    if (report.robust) return robust_job_lines(arguments, shape, sizes_text(arguments.shapes[k]));
    const RankMapContext context = job_context(shape);
    const RankMapFormat& format = format_of(arguments, context);
    const std::string file = arguments.output.empty() ? "FILE" : path_for(arguments.output, arguments.shapes[k]);
    return launch_lines(format, shape.placement.mapping(), context, file);
}

/// Writes a rank map for each shape, or one map for all shapes.
int run_shapes(const MapArguments& arguments, Console& console) {
    check_shape_arguments(arguments);
    const JobSpec spec = job_spec(arguments);
    CommandOutputs outputs(console);
    add_inputs(arguments, outputs);
    if (arguments.json) outputs.add_standard_output();
    std::vector<Destination> files = add_shape_files(arguments, outputs);
    outputs.check();
    const std::vector<Job> jobs = jobs_of_shapes(spec, arguments.shapes, outputs.reading());
    say_about_sets(jobs.front().set_warnings(console.log()), console);  // all jobs have the same sets
    outputs.open();
    const InterruptWatch watch;
    const ShapesReport report = find_for_shapes(arguments, jobs, console);
    std::vector<std::string> texts;
    for (std::size_t k = 0; k < files.size(); ++k) texts.push_back(shape_map_text(arguments, report, k));
    for (std::size_t k = 0; k < files.size(); ++k) files[k].write(texts[k]);
    outputs.commit();
    if (arguments.json) {
        nlohmann::ordered_json document = report_json(report, !arguments.no_timing);
        for (std::size_t k = 0; k < report.shapes.size(); ++k) {
            nlohmann::ordered_json& shape = document["shapes"][k];
            shape = with_job_lines(std::move(shape), shape_job_lines(arguments, report, k));
        }
        console.data(report_text(document));
    } else {
        for (std::size_t k = 0; k < report.shapes.size(); ++k) {
            console.say(map_summary(report.shapes[k], !arguments.no_timing));
            const std::string lines = shape_job_lines(arguments, report, k);
            if (lines.empty()) continue;
            const std::string shape = sizes_text(arguments.shapes[k]);
            console.say("for the job script" + (report.robust ? " of shape " + shape : "") + ":\n" + lines);
        }
        if (report.robust) console.say(robust_summary(report));
    }
    return exit_code_of(report.interrupted, "the results are the best placements so far", console);
}

using Clock = std::chrono::steady_clock;

/// The search options with the remaining time limit of a command that began at `begin`. The evaluation and the output
/// after the search take about `per_pass` seconds each.
SearchOptions within_limit(SearchOptions search, Clock::time_point begin, double per_pass) {
    constexpr double kLeast = 1e-3;
    constexpr double kPassesAfterSearch = 2;
    if (!search.time_limit_seconds) return search;
    const double left = *search.time_limit_seconds - seconds_since(begin) - kPassesAfterSearch * per_pass;
    search.time_limit_seconds = std::max(left, std::min(kLeast, *search.time_limit_seconds));
    return search;
}

/// The placement with the requested time limit in its search record.
Placement with_limit(const Placement& placement, const SearchOptions& asked) {
    SearchRecord record = *placement.search();
    if (asked.time_limit_seconds) record.time_limit_seconds = asked.time_limit_seconds;
    return {placement.job(), placement.mapping(), std::move(record)};
}

/// Finds and evaluates one placement. The time limit starts at `begin`.
Evaluation find(const MapArguments& arguments, MapOptions options, const Job& job, Clock::time_point begin,
                Console& console) {
    EvaluateOptions evaluated = evaluate_options(arguments);
    check_simulations({&job, 1}, options, evaluated, console);
    ProgressBar bar(console, options.objective.name);
    SimulationLine line(console);
    const SimulationControl simulation{line.callback(), &InterruptWatch::flag(), console.log()};
    const Clock::time_point begin_of_pass = Clock::now();
    const auto problem = job.problem(console.log());  // kept, so that the evaluation after the search can use it
    const SearchOptions asked = options.search;
    options.search = within_limit(options.search, begin, seconds_since(begin_of_pass));
    const Placement placement = with_limit(
        haichi::map(job, options, {bar.callback(), &InterruptWatch::flag(), console.log()}, simulation), asked);
    if (placement.search()->interrupted) evaluated.simulation.reset();
    return evaluate(placement, evaluated, simulation);
}

void print_words(const Evaluation& evaluation, const RankMapFormat& launcher, const MapArguments& arguments,
                 Console& console) {
    console.say(map_summary(evaluation, !arguments.no_timing));
    if (arguments.format == nullptr && launcher.name == "json") {
        console.say("the map has the format json; -f selects another format\n");
    }
    say_about_map(launcher, evaluation.placement.mapping(), job_context(evaluation), arguments.output, console);
}

/// The options of a run that continues from the checkpoint, with the search time that was already used.
MapOptions go_on(MapOptions options, CheckpointFile& checkpoint) {
    checkpoint.read();
    if (options.checkpoint != nullptr) options.search.seconds_gone = options.checkpoint->seconds_before();
    return options;
}

int run(const MapArguments& arguments, Console& console) {
    const Clock::time_point begin = Clock::now();
    check_arguments(arguments);
    if (!arguments.shapes.empty()) return run_shapes(arguments, console);
    const JobSpec spec = job_spec(arguments);
    CheckpointFile checkpoint(arguments.checkpoint, console);
    MapOptions options = arguments.map;
    options.checkpoint = checkpoint.checkpoint();
    check_map_options(options);
    const RankMapFormat* launcher = arguments.launcher == nullptr ? arguments.format : arguments.launcher;
    const bool write_map = arguments.writes_map();
    CommandOutputs outputs(console);
    add_inputs(arguments, outputs);
    if (arguments.json) outputs.add_standard_output();
    Destination map_file = write_map ? outputs.add_destination(arguments.output) : Destination(console, nullptr);
    outputs.check();
    checkpoint.check(arguments.output);
    const Job job(spec, outputs.reading());
    if (launcher == nullptr) {
        launcher = arguments.job.slurm ? &rank_map_format("slurm") : &default_rank_map_format(job.rank_maps());
    }
    const RankMapFormat& format =
        arguments.launcher == nullptr ? *launcher : format_for_launcher(*launcher, job.rank_maps());
    if (write_map) check_rank_map_format(format, job.rank_maps());
    say_about_sets(job.set_warnings(console.log()), console);
    outputs.open();
    const InterruptWatch watch;
    const Evaluation evaluation = find(arguments, go_on(options, checkpoint), job, begin, console);
    if (write_map) {
        map_file.write(format.write(evaluation.placement.mapping(), job.rank_maps()));
        outputs.commit();
    }
    if (arguments.json) {
        const std::string file = arguments.output.empty() ? "FILE" : arguments.output;
        const std::string lines =
            launch_lines(*launcher, evaluation.placement.mapping(), job_context(evaluation), file);
        console.data(report_text(with_job_lines(report_json(evaluation, !arguments.no_timing), lines)));
    } else {
        print_words(evaluation, *launcher, arguments, console);
    }
    const int code = check_requirements(arguments.require, evaluation, console);
    if (!evaluation.interrupted) checkpoint.remove();
    return exit_code_of(evaluation.interrupted, "the result is the best placement so far", console, code);
}

void declare_shapes(OptionTable& options, MapArguments& arguments) {
    options.begin(OptionGroup::kJob);
    options.add_read(
        "shapes", ValueKind::kList,
        [&arguments](const std::string& word) {
            for (const std::string_view shape : split(word, ',')) {
                arguments.shapes.push_back(parse_sizes(shape, field("shapes")));
            }
        },
        {.description = "Shapes that the job may get. haichi writes a map for each, or one map for all with --robust",
         .value = "A,B,C",
         .excludes = {"shape", "nodes", "job", "require", "checkpoint"}});
    options.add_read(
        "robust", ValueKind::kText,
        [&arguments](const std::string& word) { arguments.robust = RobustOptions{parse_robust_measure(word)}; },
        {.description = "One map for all shapes, judged by its worst value (max) or its mean",
         .value = "MEASURE",
         .choices = robust_measures().names(),
         .needs = {"shapes"}});
    options.add_flag(
        "rotations", arguments.rotations,
        {.description = "Also compare the rotations of each shape, which are the orders of its logical axes",
         .needs = {"robust"}});
}

Action configure_map(OptionTable& options) {
    const auto o = std::make_shared<MapArguments>();
    o->job.declare(options, JobUse::kMeasure);
    declare_shapes(options, *o);
    declare_objective(
        options, o->map.objective,
        "Objective to minimize (haichi list objectives), or ./libx.so:name for a plug-in. With auto, haichi "
        "searches with several and lets the simulator choose",
        "auto");
    declare_then(options, o->map.objective);
    declare_search(options, o->map);
    options.begin(OptionGroup::kSearch);
    options.add_output("checkpoint", o->checkpoint,
                       {.description = "Keep the best placement so far in FILE, continue from FILE if it exists, and "
                                       "remove it at the end",
                        .needs = {"time"},
                        .is_local = true});
    o->simulation.declare(options, "Simulate the result and the default placement, packet by packet");
    declare_most_loaded(options, o->most_loaded);
    declare_requirements(options, o->require);
    declare_map_format(options, o->format, "slurm with --slurm, fujitsu if the job has logical coordinates, else json",
                       false);
    declare_launcher(options, o->launcher, o->job.spec.cores_per_rank, {"format", "shapes"}, true);
    declare_output(options, o->output, "Write the map to FILE instead of standard output");
    declare_json(options, o->json, "the report as JSON (haichi-report/1)");
    declare_no_timing(options, o->no_timing);
    return [o](Console& console) { return run(*o, console); };
}

}  // namespace

Command map_command() {
    return {"map",
            "find a placement of the ranks on the nodes",
            "haichi map -m fx10-kyushu -w cg64.json --shape 1x2x4x2x3x2 -o cg64.map",
            configure_map,
            {},
            true};
}

}  // namespace haichi::cli
