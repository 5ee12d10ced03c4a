#include "cli/commands/map.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <string_view>

#include "base/errors.h"
#include "base/quantity.h"
#include "base/split.h"
#include "cli/command_outputs.h"
#include "cli/commands/job_options.h"
#include "cli/commands/values.h"
#include "cli/interrupt.h"
#include "cli/output/progress.h"
#include "cli/output/tables.h"
#include "mapper/job/map_job.h"
#include "mapper/job/map_shapes.h"
#include "mapper/job/report_json.h"
#include "mapper/rankmap/rankmap.h"
#include "netmodel/topology/sizes.h"

namespace haichi::cli {

namespace {

struct MapOptions {
    JobOptions job;
    std::string workload;
    std::string workload_format;
    std::string shapes;
    std::string robust;
    bool rotations = false;
    std::string objective;
    std::string strategy;
    std::string start;
    std::string seed;
    std::string restarts;
    std::string threads;
    std::string evaluations;
    std::string time;
    std::string schedule;
    std::string moves;
    std::string companion;
    std::string message_size;
    std::string verify;
    std::vector<std::string> require;
    std::string format;
    std::string output;
    bool validate = false;
    bool json = false;
    bool no_timing = false;
};

SearchOptions search_options(const MapOptions& options) {
    constexpr std::int64_t kMostRestarts = 1'000'000;
    constexpr std::int64_t kMostThreads = 4096;
    constexpr std::int64_t kMostCount = std::numeric_limits<std::int64_t>::max();
    constexpr double kPicosecondsPerSecond = 1e12;
    SearchOptions search;
    const auto small_count = [](const char* option, const std::string& text, std::int64_t most) {
        return text.empty() ? 0 : static_cast<std::int32_t>(read_count(option, text, 1, most));
    };
    if (!options.seed.empty()) {
        search.seed = static_cast<std::uint64_t>(read_count("--seed", options.seed, 0, kMostCount));
    }
    search.restarts = small_count("--restarts", options.restarts, kMostRestarts);
    search.threads = small_count("--threads", options.threads, kMostThreads);
    if (!options.evaluations.empty()) {
        search.evaluations = read_count("--evaluations", options.evaluations, 1, kMostCount);
    }
    if (options.time == "auto") {
        search.time_by_savings = true;
    } else if (!options.time.empty()) {
        const std::int64_t time_ps = parse_time_ps(options.time, {"--time", 0});
        if (time_ps == 0) throw OptionError("--time: " + shown(options.time) + " leaves no time to search");
        search.time_limit_seconds = static_cast<double>(time_ps) / kPicosecondsPerSecond;
    }
    if (!options.schedule.empty()) search.schedule = parse_schedule(options.schedule);
    if (!options.moves.empty()) search.moves = parse_moves(options.moves);
    if (options.companion == "off") {
        search.companion_weight = 0;
    } else if (!options.companion.empty() && options.companion != "on") {
        search.companion_weight = read_number("--companion", options.companion);
        if (*search.companion_weight < 0) {
            throw OptionError("--companion: " + shown(options.companion) + " is negative");
        }
    }
    if (!options.verify.empty()) search.verify = parse_verify(options.verify);
    return search;
}

MapRequest map_request(const MapOptions& options) {
    MapRequest request;
    request.allocation = options.job.request();
    request.machine = options.job.machine;
    request.hosts = options.job.hosts;
    require_value(options.workload, "--workload");
    request.workload = options.workload;
    request.workload_format = read_workload_format(options.workload_format);
    if (!options.message_size.empty()) {
        request.message_size_bytes = read_bytes("--message-size", options.message_size);
    }
    if (!options.objective.empty()) request.objective = options.objective;
    if (!options.strategy.empty()) request.strategy = options.strategy;
    request.start = options.start;
    if (!request.start.empty() && request.strategy != "anneal" && request.strategy != "tabu" &&
        request.strategy != "auto") {
        throw OptionError("--start means nothing with --strategy " + request.strategy, "it is where a search starts");
    }
    request.search = search_options(options);
    if (options.validate) {
        request.validation.emplace();
        // Asked for more, threads are the search's; the simulation's result depends on neither.
        request.validation->threads = std::max(request.search.threads, 1);
    }
    options.job.check_standard_input({options.workload, options.start});
    return request;
}

void print_words(const MapReport& report, const RankMapFormat& format, const MapOptions& options, Console& console) {
    console.say(map_summary(report, !options.no_timing));
    if (options.format.empty() && format.name == "json") {
        console.say("the map is written as json: this job has no logical coordinates for the format fujitsu\n");
    }
}

ShapesRequest shapes_request(const MapOptions& options) {
    if (!options.job.shape.empty() || !options.job.nodes.empty()) {
        throw OptionError("--shapes excludes --shape and --nodes", "it lists the shapes that the job may get");
    }
    ShapesRequest request;
    request.job = map_request(options);
    for (const std::string_view shape : split(options.shapes, ',')) {
        request.shapes.push_back(parse_sizes(shape, "--shapes"));
    }
    if (!options.robust.empty()) request.robust = parse_robust_measure(options.robust);
    request.with_rotations = options.rotations;
    return request;
}

/// The file of one shape: -o with "{shape}" replaced.
std::string path_for(const std::string& pattern, const std::vector<std::int32_t>& shape) {
    constexpr std::string_view kField = "{shape}";
    std::string path = pattern;
    return path.replace(path.find(kField), kField.size(), sizes_text(shape));
}

void add_inputs(const MapOptions& options, Outputs& outputs) {
    options.job.add_inputs(outputs);
    outputs.add_input(options.workload);
    outputs.add_input(options.start);
    outputs.add_input(options.objective.substr(0, options.objective.rfind(':')));  // the library of a plug-in
}

/// One map for each shape, or one for all of them.
int run_shapes(const MapOptions& options, Console& console) {
    const ShapesRequest request = shapes_request(options);
    if (!options.require.empty()) throw OptionError("--require and --shapes exclude each other");
    const std::string format = options.format;
    if (!format.empty()) rank_map_format(format);
    const bool one_file = request.robust.has_value();
    const bool write_map = !options.output.empty() || (!options.json && one_file);
    if (options.json && options.output == "-") {
        throw OptionError("--json and -o - would both write to standard output", "give -o the name of a file");
    }
    if (!one_file && (write_map ? options.output.find("{shape}") == std::string::npos : !options.json)) {
        throw OptionError("--shapes writes one map for each shape",
                          "name them with -o 'cg-{shape}.map', or ask for --json");
    }
    CommandOutputs outputs(console);
    add_inputs(options, outputs);
    if (options.json) outputs.add_standard_output();
    std::vector<Destination> files;
    if (write_map && one_file) files.push_back(outputs.add_destination(options.output));
    for (const auto& shape : request.shapes) {
        if (!write_map || one_file) break;
        files.push_back(outputs.add_destination(path_for(options.output, shape)));
    }
    outputs.open();

    ShapesReport report;
    {
        ProgressBar bar(console, request.job.objective);
        SimulationLine line(console);
        report = run_map_shapes(request, {bar.callback(), &InterruptWatch::flag()},
                                {line.callback(), &InterruptWatch::flag()});
    }
    std::vector<std::string> texts;
    for (std::size_t k = 0; k < files.size(); ++k) {
        const RankMapContext context = rank_map_context(report.shapes[k]);
        const RankMapFormat& used = format.empty() ? default_rank_map_format(context) : rank_map_format(format);
        texts.push_back(one_file ? robust_map_text(*report.robust, std::string(used.name))
                                 : used.write(report.shapes[k].mapping, context));
    }
    for (std::size_t k = 0; k < files.size(); ++k) files[k].write(texts[k]);
    outputs.commit();
    if (options.json) {
        console.data(report_text(report_json(report, !options.no_timing)));
    } else {
        for (const MapReport& shape : report.shapes) console.say(map_summary(shape, !options.no_timing));
        if (report.robust) console.say(robust_summary(report));
    }
    if (!report.interrupted) return kExitDone;
    console.say("interrupted: these are the best placements so far\n");
    return kExitInterrupted;
}

int run(const MapOptions& options, Console& console) {
    if (!options.shapes.empty()) return run_shapes(options, console);
    if (!options.robust.empty() || options.rotations) {
        throw OptionError("--robust and --rotations need --shapes", "list the shapes that the job may get");
    }
    MapRequest request = map_request(options);
    const std::vector<Requirement> requirements = read_requirements(options.require, options.objective);
    const RankMapFormat* format = options.format.empty() ? nullptr : &rank_map_format(options.format);
    const bool write_map = !options.json || !options.output.empty();
    if (options.json && options.output == "-") {
        throw OptionError("--json and -o - would both write to standard output", "give -o the name of a file");
    }
    CommandOutputs outputs(console);
    add_inputs(options, outputs);
    if (options.json) outputs.add_standard_output();
    Destination map_file = write_map ? outputs.add_destination(options.output) : Destination(console, nullptr);
    outputs.open();
    if (format != nullptr && write_map) request.map_format = format->name;

    MapReport report;
    {
        ProgressBar bar(console, request.objective);
        SimulationLine line(console);
        report =
            run_map(request, {bar.callback(), &InterruptWatch::flag()}, {line.callback(), &InterruptWatch::flag()});
    }
    const RankMapContext context = rank_map_context(report);
    if (format == nullptr) format = &default_rank_map_format(context);
    if (write_map) {
        map_file.write(format->write(report.mapping, context));
        outputs.commit();
    }
    if (options.json) {
        console.data(report_text(report_json(report, !options.no_timing)));
    } else {
        print_words(report, *format, options, console);
        say_about_map(*format, report.mapping, context, options.output, console);
    }
    const int code = check_requirements(requirements, report, console);
    if (!report.interrupted) return code;
    console.say("interrupted: this is the best placement so far\n");
    return kExitInterrupted;
}

Action configure(CLI::App& app) {
    const auto o = std::make_shared<MapOptions>();
    o->job.declare(app, true);
    add_workload_options(app, o->workload, o->message_size);
    add_workload_format(app, o->workload_format);
    add_value(app, "--shapes", o->shapes, "A,B,C",
              "the shapes that the job may get: a map for each, or with --robust one for all");
    add_value(app, "--robust", o->robust, "MEASURE",
              "one map for all --shapes, by its worst value (max) or its mean (mean)");
    app.add_flag("--rotations", o->rotations, "with --robust: every order of the logical axes counts as well");
    add_value(app, "--objective", o->objective, "NAME",
              "what to minimise (haichi list objectives), or a plug-in, ./libx.so:name; default: tac3");
    add_value(app, "--strategy", o->strategy, "NAME", "how to place (haichi list strategies); default: auto");
    add_value(app, "--start", o->start, "MAP", "where the search starts: a map file or a strategy's name");
    add_value(app, "--seed", o->seed, "N", "of all random choices; default: 1");
    add_value(app, "--restarts", o->restarts, "N", "independent searches, of which the best counts");
    add_value(app, "--threads", o->threads, "N", "default: all cores; the result does not depend on it");
    add_value(app, "--evaluations", o->evaluations, "N", "evaluations per restart (per window of the schedule rmatt)");
    add_value(app, "--time", o->time, "TIME",
              "wall-clock limit instead, as in 10s; auto: by what a better placement can save; not reproducible");
    add_value(app, "--schedule", o->schedule, "NAME", "temperatures and end: auto, paper or rmatt; default: auto");
    add_value(app, "--moves", o->moves, "LIST", "kinds of moves: some of uniform,empty,neighbour,focused");
    add_value(app, "--companion", o->companion, "WEIGHT", "smooth companion of the objective: on, off or a number");
    add_value(app, "--verify", o->verify, "LEVEL", "compare incremental values with fresh ones: off, end or step");
    app.add_flag("--validate", o->validate, "simulate the result and the default placement, packet by packet");
    add_requirements(app, o->require);
    add_value(app, "-f,--format", o->format, "FORMAT",
              "of the map (haichi list formats); default: fujitsu where the job has logical coordinates, else json");
    add_value(app, "-o,--output", o->output, "FILE", "write the map there instead of to standard output");
    app.add_flag("--json", o->json, "print the report haichi-report/1 to standard output");
    app.add_flag("--no-timing", o->no_timing, "leave times out, so that equal runs print equal bytes");
    return [o](Console& console) {
        const InterruptWatch watch;
        return run(*o, console);
    };
}

}  // namespace

Command map_command() {
    return {"map", "find a placement of the ranks on the nodes",
            "haichi map -m fx10-kyushu -w cg64.json --shape 1x2x4x2x3x2 -o cg64.map", configure};
}

}  // namespace haichi::cli
