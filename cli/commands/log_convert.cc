#include "cli/commands/log_convert.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <span>

#include "base/errors.h"
#include "cli/command_outputs.h"
#include "cli/output/log_matrix.h"
#include "cli/output/log_words.h"
#include "cli/output/tables.h"
#include "commlog/log/communication_matrix.h"
#include "commlog/readers/log_readers.h"
#include "options/common_options.h"
#include "options/log_options.h"

namespace haichi::cli {

namespace {

struct ConvertOptions {
    std::vector<std::string> files;
    std::string format;
    std::string to;
    std::string output;
};

int run(const ConvertOptions& options, Console& console) {
    const std::vector<JobFiles> jobs = files_by_job(options.files);
    if (jobs.size() > 1)
        throw OptionError("log convert takes one log, found " + std::to_string(jobs.size()),
                          "convert them one after the other");
    const MatrixFormat& format = matrix_formats().at(options.to);
    CommandOutputs outputs(console);
    for (const std::string& file : jobs.front().files) outputs.add_input(file);
    Destination destination = outputs.add_destination(options.output);
    outputs.check();
    const JobLog log = read_log(jobs.front(), options.format, outputs.reading());
    outputs.open();
    const CommunicationMatrix matrix = communication_matrix(log, jobs.front().name());
    format.write(matrix.workload, [&destination](std::string_view text) { destination.write(text); });
    outputs.commit();
    for (const std::string& warning : log.warnings) console.say("warning: " + without_controls(warning) + "\n");
    const auto bytes_of = [](double sum, const Message& m) { return sum + static_cast<double>(m.size_bytes); };
    const std::span<const Message> messages = matrix.workload.messages();
    // Unlike Workload::total_bytes(), this sum includes the one-sided operations of ranks on themselves.
    const double bytes = std::accumulate(messages.begin(), messages.end(), 0.0, bytes_of);
    console.say("matrix of the whole run: " + count_text(static_cast<double>(messages.size())) + " pairs, " +
                count_text(bytes) + " bytes\n");
    if (matrix.one_sided_bytes > 0) {
        console.say(count_text(static_cast<double>(matrix.one_sided_bytes)) +
                    " of these bytes are of one-sided operations: puts count to their targets, gets from them\n");
    }
    if (matrix.pairs_from_receivers > 0) {
        const bool is_one = matrix.pairs_from_receivers == 1;
        console.say("the log has only the received bytes of " + std::to_string(matrix.pairs_from_receivers) +
                    (is_one ? " pair, not the sent bytes\n" : " pairs, not the sent bytes\n"));
    }
    console.hint(
        "use the objective hop-bytes, rmatt, rmatt-3d or max-link-load. A matrix does not state which messages are in "
        "flight together, which tac3 requires");
    return kExitDone;
}

Action configure_log_convert(OptionTable& options) {
    const auto o = std::make_shared<ConvertOptions>();
    declare_logs(options, o->files, "Log of a job, or its parts");
    declare_log_format(options, o->format);
    options.begin(OptionGroup::kOutput);
    options.add_text("to", o->to,
                     {.description = "Format to write",
                      .value = "FORMAT",
                      .letter = 't',
                      .choices = matrix_formats().names(),
                      .is_required = true});
    declare_output(options, o->output, "Write to FILE instead of standard output");
    return [o](Console& console) { return run(*o, console); };
}

}  // namespace

Command log_convert_command() {
    return {"convert",
            "write the communication matrix of a run: bytes of point-to-point messages and one-sided operations",
            "haichi log convert app.haichi-log -t json -o app.json", configure_log_convert};
}

}  // namespace haichi::cli
