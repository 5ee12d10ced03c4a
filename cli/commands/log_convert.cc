#include "cli/commands/log_convert.h"

#include <algorithm>
#include <limits>
#include <memory>

#include "base/errors.h"
#include "cli/commands/log_input.h"
#include "cli/commands/values.h"
#include "cli/output/log_matrix.h"
#include "cli/output/tables.h"
#include "commlog/log/job_totals.h"

namespace haichi::cli {

namespace {

struct ConvertOptions {
    std::vector<std::string> files;
    std::string to;
    std::string output;
};

struct Matrix {
    Workload workload;
    std::uint64_t pairs_from_receivers = 0;
};

/// One message for each pair of ranks, of all its bytes, by source and destination.
Matrix communication_matrix(const JobLog& log, const std::string& file) {
    std::vector<Message> messages;
    std::uint64_t pairs_from_receivers = 0;
    visit_pairs(log, [&](const PairTraffic& pair) {
        if (pair.bytes == 0) return;
        if (pair.bytes > static_cast<std::uint64_t>(kLargestMessageBytes)) {
            throw InputError(file + ": " + std::to_string(pair.bytes) + " bytes from rank " +
                             std::to_string(pair.source) + " to rank " + std::to_string(pair.destination) +
                             " are more than a workload can hold");
        }
        messages.push_back({RankId(pair.source), RankId(pair.destination), static_cast<std::int64_t>(pair.bytes)});
        pairs_from_receivers += pair.from_receiver ? 1 : 0;
    });
    if (messages.empty()) {
        throw InputError(file + ": knows of no message between two ranks: there is no matrix to write");
    }
    std::ranges::sort(messages, {}, [](const Message& m) { return std::pair(m.source.value, m.destination.value); });
    std::vector<Workload::Set> sets = {{"all point-to-point messages", 0, 0, messages.size()}};
    return {Workload(log.rank_count, 1, std::move(sets), std::move(messages)), pairs_from_receivers};
}

int run(const ConvertOptions& options, Console& console) {
    const std::vector<std::string> files = distinct_logs(options.files);
    if (files.size() > 1) throw OptionError("log convert takes one log", "compare takes several");
    require_value(options.to, "--to");
    const MatrixFormat& format = matrix_format(options.to);
    Destination destination(options.output, console);
    const JobLog log = load_log(files.front());
    const Matrix matrix = communication_matrix(log, files.front());
    format.write(matrix.workload, [&destination](std::string_view text) { destination.write(text); });
    destination.commit();
    for (const std::string& warning : log.warnings) console.say("warning: " + shown(warning) + "\n");
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

Action configure(CLI::App& app) {
    const auto o = std::make_shared<ConvertOptions>();
    app.add_option("FILE", o->files, "the log of a job, or a part of it")->type_name("");
    std::string names;
    for (const MatrixFormat& format : matrix_formats()) names += (names.empty() ? "" : ", ") + format.name;
    add_value(app, "-t,--to", o->to, "FORMAT", "to write: " + names);
    add_value(app, "-o,--output", o->output, "FILE", "write there instead of to standard output");
    return [o](Console& console) { return run(*o, console); };
}

}  // namespace

Command log_convert_command() {
    return {"convert", "write the communication matrix of a run: bytes of point-to-point messages",
            "haichi log convert app.haichi-log -t json -o app.json", configure};
}

}  // namespace haichi::cli
