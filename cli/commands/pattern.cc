#include "cli/commands/pattern.h"

#include <initializer_list>
#include <memory>
#include <utility>

#include "base/errors.h"
#include "base/field_names.h"
#include "cli/command_outputs.h"
#include "commlog/log/write_log.h"
#include "commlog/nas/nas_log.h"
#include "commlog/workload/patterns.h"
#include "commlog/workload/workload_json.h"
#include "netmodel/machine/allocation.h"
#include "options/common_options.h"

namespace haichi::cli {

namespace {

struct PatternArguments {
    std::string name;
    int ranks = 0;
    std::int64_t iterations = 0;
    std::vector<std::int32_t> dims;
    PatternOptions pattern;
    NasOptions program;
    std::string output;
};

/// Throws OptionError if one of the options `names` is given, because the pattern does not use it.
void refuse(const OptionTable& options, const std::string& pattern, std::initializer_list<const char*> names) {
    for (const char* name : names) {
        if (options.is_given(name))
            throw OptionError("pattern " + shown(pattern) + " cannot be combined with " + field(name));
    }
}

/// Writes the log of a program. Such a log consists of calls instead of sets.
int run_program(const PatternArguments& arguments, Console& console) {
    if (arguments.output.empty() || arguments.output == "-") {
        throw OptionError("pattern " + shown(arguments.name) + " requires a file for its binary log",
                          "name the file with -o " + arguments.name.substr(4) + ".haichi-log");
    }
    CommandOutputs outputs(console);
    Destination destination = outputs.add_destination(arguments.output);
    outputs.open();
    const JobLog log = make_nas_log(arguments.name, arguments.program);
    write_own_log(log, [&destination](std::string_view bytes) { destination.write(bytes); });
    outputs.commit();
    console.say(arguments.output + ": the calls of " + log.ranks.front().program + ", " +
                std::to_string(log.rank_count) + " ranks\n");
    return kExitDone;
}

int run(PatternArguments& arguments, const OptionTable& given, Console& console) {
    if (arguments.name.starts_with("nas-")) {
        (void)nas_programs().at(arguments.name);
        refuse(given, arguments.name, {"dims", "periodic", "points", "shuffle", "bytes", "seed"});
        arguments.program.ranks = arguments.ranks;
        if (given.is_given("iterations")) arguments.program.iterations = arguments.iterations;
        return run_program(arguments, console);
    }
    (void)patterns().at(arguments.name);
    refuse(given, arguments.name, {"class", "compute-seconds"});
    PatternOptions& options = arguments.pattern;
    options.ranks = arguments.ranks;
    options.dims.assign(arguments.dims.begin(), arguments.dims.end());
    if (given.is_given("iterations")) options.iterations = arguments.iterations;
    CommandOutputs outputs(console);
    Destination destination = outputs.add_destination(arguments.output);
    outputs.open();
    const Workload workload = make_pattern(arguments.name, options);
    write_workload_json(workload, [&destination](std::string_view text) { destination.write(text); });
    outputs.commit();
    if (destination.is_file()) {
        console.say(arguments.output + ": " + std::to_string(workload.rank_count()) + " ranks, " +
                    std::to_string(workload.set_count()) + (workload.set_count() == 1 ? " set, " : " sets, ") +
                    std::to_string(workload.messages().size()) + " messages, " +
                    std::to_string(workload.total_bytes()) + " bytes per iteration\n");
    }
    return kExitDone;
}

Action configure_pattern(OptionTable& options) {
    const auto o = std::make_shared<PatternArguments>();
    PatternOptions& pattern = o->pattern;
    options.begin(OptionGroup::kWorkload);
    options.add_text(
        "NAME", o->name,
        {.description = "Pattern or program (haichi list patterns)", .is_required = true, .is_argument = true});
    options.add_count(
        "ranks", o->ranks,
        {.description = "Number of ranks", .otherwise = "the product of --dims", .letter = 'n', .most = kMostRanks});
    options.add_sizes(
        "dims", o->dims,
        {.description = "Sizes of the grid of a grid pattern", .otherwise = "balanced factors of --ranks"});
    options.add_flag("periodic", pattern.periodic,
                     {.description = "Connect the opposite sides of the grid of a stencil"});
    options.add_count("points", pattern.points,
                      {.description = "Number of points of a stencil: 5 or 9 in 2D, and 7, 19 or 27 in 3D",
                       .otherwise = "5 or 7",
                       .most = 1000});
    options.add_count("shuffle", pattern.shuffle_seed,
                      {.description = "Random seed for relabelling the ranks", .value = "SEED", .least = 0});
    options.add_bytes("bytes", pattern.message_bytes,
                      {.description = "Size of a message, or of a block of an all-to-all, as in 64KiB",
                       .otherwise = "1MiB",
                       .least = 0});
    options.add_count("iterations", o->iterations,
                      {.description = "Number of iterations", .otherwise = "depends on the pattern"});
    options.add_count("seed", pattern.seed, {.description = "Random seed of the random patterns", .least = 0});
    options.add_text("class", o->program.problem_class,
                     {.description = "Problem class of a nas- program: S, W, or A to E", .value = "CLASS"});
    options.add_number("compute-seconds", o->program.compute_seconds,
                       {.description = "CPU time of all iterations of a nas- program on one process",
                        .value = "SECONDS",
                        .otherwise = "0",
                        .least = 0});
    declare_output(options, o->output, "Write to FILE instead of standard output");
    return [o, &options](Console& console) { return run(*o, options, console); };
}

}  // namespace

Command pattern_command() {
    return {"pattern", "write the workload of a built-in communication pattern, or the log of a NAS program",
            "haichi pattern cg --ranks 64 -o cg64.json", configure_pattern};
}

}  // namespace haichi::cli
