#include "cli/commands/job_words.h"

#include "cli/output/log_words.h"
#include "mapper/job/job.h"
#include "mapper/judge/simulate.h"

namespace haichi::cli {

void declare_map_format(OptionTable& options, std::string& format, const std::string& otherwise, bool is_read) {
    options.add_read("format", ValueKind::kText,
                     [&format](const std::string& word) { format = rank_map_format(word).name; },
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
    return map.map.empty() ? Placement(job) : given_placement(job, map.map, map.format);
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

void say_about_map(const RankMapFormat& format, const Mapping& mapping, const RankMapContext& context,
                   const std::string& file, Console& console) {
    if (format.warning != nullptr) {
        const std::string warning = format.warning(mapping, context);
        if (!warning.empty()) console.say("warning: " + warning + "\n");
    }
    if (format.name != "fujitsu") return;
    const std::string lines = pjm_options(mapping, context, file.empty() || file == "-" ? "FILE" : file);
    if (!lines.empty()) console.say("for the job script:\n" + lines);
}

}  // namespace haichi::cli
