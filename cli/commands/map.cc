#include "cli/commands/map.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>

#include "base/errors.h"
#include "base/quantity.h"
#include "base/split.h"
#include "cli/command_outputs.h"
#include "cli/commands/checkpoint_file.h"
#include "cli/commands/job_options.h"
#include "cli/commands/values.h"
#include "cli/interrupt.h"
#include "cli/output/progress.h"
#include "cli/output/tables.h"
#include "mapper/choose/map.h"
#include "mapper/choose/map_shapes.h"
#include "mapper/rankmap/rankmap.h"
#include "mapper/report/report_json.h"
#include "netmodel/topology/sizes.h"

namespace haichi::cli {

namespace {

struct MapArguments {
    JobOptions job;
    std::string shapes;
    std::string robust;
    bool rotations = false;
    std::string objective;
    std::string then;
    std::string strategy;
    std::string start;
    std::string seed;
    std::string restarts;
    std::string threads;
    std::string evaluations;
    std::string time;
    std::string checkpoint;
    std::string schedule;
    std::string moves;
    std::string companion;
    std::string verify;
    std::vector<std::string> require;
    std::string format;
    std::string output;
    std::string form;
    bool validate = false;
    bool json = false;
    bool no_timing = false;
};

SearchOptions search_options(const MapArguments& arguments) {
    constexpr std::int64_t kMostRestarts = 1'000'000;
    constexpr std::int64_t kMostThreads = 4096;
    constexpr std::int64_t kMostCount = std::numeric_limits<std::int64_t>::max();
    constexpr double kPicosecondsPerSecond = 1e12;
    SearchOptions search;
    const auto small_count = [](const char* option, const std::string& text, std::int64_t most) {
        return text.empty() ? 0 : static_cast<std::int32_t>(read_count(option, text, 1, most));
    };
    if (!arguments.seed.empty()) {
        search.seed = static_cast<std::uint64_t>(read_count("--seed", arguments.seed, 0, kMostCount));
    }
    search.restarts = small_count("--restarts", arguments.restarts, kMostRestarts);
    search.threads = small_count("--threads", arguments.threads, kMostThreads);
    if (!arguments.evaluations.empty()) {
        search.evaluations = read_count("--evaluations", arguments.evaluations, 1, kMostCount);
    }
    if (arguments.time == "auto") {
        search.time_by_savings = true;
    } else if (!arguments.time.empty()) {
        const std::int64_t time_ps = parse_time_ps(arguments.time, {"--time", 0});
        if (time_ps == 0) throw OptionError("--time: " + shown(arguments.time) + " leaves no time to search");
        search.time_limit_seconds = static_cast<double>(time_ps) / kPicosecondsPerSecond;
    }
    if (!arguments.schedule.empty()) search.schedule = parse_schedule(arguments.schedule);
    if (!arguments.moves.empty()) search.moves = parse_moves(arguments.moves);
    if (arguments.companion == "off") {
        search.companion_weight = 0;
    } else if (!arguments.companion.empty() && arguments.companion != "on") {
        search.companion_weight = read_number("--companion", arguments.companion);
        if (*search.companion_weight < 0) {
            throw OptionError("--companion: " + shown(arguments.companion) + " is negative");
        }
    }
    if (!arguments.verify.empty()) search.verify = parse_verify(arguments.verify);
    return search;
}

MapOptions map_options(const MapArguments& arguments, Checkpoint* checkpoint = nullptr) {
    MapOptions options;
    options.checkpoint = checkpoint;
    if (!arguments.objective.empty()) options.objective.name = arguments.objective;
    if (!arguments.then.empty()) options.objective.then = parse_next(arguments.then);
    if (!arguments.strategy.empty()) options.strategy = arguments.strategy;
    options.start = arguments.start;
    const std::string& strategy = options.strategy;
    if (options.has_start() && strategy != "anneal" && strategy != "tabu" && strategy != "auto") {
        throw OptionError("--start has no effect with --strategy " + strategy, "it is where a search starts");
    }
    options.search = search_options(arguments);
    check_map_options(options);
    return options;
}

JobSpec job_spec(const MapArguments& arguments) {
    JobSpec spec = arguments.job.spec(JobUse::kMeasure, {arguments.start});
    if (arguments.validate) {
        (void)read_traffic_form(arguments.form, arguments.job, spec);
    } else if (!arguments.form.empty()) {
        throw OptionError("--as is that of --validate, which is not given");
    }
    return spec;
}

/// What is told of what was found.
EvaluateOptions evaluate_options(const MapArguments& arguments, const MapOptions& options) {
    EvaluateOptions evaluated{.objective = options.objective, .all_objectives = false};
    if (!arguments.validate) return evaluated;
    evaluated.simulation.emplace();
    // Asked for more, threads are the search's; the simulation's result depends on neither.
    evaluated.simulation->threads = std::max(options.search.threads, 1);
    if (!arguments.form.empty()) evaluated.simulation->form = parse_traffic_form(arguments.form);
    return evaluated;
}

/// Of jobs on one machine: refuses what cannot be simulated before any search, where anything is.
void check_simulations(std::span<const Job> jobs, const MapOptions& options, const EvaluateOptions& evaluated,
                       Console& console) {
    const ObjectiveRow* row = objectives().find(options.objective.name);
    const bool ranks_by_simulation = row != nullptr && !row->searched_as.empty();
    if (!evaluated.simulation && !ranks_by_simulation && !is_open(options)) return;
    say_about_simulated(jobs.front().machine(), console);
    if (!evaluated.simulation) return;
    for (const Job& job : jobs) check_simulation(job, *evaluated.simulation);
}

void check_outputs(const MapArguments& arguments) {
    if (arguments.json && arguments.output == "-") {
        throw OptionError("--json and -o - would both write to standard output", "give -o the name of a file");
    }
}

using Shapes = std::vector<std::vector<std::int32_t>>;

Shapes read_shapes(const MapArguments& arguments) {
    Shapes shapes;
    for (const std::string_view shape : split(arguments.shapes, ',')) shapes.push_back(parse_sizes(shape, "--shapes"));
    return shapes;
}

/// The file of one shape: -o with "{shape}" replaced.
std::string path_for(const std::string& pattern, const std::vector<std::int32_t>& shape) {
    constexpr std::string_view kField = "{shape}";
    std::string path = pattern;
    return path.replace(path.find(kField), kField.size(), sizes_text(shape));
}

/// Finds and measures one placement for each job, or one for all of them.
ShapesReport find_for_shapes(const MapArguments& arguments, const MapOptions& options, std::span<const Job> jobs,
                             Console& console) {
    const EvaluateOptions evaluated = evaluate_options(arguments, options);
    check_simulations(jobs, options, evaluated, console);
    ProgressBar bar(console, options.objective.name);
    SimulationLine line(console);
    const SearchControl control{bar.callback(), &InterruptWatch::flag(), console.log()};
    const SimulationControl simulation{line.callback(), &InterruptWatch::flag(), console.log()};
    if (arguments.robust.empty())
        return evaluate_shapes(map_shapes(jobs, options, control, simulation), evaluated, simulation);
    const RobustOptions robust{parse_robust_measure(arguments.robust), arguments.rotations};
    return evaluate_shapes(map_robust(jobs, robust, options, control), evaluated, simulation);
}

void check_shape_arguments(const MapArguments& arguments, const MapOptions& options) {
    if (!arguments.job.shape.empty() || !arguments.job.nodes.empty()) {
        throw OptionError("--shapes excludes --shape and --nodes", "it lists the shapes that the job may get");
    }
    if (!arguments.require.empty()) throw OptionError("--require and --shapes exclude each other");
    if (!arguments.checkpoint.empty()) throw OptionError("--checkpoint and --shapes exclude each other");
    if (arguments.rotations && arguments.robust.empty()) throw OptionError("--rotations needs --robust");
    if (!arguments.format.empty()) rank_map_format(arguments.format);
    check_outputs(arguments);
    if (!arguments.robust.empty()) {
        (void)parse_robust_measure(arguments.robust);
        check_robust_options(options);
    } else if (!arguments.json || !arguments.output.empty()) {
        if (arguments.output.find("{shape}") != std::string::npos) return;
        throw OptionError("--shapes writes one map for each shape",
                          "name them with -o 'cg-{shape}.map', or ask for --json");
    }
}

void add_inputs(const MapArguments& arguments, Outputs& outputs) {
    arguments.job.add_inputs(outputs);
    outputs.add_input(arguments.start);
    outputs.add_input(arguments.objective.substr(0, arguments.objective.rfind(':')));  // the library of a plug-in
}

/// What -o names: a file for each shape, or one for all.
std::vector<Destination> add_shape_files(const MapArguments& arguments, const Shapes& shapes, CommandOutputs& outputs) {
    std::vector<Destination> files;
    if (arguments.output.empty() && arguments.json) return files;
    if (!arguments.robust.empty()) return {outputs.add_destination(arguments.output)};
    for (const auto& shape : shapes) files.push_back(outputs.add_destination(path_for(arguments.output, shape)));
    return files;
}

/// The map that goes to file k.
std::string shape_map_text(const MapArguments& arguments, const ShapesReport& report, std::size_t k) {
    const Placement& placement = report.shapes[k].placement;
    const RankMapContext context = placement.job().rank_maps();
    const RankMapFormat& format =
        arguments.format.empty() ? default_rank_map_format(context) : rank_map_format(arguments.format);
    if (report.robust) return robust_map_text(*report.robust, std::string(format.name));
    return format.write(placement.mapping(), context);
}

/// One map for each shape, or one for all of them.
int run_shapes(const MapArguments& arguments, Console& console) {
    const MapOptions options = map_options(arguments);
    check_shape_arguments(arguments, options);
    const JobSpec spec = job_spec(arguments);
    const Shapes shapes = read_shapes(arguments);
    CommandOutputs outputs(console);
    add_inputs(arguments, outputs);
    if (arguments.json) outputs.add_standard_output();
    std::vector<Destination> files = add_shape_files(arguments, shapes, outputs);
    outputs.check();
    const std::vector<Job> jobs = jobs_of_shapes(spec, shapes, outputs.reading());
    say_about_sets(jobs.front().set_warnings(console.log()), console);  // which all of them have
    outputs.open();
    const InterruptWatch watch;
    const ShapesReport report = find_for_shapes(arguments, options, jobs, console);
    std::vector<std::string> texts;
    for (std::size_t k = 0; k < files.size(); ++k) texts.push_back(shape_map_text(arguments, report, k));
    for (std::size_t k = 0; k < files.size(); ++k) files[k].write(texts[k]);
    outputs.commit();
    if (arguments.json) {
        console.data(report_text(report_json(report, !arguments.no_timing)));
    } else {
        for (const Evaluation& shape : report.shapes) console.say(map_summary(shape, !arguments.no_timing));
        if (report.robust) console.say(robust_summary(report));
    }
    if (!report.interrupted) return kExitDone;
    console.say("interrupted: these are the best placements so far\n");
    return kExitInterrupted;
}

/// Finds and measures one placement.
Evaluation find(const MapArguments& arguments, const MapOptions& options, const Job& job, Console& console) {
    EvaluateOptions evaluated = evaluate_options(arguments, options);
    check_simulations({&job, 1}, options, evaluated, console);
    ProgressBar bar(console, options.objective.name);
    SimulationLine line(console);
    const SimulationControl simulation{line.callback(), &InterruptWatch::flag(), console.log()};
    const auto problem = job.problem(console.log());  // kept from the search to the evaluation
    const Placement placement =
        haichi::map(job, options, {bar.callback(), &InterruptWatch::flag(), console.log()}, simulation);
    if (placement.search()->interrupted) evaluated.simulation.reset();
    return evaluate(placement, evaluated, simulation);
}

void print_words(const Evaluation& evaluation, const RankMapFormat& format, const MapArguments& arguments,
                 Console& console) {
    console.say(map_summary(evaluation, !arguments.no_timing));
    if (arguments.format.empty() && format.name == "json") {
        console.say("the map is written as json: this job has no logical coordinates for the format fujitsu\n");
    }
    const Placement& placement = evaluation.placement;
    say_about_map(format, placement.mapping(), placement.job().rank_maps(), arguments.output, console);
}

/// The time that is left, from where an earlier run was ended.
MapOptions go_on(MapOptions options, CheckpointFile& checkpoint) {
    checkpoint.read();
    if (options.checkpoint != nullptr) options.search.seconds_gone = options.checkpoint->seconds_before();
    return options;
}

int run(const MapArguments& arguments, Console& console) {
    if (!arguments.shapes.empty()) return run_shapes(arguments, console);
    if (!arguments.robust.empty() || arguments.rotations) {
        throw OptionError("--robust and --rotations need --shapes", "list the shapes that the job may get");
    }
    const JobSpec spec = job_spec(arguments);
    CheckpointFile checkpoint(arguments.checkpoint, console);
    const MapOptions options = map_options(arguments, checkpoint.checkpoint());
    const std::vector<Requirement> requirements = read_requirements(arguments.require, arguments.objective);
    const RankMapFormat* format = arguments.format.empty() ? nullptr : &rank_map_format(arguments.format);
    check_outputs(arguments);
    const bool write_map = !arguments.json || !arguments.output.empty();
    CommandOutputs outputs(console);
    add_inputs(arguments, outputs);
    if (arguments.json) outputs.add_standard_output();
    Destination map_file = write_map ? outputs.add_destination(arguments.output) : Destination(console, nullptr);
    outputs.check();
    checkpoint.check(arguments.output);
    const Job job(spec, outputs.reading());
    if (format == nullptr) format = &default_rank_map_format(job.rank_maps());
    if (write_map) format->check(job.rank_maps());
    say_about_sets(job.set_warnings(console.log()), console);
    outputs.open();
    const InterruptWatch watch;
    const Evaluation evaluation = find(arguments, go_on(options, checkpoint), job, console);
    if (write_map) {
        map_file.write(format->write(evaluation.placement.mapping(), job.rank_maps()));
        outputs.commit();
    }
    if (arguments.json) {
        console.data(report_text(report_json(evaluation, !arguments.no_timing)));
    } else {
        print_words(evaluation, *format, arguments, console);
    }
    const int code = check_requirements(requirements, evaluation, console);
    if (!evaluation.interrupted) {
        checkpoint.remove();
        return code;
    }
    console.say("interrupted: this is the best placement so far\n");
    return kExitInterrupted;
}

Action configure_map(OptionTable& options) {
    const auto o = std::make_shared<MapArguments>();
    o->job.declare(options, JobUse::kMeasure);
    options.add_value("--shapes", o->shapes, "A,B,C",
                      "the shapes that the job may get: a map for each, or with --robust one for all");
    options.add_value("--robust", o->robust, "MEASURE",
                      "one map for all --shapes, by its worst value (max) or its mean (mean)");
    options.add_flag("--rotations", o->rotations, "with --robust: every order of the logical axes counts as well");
    options.add_value(
        "--objective", o->objective, "NAME",
        "what to minimise (haichi list objectives), a plug-in, ./libx.so:name, or auto: search by those that suit, and "
        "take what the simulator finds fastest; default: auto");
    options.add_value(
        "--then", o->then, "LIST",
        "objectives that decide between equal values, in their order, or none; default: hop-bytes after tac3, "
        "tac3-bytes, max-link-load and max-hops");
    options.add_value("--strategy", o->strategy, "NAME", "how to place (haichi list strategies); default: auto");
    options.add_value("--start", o->start, "MAP", "where the search starts: a map file or a strategy's name");
    options.add_value("--seed", o->seed, "N", "of all random choices; default: 1");
    options.add_value("--restarts", o->restarts, "N", "independent searches, of which the best counts");
    options.add_value("--threads", o->threads, "N", "default: all cores; the result does not depend on it");
    options.add_value("--evaluations", o->evaluations, "N",
                      "evaluations per restart (per window of the schedule rmatt)");
    options.add_value(
        "--time", o->time, "TIME",
        "wall-clock limit instead, as in 10s; auto: by what a better placement can save; not reproducible");
    options.add_value(
        "--checkpoint", o->checkpoint, "FILE",
        "with --time: keep the best so far there, go on from it where it is there, and remove it at the end");
    options.add_value("--schedule", o->schedule, "NAME", "temperatures and end: auto, paper or rmatt; default: auto");
    options.add_value("--moves", o->moves, "LIST", "kinds of moves: some of uniform,empty,neighbour,step,focused");
    options.add_value("--companion", o->companion, "WEIGHT", "smooth companion of the objective: on, off or a number");
    options.add_value("--verify", o->verify, "LEVEL", "compare incremental values with fresh ones: off, end or step");
    options.add_flag("--validate", o->validate, "simulate the result and the default placement, packet by packet");
    add_traffic_form(options, o->form);
    add_requirements(options, o->require);
    options.add_value(
        "-f,--format", o->format, "FORMAT",
        "of the map (haichi list formats); default: fujitsu where the job has logical coordinates, else json");
    options.add_value("-o,--output", o->output, "FILE", "write the map there instead of to standard output");
    options.add_flag("--json", o->json, "print the report haichi-report/1 to standard output");
    options.add_flag("--no-timing", o->no_timing, "leave times out, so that equal runs print equal bytes");
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
