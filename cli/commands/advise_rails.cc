#include "cli/commands/advise_rails.h"

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command_outputs.h"
#include "cli/commands/log_input.h"
#include "cli/output/log_comparison.h"
#include "cli/output/log_words.h"
#include "mapper/report/advice_json.h"
#include "mapper/report/report_json.h"
#include "options/common_options.h"
#include "options/log_options.h"

namespace haichi::cli {

namespace {

struct AdviseRailsOptions {
    std::vector<std::string> files;
    RailAdviceRequest request;
    std::string variables;  ///< file that libhaichi-rails reads
    std::string output;
    bool json = false;
};

int run(const AdviseRailsOptions& options, Console& console) {
    RailAdviceRequest request = options.request;
    CommandOutputs outputs(console);
    for (const NamedLog& log : named_logs(options.files)) {
        request.logs.push_back({log.path(), log.label, log.rails});
        outputs.add_input(log.path());
    }
    Destination destination = outputs.add_destination(options.output);
    OutputFile* const variables = options.variables.empty() ? nullptr : &outputs.add_file(options.variables);
    outputs.check();
    const RailAdviceReport report = run_advise_rails(request, outputs.reading());
    const std::string rails = variables == nullptr ? "" : rail_file_text(report);
    outputs.open();
    if (variables != nullptr) variables->write(rails);
    for (const std::string& warning : report.warnings) console.say("warning: " + without_controls(warning) + "\n");
    if (options.json) {
        destination.write(report_text(advice_json(report)));
    } else {
        std::string text;
        for (const RailAdvice& advice : report.advices) text += rail_advice_text(advice) + "\n";
        if (!report.trend.empty()) text += report.trend + "\n\n";
        destination.write(text + report.sentence + "\n");
    }
    outputs.commit();
    return kExitDone;
}

Action configure_advise_rails(OptionTable& options) {
    const auto o = std::make_shared<AdviseRailsOptions>();
    declare_logs(options, o->files, "Logs of jobs, where rails=2:FILE states the NICs per node of a run");
    declare_advice(options, o->request);
    options.add_output("write-rails", o->variables,
                       {.description = "Write the advised environment variables to FILE, which libhaichi-rails reads",
                        .is_local = true});
    declare_output(options, o->output, "Write the answer to FILE instead of standard output");
    declare_json(options, o->json, "the answer as JSON (haichi-advice/1)");
    return [o](Console& console) { return run(*o, console); };
}

}  // namespace

Command advise_rails_command() {
    return {"rails", "advise how many NICs per node a run should use",
            "haichi advise rails rails=1:run1.haichi-log rails=2:run2.haichi-log", configure_advise_rails};
}

}  // namespace haichi::cli
