#include "cli/commands/log_convert.h"

#include <algorithm>
#include <limits>
#include <memory>

#include "base/errors.h"
#include "cli/command_outputs.h"
#include "cli/commands/log_input.h"
#include "cli/commands/values.h"
#include "cli/output/log_matrix.h"
#include "cli/output/log_words.h"
#include "cli/output/tables.h"
#include "commlog/log/communication_matrix.h"
#include "commlog/readers/log_readers.h"

namespace haichi::cli {

namespace {

struct ConvertOptions {
    std::vector<std::string> files;
    std::string format;
    std::string to;
    std::string output;
};

int run(const ConvertOptions& options, Console& console) {
    const std::vector<JobFiles> jobs = named_jobs(options.files, "haichi log convert app.haichi-log -t json");
    if (jobs.size() > 1)
        throw OptionError("log convert takes one log, not " + std::to_string(jobs.size()), "compare takes several");
    require_value(options.to, "--to");
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
    console.say("a matrix of " + count_text(static_cast<double>(matrix.workload.messages().size())) + " pairs, " +
                count_text(static_cast<double>(matrix.workload.total_bytes())) + " bytes, of the whole run\n");
    if (matrix.pairs_from_receivers > 0) {
        console.say("of " + std::to_string(matrix.pairs_from_receivers) +
                    " pairs only the receivers' side is known: bytes received\n");
    }
    console.hint(
        "it does not say which messages are under way together: hop-bytes, rmatt, rmatt-3d and max-link-load "
        "make sense for it, tac3 does not");
    return kExitDone;
}

Action configure_log_convert(OptionTable& options) {
    const auto o = std::make_shared<ConvertOptions>();
    options.add_arguments("FILE", o->files, "the log of a job, or a part of it");
    add_log_format(options, o->format);
    options.add_value("-t,--to", o->to, "FORMAT", "to write: " + matrix_formats().listing());
    options.add_value("-o,--output", o->output, "FILE", "write there instead of to standard output");
    return [o](Console& console) { return run(*o, console); };
}

}  // namespace

Command log_convert_command() {
    return {"convert", "write the communication matrix of a run: bytes of point-to-point messages",
            "haichi log convert app.haichi-log -t json -o app.json", configure_log_convert};
}

}  // namespace haichi::cli
