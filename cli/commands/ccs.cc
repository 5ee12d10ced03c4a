#include "cli/commands/ccs.h"

#include <memory>

#include "base/errors.h"
#include "cli/command_outputs.h"
#include "cli/commands/values.h"
#include "cli/output/extraction_text.h"
#include "commlog/ccs/extraction.h"
#include "commlog/ccs/extraction_json.h"
#include "commlog/readers/log_readers.h"
#include "commlog/workload/workload_json.h"

namespace haichi::cli {

namespace {

struct CcsArguments {
    std::string log;
    std::string format;
    std::string sends_per_rank;
    std::string eager_limit;
    std::string kernel;
    std::string collectives;
    std::vector<std::string> algorithms;
    std::string compute;
    std::string output;
    bool json = false;
};

ExtractionOptions extraction_options(const CcsArguments& arguments) {
    ExtractionOptions options;
    if (!arguments.sends_per_rank.empty()) {
        options.sends_per_rank =
            static_cast<std::int32_t>(read_count("--sends-per-rank", arguments.sends_per_rank, 1, kMostSendsPerRank));
    }
    if (!arguments.eager_limit.empty()) {
        options.levels.eager_limit_bytes = read_bytes("--eager-limit", arguments.eager_limit);
    }
    options.kernel = parse_kernel_choice(arguments.kernel.empty() ? "auto" : arguments.kernel);
    if (!arguments.collectives.empty()) options.levels.collectives = parse_collective_scope(arguments.collectives);
    for (const std::string& choice : arguments.algorithms) options.levels.algorithms.set(choice);
    if (!arguments.compute.empty()) options.compute_time = parse_compute_time(arguments.compute);
    return options;
}

int run(const CcsArguments& arguments, Console& console) {
    if (arguments.log.empty())
        throw OptionError("the LOG to read is missing", "haichi ccs app.haichi-log -o workload.json");
    const ExtractionOptions options = extraction_options(arguments);
    if (!arguments.format.empty()) (void)log_format(arguments.format);  // a wrong name needs no file
    CommandOutputs outputs(console);
    outputs.add_input(arguments.log);
    // With --json the report is the data: the sets go to a file or nowhere.
    const bool writes_sets = !arguments.json || !arguments.output.empty();
    if (arguments.json) outputs.add_standard_output();
    Destination sets = writes_sets ? outputs.add_destination(arguments.output) : Destination(console, nullptr);
    outputs.check();
    const JobLog log = read_log(arguments.log, arguments.format, outputs.reading());
    outputs.open();
    const Extraction extraction = extract_sets(log, options);
    if (writes_sets) write_workload_json(extraction.workload, [&](std::string_view text) { sets.write(text); });
    outputs.commit();
    if (arguments.json) {
        console.data(extraction_json(extraction));
    } else {
        console.say(extraction_text(extraction));
        for (const std::string& warning : extraction.warnings) console.hint(warning);
    }
    return kExitDone;
}

Action configure(CLI::App& app) {
    const auto a = std::make_shared<CcsArguments>();
    app.add_option("LOG", a->log, "a log with the order of calls")->type_name("");
    add_value(app, "--log-format", a->format, "NAME", "of the log (haichi list log-formats); default: by its content");
    add_value(app, "--sends-per-rank", a->sends_per_rank, "K",
              "messages a rank may send, and receive, in one set: its network interfaces; default: 1");
    add_value(app, "--eager-limit", a->eager_limit, "BYTES",
              "up to this size a message does not wait for its receive to be posted; default: 0");
    add_value(app, "--kernel", a->kernel, "auto|N|whole",
              "the N-th repetition of those listed, or the whole log as one; default: auto");
    add_value(app, "--collectives", a->collectives, "subcomm|all|none",
              "which are expanded to messages: those on less than all ranks, all, or none; default: subcomm");
    app.add_option("--collective", a->algorithms,
                   "by which algorithm, up to which sizes: allreduce=recursive-doubling:2KiB,ring; repeatable")
        ->type_name("OP=ALGORITHM")
        ->allow_extra_args(false);
    add_value(
        app, "--compute", a->compute, "none|mean",
        "give the sets the mean computing time of the ranks before them; default: none, the same file from every run");
    add_value(app, "-o,--output", a->output, "FILE", "write the sets there instead of to standard output");
    app.add_flag("--json", a->json, "print what was found as JSON; the sets only go to -o");
    return [a](Console& console) { return run(*a, console); };
}

}  // namespace

Command ccs_command() {
    return {"ccs", "extract communication sets from the log of an application",
            "haichi ccs app.haichi-log -o workload.json", configure};
}

}  // namespace haichi::cli
