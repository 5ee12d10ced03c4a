#include "cli/commands/pattern.h"

#include <initializer_list>
#include <limits>
#include <memory>
#include <utility>

#include "base/errors.h"
#include "cli/command_outputs.h"
#include "cli/commands/values.h"
#include "commlog/log/write_log.h"
#include "commlog/nas/nas_log.h"
#include "commlog/workload/patterns.h"
#include "commlog/workload/workload_json.h"
#include "netmodel/machine/allocation.h"

namespace haichi::cli {

namespace {

struct PatternArguments {
    std::string name;
    std::string ranks;
    std::string dims;
    bool periodic = false;
    std::string points;
    std::string shuffle;
    std::string bytes;
    std::string iterations;
    std::string seed;
    std::string problem_class;
    std::string compute_seconds;
    std::string output;
};

PatternOptions pattern_options(const PatternArguments& arguments) {
    constexpr std::int64_t kMostCount = std::numeric_limits<std::int64_t>::max();
    PatternOptions options;
    if (!arguments.ranks.empty()) {
        options.ranks = static_cast<int>(read_count("--ranks", arguments.ranks, 1, kMostRanks));
    }
    if (!arguments.dims.empty()) {
        const std::vector<std::int32_t> sizes = parse_sizes(arguments.dims, "--dims");
        options.dims.assign(sizes.begin(), sizes.end());
    }
    options.periodic = arguments.periodic;
    constexpr std::int64_t kMostPoints = 1000;
    if (!arguments.points.empty()) {
        options.points = static_cast<int>(read_count("--points", arguments.points, 1, kMostPoints));
    }
    const auto read_seed = [](const char* option, const std::string& text) {
        return static_cast<std::uint64_t>(read_count(option, text, 0, kMostCount));
    };
    if (!arguments.shuffle.empty()) options.shuffle_seed = read_seed("--shuffle", arguments.shuffle);
    if (!arguments.bytes.empty()) options.message_bytes = read_bytes("--bytes", arguments.bytes);
    if (!arguments.iterations.empty()) {
        options.iterations = read_count("--iterations", arguments.iterations, 1, kMostCount);
    }
    if (!arguments.seed.empty()) options.seed = read_seed("--seed", arguments.seed);
    return options;
}

/// Throws OptionError for options that are given and that the pattern has no use for.
void refuse(const PatternArguments& arguments, std::initializer_list<std::pair<const char*, bool>> given) {
    for (const auto& [option, is_given] : given) {
        if (is_given) throw OptionError("pattern " + shown(arguments.name) + " takes no " + option);
    }
}

NasOptions nas_options(const PatternArguments& arguments) {
    refuse(arguments, {{"--dims", !arguments.dims.empty()},
                       {"--periodic", arguments.periodic},
                       {"--points", !arguments.points.empty()},
                       {"--shuffle", !arguments.shuffle.empty()},
                       {"--bytes", !arguments.bytes.empty()},
                       {"--seed", !arguments.seed.empty()}});
    NasOptions options;
    if (!arguments.problem_class.empty()) options.problem_class = arguments.problem_class;
    if (!arguments.ranks.empty()) {
        options.ranks = static_cast<int>(read_count("--ranks", arguments.ranks, 1, kMostRanks));
    }
    if (!arguments.iterations.empty()) {
        options.iterations =
            read_count("--iterations", arguments.iterations, 1, std::numeric_limits<std::int64_t>::max());
    }
    if (!arguments.compute_seconds.empty()) {
        options.compute_seconds = read_number("--compute-seconds", arguments.compute_seconds);
    }
    return options;
}

/// A program is calls and not sets: its pattern is a log.
int run_program(const PatternArguments& arguments, Console& console) {
    const NasOptions options = nas_options(arguments);
    if (arguments.output.empty() || arguments.output == "-") {
        throw OptionError("pattern " + shown(arguments.name) + " is a binary log",
                          "name its file: -o " + arguments.name.substr(4) + ".haichi-log");
    }
    CommandOutputs outputs(console);
    Destination destination = outputs.add_destination(arguments.output);
    outputs.open();
    const JobLog log = make_nas_log(arguments.name, options);
    write_own_log(log, [&destination](std::string_view bytes) { destination.write(bytes); });
    outputs.commit();
    console.say(arguments.output + ": the calls of " + log.ranks.front().program + ", " +
                std::to_string(log.rank_count) + " ranks\n");
    return kExitDone;
}

int run(const PatternArguments& arguments, Console& console) {
    if (arguments.name.empty())
        throw OptionError("the NAME of a pattern is missing", "haichi list patterns shows them");
    if (arguments.name.starts_with("nas-")) {
        (void)nas_programs().at(arguments.name);
        return run_program(arguments, console);
    }
    (void)patterns().at(arguments.name);
    refuse(arguments,
           {{"--class", !arguments.problem_class.empty()}, {"--compute-seconds", !arguments.compute_seconds.empty()}});
    const PatternOptions options = pattern_options(arguments);
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
    const auto a = std::make_shared<PatternArguments>();
    options.add_argument("NAME", a->name, "a pattern (haichi list patterns)");
    options.add_value("--ranks", a->ranks, "N", "number of ranks; default: the product of --dims");
    options.add_value("--dims", a->dims, "AxBx...", "of grid patterns; default: the ranks factored evenly");
    options.add_flag("--periodic", a->periodic, "stencils: the grid wraps around");
    options.add_value("--points", a->points, "N", "stencils: 5 or 9 in 2D, 7, 19 or 27 in 3D");
    options.add_value("--shuffle", a->shuffle, "SEED", "relabel the ranks at random");
    options.add_value("--bytes", a->bytes, "BYTES",
                      "of a message (of a block for all-to-alls), as in 64KiB; default: 1MiB");
    options.add_value("--iterations", a->iterations, "N", "default: the pattern's own");
    options.add_value("--seed", a->seed, "N", "of the random patterns; default: 1");
    options.add_value("--class", a->problem_class, "CLASS", "nas-...: S, W or A to E; default: B");
    options.add_value("--compute-seconds", a->compute_seconds, "SECONDS",
                      "nas-...: CPU time of all iterations of the class on one process; default: 0");
    options.add_value("-o,--output", a->output, "FILE", "write there instead of to standard output");
    return [a](Console& console) { return run(*a, console); };
}

}  // namespace

Command pattern_command() {
    return {"pattern", "write the workload of a built-in communication pattern, or the log of a NAS program",
            "haichi pattern cg --ranks 64 -o cg64.json", configure_pattern};
}

}  // namespace haichi::cli
