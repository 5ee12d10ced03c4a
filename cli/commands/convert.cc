#include "cli/commands/convert.h"

#include <memory>

#include "base/errors.h"
#include "cli/command_outputs.h"
#include "cli/commands/job_words.h"
#include "mapper/job/job.h"
#include "options/common_options.h"
#include "options/job_options.h"

namespace haichi::cli {

namespace {

struct ConvertArguments {
    JobOptions job;
    RankMapInput map;
    const RankMapFormat* to = nullptr;
    const RankMapFormat* launcher = nullptr;
    std::string output;
    bool is_strict = false;
};

int run(const ConvertArguments& arguments, Console& console) {
    const JobSpec spec = arguments.job.job({arguments.map.map});
    const RankMapFormat* const named = arguments.launcher == nullptr ? arguments.to : arguments.launcher;
    if (named == nullptr) {
        throw OptionError("--to is missing", "give --to FORMAT or --launcher FORMAT (haichi list formats)");
    }
    CommandOutputs outputs(console);
    arguments.job.add_inputs(outputs);
    outputs.add_input(arguments.map.map);
    Destination destination = outputs.add_destination(arguments.output);
    outputs.check();
    const AllocatedNodes nodes = load_nodes(spec, outputs.reading());
    const RankMapFormat& target =
        arguments.launcher == nullptr ? *named : format_for_launcher(*named, nodes.rank_maps(0));
    target.check(nodes.rank_maps(0));
    const Mapping mapping = read_rank_map(arguments.map.map, arguments.map.format_name(), nodes.rank_maps(0));
    RankMapContext context = nodes.rank_maps(mapping.rank_count());
    if (arguments.is_strict && context.strictness.empty()) context.strictness = "strict";
    outputs.open();
    destination.write(target.write(mapping, context));
    outputs.commit();
    say_about_map(*named, mapping, context, arguments.output, console);
    return kExitDone;
}

Action configure_convert(OptionTable& options) {
    const auto o = std::make_shared<ConvertArguments>();
    o->job.declare(options, JobUse::kPlaces);
    o->map.declare(options, "Rank map to convert, which determines the number of ranks", true);
    options.begin(OptionGroup::kOutput);
    options.add_read("to", ValueKind::kText, [o = o.get()](const std::string& word) { o->to = &rank_map_format(word); },
                     {.description = "Format to write (haichi list formats)",
                      .value = "FORMAT",
                      .otherwise = "the format for --launcher",
                      .letter = 't'});
    declare_launcher(options, o->launcher, o->job.spec.cores_per_rank, {"to"}, false);
    options.add_flag("strict", o->is_strict,
                     {.description = "Request a shape that PJM must not rotate (:strict in the job lines)"});
    declare_output(options, o->output, "Write to FILE instead of standard output");
    return [o](Console& console) { return run(*o, console); };
}

}  // namespace

Command convert_command() {
    return {"convert", "write a rank map in another format",
            "haichi convert --map cg64.map -t tofu6d -m fx10-kyushu --shape 1x2x4x2x3x2", configure_convert};
}

}  // namespace haichi::cli
