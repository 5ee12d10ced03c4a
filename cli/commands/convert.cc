#include "cli/commands/convert.h"

#include <memory>

#include "base/errors.h"
#include "cli/command_outputs.h"
#include "cli/commands/job_options.h"
#include "cli/commands/values.h"
#include "mapper/rankmap/rankmap.h"

namespace haichi::cli {

namespace {

struct ConvertOptions {
    JobOptions job;
    std::string map;
    std::string from;
    std::string to;
    std::string output;
};

int run(const ConvertOptions& options, Console& console) {
    const AllocationRequest request = options.job.request();
    require_value(options.map, "--map");
    require_value(options.to, "--to");
    options.job.check_standard_input({options.map});
    const RankMapFormat& target = rank_map_format(options.to);
    CommandOutputs outputs(console);
    outputs.add_inputs({options.map});
    options.job.add_inputs(outputs);
    Destination destination = outputs.add_destination(options.output);
    outputs.check();
    const Allocation allocation = allocate(load_machine(options.job.machine), request);
    const std::optional<HostNames> hosts = options.job.host_names(allocation);
    RankMapContext context{.allocation = &allocation, .hosts = hosts ? &*hosts : nullptr};
    target.check(context);
    const Mapping mapping = read_rank_map(options.map, options.from, context);
    context.rank_count = mapping.rank_count();
    outputs.open();
    destination.write(target.write(mapping, context));
    outputs.commit();
    say_about_map(target, mapping, context, options.output, console);
    return kExitDone;
}

Action configure(CLI::App& app) {
    const auto o = std::make_shared<ConvertOptions>();
    o->job.declare(app, false);
    add_value(app, "--map", o->map, "FILE", "the rank map; it says how many ranks there are");
    add_value(app, "-f,--from", o->from, "FORMAT", "of the map (haichi list formats); default: by its content");
    add_value(app, "-t,--to", o->to, "FORMAT", "to write");
    add_value(app, "-o,--output", o->output, "FILE", "write there instead of to standard output");
    return [o](Console& console) { return run(*o, console); };
}

}  // namespace

Command convert_command() {
    return {"convert", "write a rank map in another format",
            "haichi convert --map cg64.map -t tofu6d -m fx10-kyushu --shape 1x2x4x2x3x2", configure};
}

}  // namespace haichi::cli
