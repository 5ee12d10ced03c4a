#include "cli/commands/ccs.h"

#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/errors.h"
#include "cli/command_outputs.h"
#include "cli/commands/log_input.h"
#include "cli/commands/values.h"
#include "cli/output/extraction_text.h"
#include "cli/output/log_words.h"
#include "commlog/ccs/extraction.h"
#include "commlog/ccs/extraction_json.h"
#include "commlog/log/log_file.h"
#include "commlog/readers/log_readers.h"
#include "commlog/workload/workload_json.h"

namespace haichi::cli {

namespace {

struct CcsArguments {
    std::vector<std::string> logs;
    std::string format;
    std::string sends_per_rank;
    std::string eager_limit;
    std::string kernel;
    std::string collectives;
    std::vector<std::string> algorithms;
    std::string compute;
    std::string output;
    bool json = false;
};

ExtractionOptions extraction_options(const CcsArguments& arguments) {
    ExtractionOptions options;
    if (!arguments.sends_per_rank.empty()) {
        options.sends_per_rank =
            static_cast<std::int32_t>(read_count("--sends-per-rank", arguments.sends_per_rank, 1, kMostSendsPerRank));
    }
    if (!arguments.eager_limit.empty()) {
        options.levels.eager_limit_bytes = read_bytes("--eager-limit", arguments.eager_limit);
    }
    options.kernel = parse_kernel_choice(arguments.kernel.empty() ? "auto" : arguments.kernel);
    if (!arguments.collectives.empty()) options.levels.collectives = parse_collective_scope(arguments.collectives);
    for (const std::string& choice : arguments.algorithms) options.levels.algorithms.set(choice);
    if (!arguments.compute.empty()) options.compute_time = parse_compute_time(arguments.compute);
    return options;
}

/// The name of a log without folder and ending, of a part that of its job.
std::string stem_of(const JobFiles& job) {
    const std::string name = job_name(job.name()).value_or(job.name());
    const std::filesystem::path path(name);
    return (path.extension() == ".haichi-log" ? path.stem() : path.filename()).string();
}

/// Where the sets of each job go: -o, in which % stands for the name of the log when there are several.
std::vector<std::string> outputs_of(const CcsArguments& arguments, const std::vector<JobFiles>& jobs) {
    if (jobs.size() == 1) return {arguments.output};
    constexpr const char* kHint = "-o '%.json' writes a file for each, where % stands for the name of the log";
    const std::size_t at = arguments.output.find('%');
    if (arguments.output.empty() || at == std::string::npos) {
        throw OptionError("the logs are of " + std::to_string(jobs.size()) + " jobs, and each has its own sets", kHint);
    }
    std::vector<std::string> outputs;
    for (const JobFiles& job : jobs) {
        outputs.push_back(std::string(arguments.output).replace(at, 1, stem_of(job)));
        const auto same = std::ranges::find(outputs, outputs.back());
        if (same + 1 != outputs.end()) {
            throw OptionError("the sets of " + job.name() + " and of " +
                                  jobs[static_cast<std::size_t>(same - outputs.begin())].name() + " would both be " +
                                  shown(outputs.back()),
                              "extract them one after the other, with different names at -o");
        }
    }
    return outputs;
}

int run(const CcsArguments& arguments, Console& console) {
    const ExtractionOptions options = extraction_options(arguments);
    const std::vector<JobFiles> jobs = named_jobs(arguments.logs, "haichi ccs app.haichi-log -o workload.json");
    if (!arguments.format.empty()) (void)log_format(arguments.format);  // a wrong name needs no file
    CommandOutputs outputs(console);
    for (const JobFiles& job : jobs) {
        for (const std::string& file : job.files) outputs.add_input(file);
    }
    // With --json the report is the data: the sets go to a file or nowhere.
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
            extractions.push_back(extract_sets(logs[j], options));
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
        for (const std::string& warning : extractions[j].warnings) console.hint(warning);
    }
    return kExitDone;
}

Action configure_ccs(OptionTable& options) {
    const auto a = std::make_shared<CcsArguments>();
    options.add_arguments("LOG", a->logs, "logs with the order of calls; parts of one job are read together");
    options.add_value("--log-format", a->format, "NAME",
                      "of the log (haichi list log-formats); default: by its content");
    options.add_value("--sends-per-rank", a->sends_per_rank, "K",
                      "messages a rank may send, and receive, in one set: its network interfaces; default: 1");
    options.add_value("--eager-limit", a->eager_limit, "BYTES",
                      "up to this size a message does not wait for its receive to be posted; default: 0");
    options.add_value(
        "--kernel", a->kernel, "N|bytes|messages|outer|inner|whole",
        "the N-th repetition of those listed, that with most bytes or messages, the loop around or inside of the "
        "one that is taken otherwise, or the whole log as one; default: auto");
    options.add_value("--collectives", a->collectives, "subcomm|all|none",
                      "which are expanded to messages: those on less than all ranks, all, or none; default: subcomm");
    options.add_values("--collective", a->algorithms, "OP=ALGORITHM",
                       "by which algorithm, up to which sizes: allreduce=recursive-doubling:2KiB,ring; repeatable");
    options.add_value(
        "--compute", a->compute, "none|mean",
        "give the sets the mean computing time of the ranks before them; default: none, the same file from every run");
    options.add_value(
        "-o,--output", a->output, "FILE",
        "write the sets there instead of to standard output; of several jobs to as many files, % is the log's name");
    options.add_flag("--json", a->json, "print what was found as JSON; the sets only go to -o");
    return [a](Console& console) { return run(*a, console); };
}

}  // namespace

Command ccs_command() {
    return {"ccs", "extract communication sets from the log of an application",
            "haichi ccs app.haichi-log -o workload.json", configure_ccs};
}

}  // namespace haichi::cli
