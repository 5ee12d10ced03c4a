#include "cli/commands/pattern.h"

#include <limits>
#include <memory>

#include "base/errors.h"
#include "cli/command_outputs.h"
#include "cli/commands/values.h"
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

int run(const PatternArguments& arguments, Console& console) {
    if (arguments.name.empty())
        throw OptionError("the NAME of a pattern is missing", "haichi list patterns shows them");
    (void)patterns().at(arguments.name);
    const PatternOptions options = pattern_options(arguments);
    CommandOutputs outputs(console);
    Destination destination = outputs.add_destination(arguments.output);
    outputs.open();
    const Workload workload = make_pattern(arguments.name, options);
    write_workload_json(workload, [&destination](std::string_view text) { destination.write(text); });
    outputs.commit();
    if (destination.is_file()) {
        console.say(arguments.output + ": " + std::to_string(workload.rank_count()) + " ranks, " +
                    std::to_string(workload.set_count()) + " sets, " + std::to_string(workload.messages().size()) +
                    " messages, " + std::to_string(workload.total_bytes()) + " bytes per iteration\n");
    }
    return kExitDone;
}

Action configure(CLI::App& app) {
    const auto a = std::make_shared<PatternArguments>();
    app.add_option("NAME", a->name, "a pattern (haichi list patterns)")->type_name("");
    add_value(app, "--ranks", a->ranks, "N", "number of ranks; default: the product of --dims");
    add_value(app, "--dims", a->dims, "AxBx...", "of grid patterns; default: the ranks factored evenly");
    app.add_flag("--periodic", a->periodic, "stencils: the grid wraps around");
    add_value(app, "--points", a->points, "N", "stencils: 5 or 9 in 2D, 7, 19 or 27 in 3D");
    add_value(app, "--shuffle", a->shuffle, "SEED", "relabel the ranks at random");
    add_value(app, "--bytes", a->bytes, "BYTES",
              "of a message (of a block for all-to-alls), as in 64KiB; default: 1MiB");
    add_value(app, "--iterations", a->iterations, "N", "default: the pattern's own");
    add_value(app, "--seed", a->seed, "N", "of the random patterns; default: 1");
    add_value(app, "-o,--output", a->output, "FILE", "write there instead of to standard output");
    return [a](Console& console) { return run(*a, console); };
}

}  // namespace

Command pattern_command() {
    return {"pattern", "write the workload of a built-in communication pattern",
            "haichi pattern cg --ranks 64 -o cg64.json", configure};
}

}  // namespace haichi::cli
