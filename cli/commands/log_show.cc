#include "cli/commands/log_show.h"

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/errors.h"
#include "cli/command_outputs.h"
#include "cli/commands/log_input.h"
#include "cli/commands/values.h"
#include "cli/output/log_comparison.h"
#include "cli/output/log_json.h"
#include "cli/output/log_outline.h"
#include "cli/output/log_page.h"
#include "cli/output/log_tables.h"
#include "cli/output/log_text.h"
#include "commlog/readers/log_readers.h"
#include "mapper/report/advice_json.h"

namespace haichi::cli {

namespace {

struct ShowOptions {
    std::vector<std::string> files;
    std::string format;
    std::string ranks;
    std::string rank;
    std::string interfaces;
    std::string page;
    bool rails = false;
    bool call_sites = false;
    bool by_rank = false;
    bool json = false;
};

ListedRanks read_listed_ranks(const std::string& text) {
    if (text.empty()) return ListedRanks::kAuto;
    if (text == "all") return ListedRanks::kAll;
    if (text == "summary") return ListedRanks::kSummary;
    throw OptionError("--ranks: " + shown(text) + " is neither all nor summary");
}

RailAdvice rail_advice(const JobLog& log, const JobTotals& totals, const std::string& interfaces) {
    constexpr std::int64_t kMostInterfaces = 1000;
    const std::int64_t count = interfaces.empty() ? 0 : read_count("--interfaces", interfaces, 1, kMostInterfaces);
    return advise_rails(log, totals, static_cast<std::int32_t>(count));
}

void show_json(const JobLog& log, const JobTotals& totals, ListedRanks listed, const ShowOptions& options,
               SourceLines& lines, Console& console) {
    const bool all_ranks = lists_all_ranks(log, listed);
    if (!all_ranks && listed == ListedRanks::kAuto) {
        console.say("the " + std::to_string(log.ranks.size()) + " ranks are not listed one by one\n");
        console.hint("--ranks all lists them");
    }
    nlohmann::ordered_json more = site_tables_json(log, options.call_sites ? &lines : nullptr);
    if (options.rails) more["rail_advice"] = rail_advice_json(rail_advice(log, totals, options.interfaces));
    write_log_json(log, totals, all_ranks, more, [&console](std::string_view text) { console.data(text); });
}

/// The call log of one rank: the one asked for, else the first that has one.
std::string calls_text(const JobLog& log, const std::string& asked) {
    const auto is_it = [](const RankLog& rank) { return !rank.threads.empty(); };
    if (asked.empty()) {
        const auto found = std::ranges::find_if(log.ranks, is_it);
        return found == log.ranks.end() ? "" : "\n" + outline_text(log, *found);
    }
    const std::int64_t number = read_count("--calls-of", asked, 0, log.rank_count - 1);
    const auto found = std::ranges::find(log.ranks, number, &RankLog::rank);
    if (found == log.ranks.end() || !is_it(*found)) {
        throw OptionError("--calls-of: there is no call log of rank " + std::to_string(number));
    }
    return "\n" + outline_text(log, *found);
}

/// Those that are asked for.
std::string more_tables(const JobLog& log, const JobTotals& totals, const ShowOptions& options, SourceLines& lines) {
    const std::string text = options.by_rank ? rank_functions_text(log, totals) : "";
    return options.call_sites ? text + call_sites_text(log, totals, lines) : text;
}

int run(const ShowOptions& options, Console& console) {
    const std::vector<JobFiles> jobs = named_jobs(options.files, "haichi log show app.haichi-log");
    const ListedRanks listed = read_listed_ranks(options.ranks);
    if (!options.interfaces.empty() && !options.rails) throw OptionError("--interfaces is for --rails");
    const bool is_list = options.json && jobs.size() > 1;
    if (!options.page.empty() && jobs.size() > 1) {
        throw OptionError("--html is a page for one log, not for " + std::to_string(jobs.size()));
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
        outputs.open();  // a page is that of one log
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
            if (options.rails) {
                console.data("\n" + rail_advice_text(rail_advice(log, totals, options.interfaces)));
            }
        }
    }
    if (is_list) console.data("]\n");
    return kExitDone;
}

Action configure_log_show(OptionTable& options) {
    const auto o = std::make_shared<ShowOptions>();
    options.add_arguments("FILE", o->files, "logs of jobs, or parts of them; parts of one job are read together");
    add_log_format(options, o->format);
    options.add_value("--ranks", o->ranks, "all|summary",
                      "whether every rank is listed; default: with --json up to a million rows, else summary");
    options.add_value("--html", o->page, "FILE", "write a page with pictures there instead of the tables");
    options.add_value("--calls-of", o->rank, "RANK",
                      "whose calls are outlined; default: the first that has a call log");
    options.add_flag("--call-sites", o->call_sites, "also the places of the program that call MPI, by their time");
    options.add_flag("--by-rank", o->by_rank, "also a table of every rank's time in the functions with the most time");
    options.add_flag("--rails", o->rails, "advise how many network interfaces per node to use, and why");
    options.add_value("--interfaces", o->interfaces, "N", "that a node has, for --rails");
    options.add_flag("--json", o->json, "print haichi-log/1; a list of them for several files");
    return [o](Console& console) { return run(*o, console); };
}

}  // namespace

Command log_show_command() {
    return {"show", "functions, message sizes, busiest pairs and balance of a run", "haichi log show app.haichi-log",
            configure_log_show};
}

}  // namespace haichi::cli
