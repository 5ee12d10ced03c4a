#include "cli/commands/log_show.h"

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/errors.h"
#include "cli/command_outputs.h"
#include "cli/output/log_json.h"
#include "cli/output/log_outline.h"
#include "cli/output/log_page.h"
#include "cli/output/log_tables.h"
#include "cli/output/log_text.h"
#include "commlog/readers/log_readers.h"
#include "options/common_options.h"
#include "options/log_options.h"

namespace haichi::cli {

namespace {

struct ShowOptions {
    std::vector<std::string> files;
    std::string format;
    ListedRanks ranks = ListedRanks::kAuto;
    std::optional<std::int32_t> rank;
    std::string page;
    bool call_sites = false;
    bool by_rank = false;
    bool json = false;
};

void show_json(const JobLog& log, const JobTotals& totals, ListedRanks listed, const ShowOptions& options,
               SourceLines& lines, Console& console) {
    const bool all_ranks = lists_all_ranks(log, listed);
    if (!all_ranks && listed == ListedRanks::kAuto) {
        console.say("the report omits the list of " + std::to_string(log.ranks.size()) + " ranks\n");
        console.hint("list them with --list-ranks all");
    }
    const nlohmann::ordered_json more = site_tables_json(log, options.call_sites ? &lines : nullptr);
    write_log_json(log, totals, all_ranks, more, [&console](std::string_view text) { console.data(text); });
}

/// The call log of the rank `asked`. Without `asked`, the log of the first rank that has one.
std::string calls_text(const JobLog& log, std::optional<std::int32_t> asked) {
    const auto is_it = [](const RankLog& rank) { return !rank.threads.empty(); };
    if (!asked) {
        const auto found = std::ranges::find_if(log.ranks, is_it);
        return found == log.ranks.end() ? "" : "\n" + outline_text(log, *found);
    }
    const auto found = std::ranges::find(log.ranks, *asked, &RankLog::rank);
    if (found == log.ranks.end() || !is_it(*found)) {
        throw OptionError("--calls-of: the log has no calls of rank " + std::to_string(*asked));
    }
    return "\n" + outline_text(log, *found);
}

/// The additional tables that the options request.
std::string more_tables(const JobLog& log, const JobTotals& totals, const ShowOptions& options, SourceLines& lines) {
    const std::string text = options.by_rank ? rank_functions_text(log, totals) : "";
    return options.call_sites ? text + call_sites_text(log, totals, lines) : text;
}

int run(const ShowOptions& options, Console& console) {
    const std::vector<JobFiles> jobs = files_by_job(options.files);
    const ListedRanks listed = options.ranks;
    const bool is_list = options.json && jobs.size() > 1;
    if (!options.page.empty() && jobs.size() > 1) {
        throw OptionError("--html requires one log, found " + std::to_string(jobs.size()));
    }
    CommandOutputs outputs(console);
    for (const JobFiles& job : jobs) {
        for (const std::string& file : job.files) outputs.add_input(file);
    }
    OutputFile* const page = options.page.empty() ? nullptr : &outputs.add_file(options.page);
    if (page == nullptr || options.json) outputs.add_standard_output();
    outputs.check();
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        const JobLog log = read_log(jobs[i], options.format, outputs.reading());
        const JobTotals totals = job_totals(log);
        SourceLines lines(OpenedNames(jobs[i].name(), console.files_below()));
        outputs.open();  // called only once, because --html accepts only one log
        if (page != nullptr) {
            page->write(log_page(log, totals, jobs[i].name(), calls_text(log, options.rank), lines));
            outputs.commit();
        }
        if (options.json) {
            if (is_list) console.data(i == 0 ? "[\n" : ",\n");
            show_json(log, totals, listed, options, lines, console);
        } else if (page == nullptr) {
            console.data((i == 0 ? "" : "\n") + log_text(log, totals, jobs[i].name(), listed == ListedRanks::kAll) +
                         more_tables(log, totals, options, lines) + calls_text(log, options.rank));
        }
    }
    if (is_list) console.data("]\n");
    return kExitDone;
}

Action configure_log_show(OptionTable& options) {
    const auto o = std::make_shared<ShowOptions>();
    declare_logs(options, o->files, "Logs of jobs, or parts of them. Parts of one job are read together");
    declare_log_format(options, o->format);
    options.begin(OptionGroup::kOutput);
    options.add_read("list-ranks", ValueKind::kText,
                     [o = o.get()](const std::string& word) {
                         o->ranks = word == "all" ? ListedRanks::kAll : ListedRanks::kSummary;
                     },
                     {.description = "Ranks to list: all, or only a summary",
                      .value = "WHICH",
                      .otherwise = "all with --json if the list has up to a million lines, else summary",
                      .choices = {"all", "summary"},
                      .former_names = {"ranks"}});
    options.add_output("html", o->page,
                       {.description = "Write an HTML page with charts to FILE instead of printing tables"});
    options.add_count("calls-of", o->rank,
                      {.description = "Rank whose sequence of calls haichi shows",
                       .value = "RANK",
                       .otherwise = "the first rank that has a call log",
                       .least = 0});
    options.add_flag("call-sites", o->call_sites, {.description = "Also list the call sites of MPI, sorted by time"});
    options.add_flag("by-rank", o->by_rank,
                     {.description = "Also list the time of each rank in the functions with the most time"});
    declare_json(options, o->json, "the log as JSON (haichi-log/1), or a list of logs if there are several");
    return [o](Console& console) { return run(*o, console); };
}

}  // namespace

Command log_show_command() {
    return {"show", "show functions, message sizes, most active pairs and balance of a run",
            "haichi log show app.haichi-log", configure_log_show};
}

}  // namespace haichi::cli
