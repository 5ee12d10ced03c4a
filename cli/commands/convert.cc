#include "cli/commands/convert.h"

#include <memory>

#include "base/errors.h"
#include "cli/command_outputs.h"
#include "cli/commands/job_options.h"
#include "cli/commands/values.h"
#include "mapper/job/job.h"

namespace haichi::cli {

namespace {

struct ConvertArguments {
    JobOptions job;
    std::string map;
    std::string from;
    std::string to;
    std::string output;
};

int run(const ConvertArguments& arguments, Console& console) {
    const JobSpec spec = arguments.job.spec(JobUse::kPlaces, {arguments.map});
    require_value(arguments.map, "--map");
    require_value(arguments.to, "--to");
    const RankMapFormat& target = rank_map_format(arguments.to);
    CommandOutputs outputs(console);
    arguments.job.add_inputs(outputs);
    outputs.add_input(arguments.map);
    Destination destination = outputs.add_destination(arguments.output);
    outputs.check();
    const AllocatedNodes nodes = load_nodes(spec, outputs.reading());
    target.check(nodes.rank_maps(0));
    const Mapping mapping = read_rank_map(arguments.map, arguments.from, nodes.rank_maps(0));
    const RankMapContext context = nodes.rank_maps(mapping.rank_count());
    outputs.open();
    destination.write(target.write(mapping, context));
    outputs.commit();
    say_about_map(target, mapping, context, arguments.output, console);
    return kExitDone;
}

Action configure_convert(OptionTable& options) {
    const auto o = std::make_shared<ConvertArguments>();
    o->job.declare(options, JobUse::kPlaces);
    options.add_value("--map", o->map, "FILE", "the rank map; it says how many ranks there are");
    options.add_value("-f,--from", o->from, "FORMAT", "of the map (haichi list formats); default: by its content");
    options.add_value("-t,--to", o->to, "FORMAT", "to write");
    options.add_value("-o,--output", o->output, "FILE", "write there instead of to standard output");
    return [o](Console& console) { return run(*o, console); };
}

}  // namespace

Command convert_command() {
    return {"convert", "write a rank map in another format",
            "haichi convert --map cg64.map -t tofu6d -m fx10-kyushu --shape 1x2x4x2x3x2", configure_convert};
}

}  // namespace haichi::cli
