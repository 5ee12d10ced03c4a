#include "cli/commands/log_compare.h"

#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/errors.h"
#include "cli/commands/log_input.h"
#include "cli/commands/values.h"
#include "cli/output/log_comparison.h"
#include "cli/output/log_words.h"

namespace haichi::cli {

namespace {

struct CompareOptions {
    std::vector<std::string> files;
    std::string format;
    std::string rails;
    bool json = false;
};

/// A log as named on the command line: "rails=2:FILE", "LABEL:FILE" or "FILE".
struct NamedLog {
    std::string path;
    std::string label;
    std::optional<std::int32_t> rails;
};

constexpr std::int64_t kMostRails = 1000;

NamedLog named_log(const std::string& text) {
    constexpr std::string_view kRails = "rails=";
    const auto colon = text.find(':');
    // A file that is there is meant, whatever its name.
    if (colon == std::string::npos || colon + 1 == text.size() || std::filesystem::exists(text)) {
        return {text, std::filesystem::path(text).filename().string(), std::nullopt};
    }
    NamedLog log{text.substr(colon + 1), text.substr(0, colon), std::nullopt};
    if (log.label.starts_with(kRails)) {
        log.rails = static_cast<std::int32_t>(read_count("rails=", log.label.substr(kRails.size()), 1, kMostRails));
    }
    return log;
}

/// The numbers of --rails, one for each log.
void set_rails(const std::string& list, std::vector<NamedLog>& logs) {
    std::vector<std::string> words(1);
    for (const char c : list) {
        if (c == ',') {
            words.emplace_back();
        } else {
            words.back() += c;
        }
    }
    if (words.size() != logs.size()) {
        throw OptionError(
            "--rails has " + std::to_string(words.size()) + " numbers for " + std::to_string(logs.size()) + " logs",
            "one for each, as in --rails 1,2,4 A B C");
    }
    for (std::size_t i = 0; i < logs.size(); ++i) {
        logs[i].rails = static_cast<std::int32_t>(read_count("--rails", words[i], 1, kMostRails));
    }
}

int run(const CompareOptions& options, Console& console) {
    std::vector<NamedLog> logs;
    for (const std::string& file : options.files) logs.push_back(named_log(file));
    if (logs.size() < 2)
        throw OptionError("log compare takes two logs or more", "haichi log compare a.haichi-log b.haichi-log");
    if (!options.rails.empty()) set_rails(options.rails, logs);
    std::vector<ComparedRun> runs;
    std::string library;
    for (const NamedLog& named : logs) {
        const JobLog log = load_log(named.path, options.format);
        runs.push_back({named.label, log.rank_count, named.rails, job_totals(log), log.warnings});
        if (!runs.back().totals.has_times) {
            throw InputError(named.path + ": holds no times of functions", "haichi log show shows what it holds");
        }
        if (!runs.back().totals.libraries.empty()) library = runs.back().totals.libraries.front();
        for (const std::string& warning : log.warnings) {
            console.say("warning: " + without_controls(named.path + ": " + warning) + "\n");
        }
    }
    const std::vector<RailAdvice> advices = advise_rails(measured_runs(runs), library);
    const std::string trend = rail_trend(advices);
    if (options.json) {
        nlohmann::ordered_json report = comparison_json(runs);
        report["rail_advice"] = nlohmann::ordered_json::array();
        for (const RailAdvice& advice : advices) report["rail_advice"].push_back(rail_advice_json(advice));
        if (!trend.empty()) report["rail_trend"] = trend;
        console.data(report.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
        return kExitDone;
    }
    std::string text = comparison_table(runs);
    for (const RailAdvice& advice : advices) text.append("\n").append(rail_advice_text(advice));
    if (!trend.empty()) text.append("\n").append(trend).append("\n");
    console.data(text);
    return kExitDone;
}

Action configure(CLI::App& app) {
    const auto o = std::make_shared<CompareOptions>();
    app.add_option("FILE", o->files, "logs of jobs; LABEL:FILE names a column, rails=2:FILE says its rails")
        ->type_name("");
    add_log_format(app, o->format);
    add_value(app, "--rails", o->rails, "N,N,...", "network interfaces per node that each run used");
    app.add_flag("--json", o->json, "print haichi-log-comparison/1");
    return [o](Console& console) { return run(*o, console); };
}

}  // namespace

Command log_compare_command() {
    return {"compare", "tabulate runs per function, which got slower, and how many rails are best",
            "haichi log compare rails=1:run1.haichi-log rails=2:run2.haichi-log", configure};
}

}  // namespace haichi::cli
