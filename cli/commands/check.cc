#include "cli/commands/check.h"

#include <memory>
#include <nlohmann/json.hpp>

#include "base/errors.h"
#include "base/json_text.h"
#include "cli/command_outputs.h"
#include "cli/commands/job_words.h"
#include "mapper/job/check_map.h"
#include "options/common_options.h"
#include "options/job_options.h"

namespace haichi::cli {

namespace {

struct CheckArguments {
    JobOptions job;
    RankMapInput map;
    bool json = false;
};

std::string text_of(const MapCheck& check, const std::string& map, bool has_script) {
    constexpr std::size_t kColumn = 9;
    std::string text;
    for (const CheckLine& line : check.lines) {
        std::string word = word_of(line.result);
        word.resize(kColumn, ' ');
        text += word + as_typed(line.text) + "\n";
        if (!line.hint.empty()) text += std::string(kColumn, ' ') + "hint: " + as_typed(line.hint) + "\n";
    }
    const std::string who = has_script ? "PJM" : "the scheduler";
    if (check.problem_count == 0) return text + map + ": " + who + " accepts the rank map\n";
    const std::string verdict = check.is_map_checked ? who + " rejects the rank map" : "the rank map was not checked";
    return text + map + ": " + verdict + ", " + std::to_string(check.problem_count) +
           (check.problem_count == 1 ? " problem\n" : " problems\n");
}

std::string json_of(const MapCheck& check, const std::string& map) {
    nlohmann::ordered_json document;
    document["schema"] = "haichi-check/1";
    document["map"] = map;
    document["format"] = check.format;
    document["ranks"] = check.rank_count;
    document["accepted"] = check.problem_count == 0;
    document["problems"] = check.problem_count;
    document["checks"] = nlohmann::ordered_json::array();
    for (const CheckLine& line : check.lines) {
        nlohmann::ordered_json row = {{"result", word_of(line.result)}, {"text", as_typed(line.text)}};
        if (!line.place.file.empty()) row["file"] = line.place.file;
        if (line.place.line > 0) row["line"] = line.place.line;
        if (!line.hint.empty()) row["hint"] = as_typed(line.hint);
        document["checks"].push_back(std::move(row));
    }
    return json_text(document, 2) + "\n";
}

int run(const CheckArguments& arguments, Console& console) {
    const JobSpec spec = arguments.job.job({arguments.map.map});
    CommandOutputs outputs(console);
    arguments.job.add_inputs(outputs);
    outputs.add_input(arguments.map.map);
    outputs.add_standard_output();
    outputs.check();
    const MapCheck check =
        check_map(spec, {.map = arguments.map.map, .format = arguments.map.format_name()}, outputs.reading());
    outputs.open();
    console.data(arguments.json ? json_of(check, arguments.map.map)
                                : text_of(check, arguments.map.map, !spec.job_script.empty()));
    return check.problem_count == 0 ? kExitDone : kExitBadInput;
}

Action configure_check(OptionTable& options) {
    const auto o = std::make_shared<CheckArguments>();
    o->job.declare(options, JobUse::kPlaces);
    o->map.declare(options, "Rank map to check", true);
    declare_json(options, o->json, "the result as JSON (haichi-check/1)");
    return [o](Console& console) { return run(*o, console); };
}

}  // namespace

Command check_command() {
    return {"check", "check whether the scheduler accepts a rank map",
            "haichi check --map cg64.map -m fx10-kyushu --shape 1x2x4x2x3x2", configure_check};
}

}  // namespace haichi::cli
