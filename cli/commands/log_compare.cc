#include "cli/commands/log_compare.h"

#include <memory>
#include <nlohmann/json.hpp>

#include "base/errors.h"
#include "base/json_text.h"
#include "cli/command_outputs.h"
#include "cli/commands/log_input.h"
#include "cli/output/log_comparison.h"
#include "cli/output/log_words.h"
#include "commlog/readers/log_readers.h"
#include "mapper/report/advice_json.h"
#include "options/common_options.h"
#include "options/log_options.h"

namespace haichi::cli {

namespace {

struct CompareOptions {
    std::vector<std::string> files;
    std::string format;
    std::vector<std::int32_t> rails;
    bool json = false;
};

int run(const CompareOptions& options, Console& console) {
    std::vector<NamedLog> logs = named_logs(options.files);
    if (logs.size() < 2)
        throw OptionError("log compare requires at least two logs",
                          "name them, as in haichi log compare a.haichi-log b.haichi-log");
    check_rails(options.rails, logs.size());
    for (std::size_t i = 0; i < options.rails.size(); ++i) logs[i].rails = options.rails[i];
    CommandOutputs outputs(console);
    for (const NamedLog& named : logs) {
        for (const std::string& file : named.job.files) outputs.add_input(file);
    }
    outputs.add_standard_output();
    outputs.check();
    std::vector<ComparedRun> runs;
    std::string library;
    for (const NamedLog& named : logs) {
        const JobLog log = read_log(named.job, options.format, outputs.reading());
        runs.push_back({named.label, log.rank_count, named.rails, job_totals(log), log.warnings});
        if (!runs.back().totals.has_times) {
            throw InputError(named.path() + ": the log has no function times", "compare logs that the profiler wrote");
        }
        if (!runs.back().totals.libraries.empty()) library = runs.back().totals.libraries.front();
        for (const std::string& warning : log.warnings) {
            console.say("warning: " + without_controls(named.path() + ": " + warning) + "\n");
        }
    }
    outputs.open();
    const std::vector<RailAdvice> advices = advise_rails(measured_runs(runs), library);
    const std::string trend = rail_trend(advices);
    if (options.json) {
        nlohmann::ordered_json report = comparison_json(runs);
        report["rail_advice"] = nlohmann::ordered_json::array();
        for (const RailAdvice& advice : advices) report["rail_advice"].push_back(rail_advice_json(advice));
        if (!trend.empty()) report["rail_trend"] = trend;
        console.data(json_text(report, 1) + "\n");
        return kExitDone;
    }
    std::string text = comparison_table(runs);
    for (const RailAdvice& advice : advices) text.append("\n").append(rail_advice_text(advice));
    if (!trend.empty()) text.append("\n").append(trend).append("\n");
    console.data(text);
    return kExitDone;
}

Action configure_log_compare(OptionTable& options) {
    const auto o = std::make_shared<CompareOptions>();
    declare_logs(options, o->files,
                 "Logs of jobs, where LABEL:FILE names a column and rails=2:FILE states the NICs per node");
    declare_log_format(options, o->format);
    declare_rails(options, o->rails);
    declare_json(options, o->json, "the comparison as JSON (haichi-log-comparison/1)");
    return [o](Console& console) { return run(*o, console); };
}

}  // namespace

Command log_compare_command() {
    return {"compare", "compare the logs of runs: time per function, slower functions and the best number of NICs",
            "haichi log compare rails=1:run1.haichi-log rails=2:run2.haichi-log", configure_log_compare};
}

}  // namespace haichi::cli
