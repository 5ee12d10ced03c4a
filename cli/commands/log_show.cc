#include "cli/commands/log_show.h"

#include <memory>

#include "base/errors.h"
#include "cli/commands/log_input.h"
#include "cli/commands/values.h"
#include "cli/output/log_json.h"

namespace haichi::cli {

namespace {

struct ShowOptions {
    std::vector<std::string> files;
    std::string ranks;
    bool json = false;
};

ListedRanks read_listed_ranks(const std::string& text) {
    if (text.empty()) return ListedRanks::kAuto;
    if (text == "all") return ListedRanks::kAll;
    if (text == "summary") return ListedRanks::kSummary;
    throw OptionError("--ranks: " + shown(text) + " is neither all nor summary");
}

void show_json(const JobLog& log, const JobTotals& totals, ListedRanks listed, Console& console) {
    const bool all_ranks = lists_all_ranks(log, listed);
    if (!all_ranks && listed == ListedRanks::kAuto) {
        console.say("the " + std::to_string(log.ranks.size()) + " ranks are not listed one by one\n");
        console.hint("--ranks all lists them");
    }
    write_log_json(log, totals, all_ranks, [&console](std::string_view text) { console.data(text); });
}

int run(const ShowOptions& options, Console& console) {
    const std::vector<std::string> files = distinct_logs(options.files);
    const ListedRanks listed = read_listed_ranks(options.ranks);
    const bool is_list = options.json && files.size() > 1;
    for (std::size_t i = 0; i < files.size(); ++i) {
        const JobLog log = load_log(files[i]);
        const JobTotals totals = job_totals(log);
        if (options.json) {
            if (is_list) console.data(i == 0 ? "[\n" : ",\n");
            show_json(log, totals, listed, console);
        }
    }
    if (is_list) console.data("]\n");
    return kExitDone;
}

Action configure(CLI::App& app) {
    const auto o = std::make_shared<ShowOptions>();
    app.add_option("FILE", o->files, "logs of jobs, or a part of each")->type_name("");
    add_value(app, "--ranks", o->ranks, "all|summary",
              "whether every rank is listed; default: with --json up to a million rows, else summary");
    app.add_flag("--json", o->json, "print haichi-log/1; a list of them for several files");
    return [o](Console& console) { return run(*o, console); };
}

}  // namespace

Command log_show_command() {
    return {"show", "functions, message sizes, busiest pairs and balance of a run", "haichi log show app.haichi",
            configure};
}

}  // namespace haichi::cli
