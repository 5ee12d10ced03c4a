#include "cli/commands/ccs.h"

#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/errors.h"
#include "cli/command_outputs.h"
#include "cli/commands/job_words.h"
#include "cli/output/extraction_text.h"
#include "cli/output/log_words.h"
#include "commlog/ccs/extraction.h"
#include "commlog/ccs/extraction_json.h"
#include "commlog/log/log_file.h"
#include "commlog/readers/log_readers.h"
#include "commlog/workload/workload_json.h"
#include "options/common_options.h"
#include "options/extraction_options.h"
#include "options/log_options.h"

namespace haichi::cli {

namespace {

struct CcsArguments {
    std::vector<std::string> logs;
    std::string format;
    ExtractionOptions extraction;
    std::string output;
    bool json = false;
};

/// The name of a log without its directory and ending. A part of a log gives the name of its job.
std::string stem_of(const JobFiles& job) {
    const std::string name = job_name(job.name()).value_or(job.name());
    const std::filesystem::path path(name);
    return (path.extension() == ".haichi-log" ? path.stem() : path.filename()).string();
}

/// The output file for the sets of each job. With several jobs, the name of the log replaces % in the value of -o.
std::vector<std::string> outputs_of(const CcsArguments& arguments, const std::vector<JobFiles>& jobs) {
    if (jobs.size() == 1) return {arguments.output};
    constexpr const char* kHint = "write one file per job with -o '%.json'; haichi replaces % by the name of the log";
    const std::size_t at = arguments.output.find('%');
    if (arguments.output.empty() || at == std::string::npos) {
        throw OptionError(
            "the logs of " + std::to_string(jobs.size()) + " jobs require a % in the file name of --output", kHint);
    }
    std::vector<std::string> outputs;
    for (const JobFiles& job : jobs) {
        outputs.push_back(std::string(arguments.output).replace(at, 1, stem_of(job)));
        const auto same = std::ranges::find(outputs, outputs.back());
        if (same + 1 != outputs.end()) {
            throw OptionError("the sets of " + job.name() + " and " +
                                  jobs[static_cast<std::size_t>(same - outputs.begin())].name() +
                                  " would go to the same file, " + shown(outputs.back()),
                              "extract them one after the other, with different file names");
        }
    }
    return outputs;
}

int run(const CcsArguments& arguments, Console& console) {
    const std::vector<JobFiles> jobs = files_by_job(arguments.logs);
    CommandOutputs outputs(console);
    for (const JobFiles& job : jobs) {
        for (const std::string& file : job.files) outputs.add_input(file);
    }
    // With --json, the report goes to standard output, and sets are written only if -o names a file.
    const bool writes_sets = !arguments.json || !arguments.output.empty();
    if (arguments.json) outputs.add_standard_output();
    std::vector<Destination> destinations;
    if (writes_sets) {
        for (const std::string& path : outputs_of(arguments, jobs))
            destinations.push_back(outputs.add_destination(path));
    }
    outputs.check();
    std::vector<JobLog> logs;
    for (const JobFiles& job : jobs) logs.push_back(read_log(job, arguments.format, outputs.reading()));
    outputs.open();
    std::vector<Extraction> extractions;
    for (std::size_t j = 0; j < jobs.size(); ++j) {
        try {
            extractions.push_back(extract_sets(logs[j], arguments.extraction));
        } catch (const UnsupportedError& error) {
            if (jobs.size() == 1) throw;
            throw UnsupportedError(jobs[j].name() + ": " + error.what(), error.hint());
        }
    }
    for (std::size_t j = 0; j < destinations.size(); ++j) {
        write_workload_json(extractions[j].workload, [&](std::string_view text) { destinations[j].write(text); });
    }
    outputs.commit();
    for (std::size_t j = 0; j < jobs.size(); ++j) {
        const std::string name = jobs.size() > 1 ? jobs[j].name() : "";
        if (arguments.json) {
            console.data(extraction_json(extractions[j], name));
            continue;
        }
        if (!name.empty()) console.say(std::string(j > 0 ? "\n" : "").append(without_controls(name)).append(":\n"));
        console.say(extraction_text(extractions[j]));
        say_about_sets(extractions[j].warnings, console);
    }
    return kExitDone;
}

Action configure_ccs(OptionTable& options) {
    const auto a = std::make_shared<CcsArguments>();
    declare_logs(options, a->logs, "Logs with the order of calls. Parts of one job are read together");
    declare_log_format(options, a->format);
    declare_extraction(options, a->extraction);
    declare_output(options, a->output,
                   "Write the sets to FILE instead of standard output. With several jobs, haichi replaces % in FILE by "
                   "the name of the log");
    declare_json(options, a->json, "the results as JSON. The sets go only to --output");
    return [a](Console& console) { return run(*a, console); };
}

}  // namespace

Command ccs_command() {
    return {"ccs", "extract communication sets (messages in flight together) from the log of an application",
            "haichi ccs app.haichi-log -o workload.json", configure_ccs};
}

}  // namespace haichi::cli
