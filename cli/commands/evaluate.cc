#include "cli/commands/evaluate.h"

#include <memory>
#include <optional>

#include "base/errors.h"
#include "cli/command_outputs.h"
#include "cli/commands/job_options.h"
#include "cli/commands/values.h"
#include "cli/interrupt.h"
#include "cli/output/progress.h"
#include "cli/output/tables.h"
#include "mapper/job/map_job.h"
#include "mapper/job/report_json.h"
#include "mapper/rankmap/rankmap.h"

namespace haichi::cli {

namespace {

struct EvaluateOptions {
    JobOptions job;
    std::string workload;
    std::string workload_format;
    std::string message_size;
    std::string map;
    std::string format;
    std::string objective;
    std::vector<std::string> require;
    std::string hottest;
    bool simulate = false;
    bool json = false;
    bool no_timing = false;
};

int run(const EvaluateOptions& options, Console& console) {
    EvaluateRequest request;
    request.allocation = options.job.request();
    request.machine = options.job.machine;
    request.hosts = options.job.hosts;
    require_value(options.workload, "--workload");
    request.workload = options.workload;
    request.workload_format = read_workload_format(options.workload_format);
    if (!options.message_size.empty()) {
        request.message_size_bytes = read_bytes("--message-size", options.message_size);
    }
    require_value(options.map, "--map");
    request.map = options.map;
    options.job.check_standard_input({options.workload, options.map});
    request.format = options.format;
    if (!request.format.empty()) (void)rank_map_format(request.format);
    if (!options.objective.empty()) request.objective = options.objective;
    const std::vector<Requirement> requirements = read_requirements(options.require, options.objective);

    constexpr std::int64_t kMostHottest = 1'000'000;
    if (!options.hottest.empty()) {
        request.hottest_links = static_cast<std::size_t>(read_count("--hottest", options.hottest, 0, kMostHottest));
    }

    if (options.simulate) request.simulation.emplace();
    CommandOutputs outputs(console);
    outputs.add_inputs({options.workload, options.map});
    options.job.add_inputs(outputs);
    outputs.add_standard_output();
    outputs.check();
    MapReport report;
    {
        SimulationLine line(console);
        report = run_evaluate(request, {line.callback(), &InterruptWatch::flag()});
    }
    console.data(options.json ? report_text(report_json(report, !options.no_timing)) : evaluation_text(report));
    const int code = check_requirements(requirements, report, console);
    if (!report.interrupted) return code;
    console.say("interrupted: the simulation is not complete\n");
    return kExitInterrupted;
}

Action configure(CLI::App& app) {
    const auto o = std::make_shared<EvaluateOptions>();
    o->job.declare(app, true);
    add_workload_options(app, o->workload, o->message_size);
    add_workload_format(app, o->workload_format);
    add_value(app, "--map", o->map, "FILE", "the rank map");
    add_value(app, "-f,--format", o->format, "FORMAT", "of the map (haichi list formats); default: by its content");
    add_value(app, "--objective", o->objective, "NAME", "the one compared with the default placement; default: tac3");
    add_requirements(app, o->require);
    add_value(app, "--hottest", o->hottest, "N", "how many of the hottest links to list; default: 10");
    app.add_flag("--simulate", o->simulate, "simulate it and the default placement, packet by packet");
    app.add_flag("--json", o->json, "print the report haichi-report/1");
    app.add_flag("--no-timing", o->no_timing, "leave times out, so that equal runs print equal bytes");
    return [o](Console& console) {
        std::optional<InterruptWatch> watch;
        if (o->simulate) watch.emplace();
        return run(*o, console);
    };
}

}  // namespace

Command evaluate_command() {
    return {"evaluate", "measure a given placement: every objective, bounds, contention, hottest links",
            "haichi evaluate -m fx10-kyushu -w cg64.json --shape 1x2x4x2x3x2 --map cg64.map", configure};
}

}  // namespace haichi::cli
