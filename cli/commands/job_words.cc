#include "cli/commands/job_words.h"

#include "cli/output/log_words.h"
#include "mapper/job/job.h"
#include "mapper/judge/simulate.h"

namespace haichi::cli {

void declare_map_format(OptionTable& options, const RankMapFormat*& format, const std::string& otherwise,
                        bool is_read) {
    options.add_read("format", ValueKind::kText,
                     [&format](const std::string& word) { format = &rank_map_format(word); },
                     {.description = "Format of the rank map (haichi list formats)",
                      .value = "FORMAT",
                      .otherwise = otherwise,
                      .letter = 'f',
                      .needs = is_read ? std::vector<std::string>{"map"} : std::vector<std::string>{},
                      .is_local = !is_read});
}

void RankMapInput::declare(OptionTable& options, const std::string& description, bool is_required) {
    options.begin(OptionGroup::kJob);
    options.add_file("map", map,
                     {.description = description,
                      .otherwise = is_required ? "" : "the default placement",
                      .is_required = is_required});
    declare_map_format(options, format, "recognised by the content", true);
}

Placement map_or_default(const Job& job, const RankMapInput& map) {
    return map.map.empty() ? Placement(job) : given_placement(job, map.map, map.format_name());
}

void say_about_simulated(const Machine& machine, Console& console) {
    const std::string warning = buffer_warning(machine);
    if (!warning.empty()) console.say("warning: " + without_controls(warning) + "\n");
}

void say_about_sets(const std::vector<std::string>& warnings, Console& console) {
    for (const std::string& warning : warnings) {
        console.say("warning: " + without_controls(warning) + "\n");
    }
}

void declare_launcher(OptionTable& options, const RankMapFormat*& launcher, std::int32_t& cores_per_rank,
                      std::vector<std::string> excludes, bool is_local) {
    options.add_read("launcher", ValueKind::kText,
                     [&launcher](const std::string& word) { launcher = &rank_map_format(word); },
                     {.description = "Launcher for which to write the map (haichi list formats). Also prints the lines "
                                     "for the job script. The job fills in unknown node names when it runs",
                      .value = "LAUNCHER",
                      .excludes = std::move(excludes),
                      .is_local = is_local});
    options.add_count("cores-per-rank", cores_per_rank,
                      {.description = "Number of cores per rank, for the rank map and the lines for the job script",
                       .otherwise = "1 in the map, not set in the job script",
                       .most = 1 << 20});
}

void say_about_map(const RankMapFormat& launcher, const Mapping& mapping, const RankMapContext& context,
                   const std::string& file, Console& console) {
    if (launcher.warning != nullptr) {
        const std::string warning = launcher.warning(mapping, context);
        if (!warning.empty()) console.say("warning: " + warning + "\n");
    }
    const std::string lines = launch_lines(launcher, mapping, context, file.empty() || file == "-" ? "FILE" : file);
    if (!lines.empty()) console.say("for the job script:\n" + lines);
}

}  // namespace haichi::cli
