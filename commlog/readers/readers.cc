#include "commlog/readers/readers.h"

#include <algorithm>
#include <array>

#include "base/errors.h"
#include "base/input_file.h"
#include "commlog/ccs/extraction.h"
#include "commlog/log/communication_matrix.h"
#include "commlog/log/job_totals.h"
#include "commlog/readers/formats.h"
#include "commlog/readers/log_readers.h"
#include "commlog/readers/read_progress.h"
#include "commlog/readers/text_shape.h"

namespace haichi {

namespace {

/// Other kinds of files that users may pass by mistake, recognised by their first bytes, with hints.
struct ForeignFile {
    std::string_view magic;
    const char* name;
    const char* hint;
};
constexpr std::array<ForeignFile, 4> kForeignFiles = {{
    {"\x7f"
     "ELF",
     "a program", "run the program on the simulated machine: haichi run -m MACHINE -n RANKS -- PROGRAM"},
    {"#!", "a script", "pass a job script with §job, and the log or matrix of the program with §workload"},
    {"\x93NUMPY", "a NumPy array", "read .npy and .npz files in Python: haichi.Workload.from_file"},
    {"PK\x03\x04", "a zip archive, perhaps of NumPy", "read .npy and .npz files in Python: haichi.Workload.from_file"},
}};

[[noreturn]] void refuse(TextStream& stream) {
    const std::string_view prefix = stream.prefix();
    for (const ForeignFile& foreign : kForeignFiles) {
        if (prefix.starts_with(foreign.magic)) {
            throw InputError(SourcePlace{stream.place().file, 1},
                             std::string("expected a workload, found ") + foreign.name, foreign.hint);
        }
    }
    // Compressed files are unpacked while they are read, but a text in memory is not.
    if (const Compression* const compression = compression_of(prefix)) {
        throw InputError(stream.place().file + ": expected a workload, found a compressed file",
                         "decompress the file: " + std::string(compression->command) + " FILE | haichi ... -w -");
    }
    const std::string hint = "name one of the formats with §workload-format: " + workload_formats().listing();
    constexpr std::string_view kBlanks = " \t\r\n";
    const auto first = std::min(prefix.find_first_not_of(kBlanks), prefix.size());
    if (first == prefix.size() && stream.prefix_is_all()) {
        throw InputError(SourcePlace{stream.place().file, 1}, "expected a workload, found an empty file",
                         "check whether the program that wrote it succeeded");
    }
    // Moves to the line that the error will state. If there is a NUL byte before this line, its error is more helpful.
    for (std::size_t i = 0; i < first; ++i) stream.advance();
    if (stream.at_end()) throw InputError(stream.place(), "expected a workload, found 1 MiB of blanks", hint);
    const std::string line(
        prefix.substr(first, std::min<std::size_t>(prefix.find('\n', first), prefix.size()) - first));
    stream.advance();
    throw InputError(stream.place(), "not in a known workload format: " + shown(line), hint);
}

const WorkloadFormat& recognised_format(TextStream& stream) {
    const TextShape shape = shape_of(stream.prefix(), stream.prefix_is_all(), stream.place().file);
    const WorkloadFormat* found = nullptr;
    for (const WorkloadFormat& format : workload_formats()) {
        if (!format.recognise(shape)) continue;
        if (found != nullptr) {
            throw InputError(
                stream.place().file + ": the format is ambiguous: it may be " + found->name + " or " + format.name,
                "name the format: §workload-format NAME");
        }
        found = &format;
    }
    if (found == nullptr) refuse(stream);
    return *found;
}

Workload read(TextStream stream, const std::string& format, const Log& log) {
    const WorkloadFormat& used = format.empty() ? recognised_format(stream) : workload_format(format);
    const std::string name = shown(stream.place().file);
    log.info("workload {}: format {}, {}", name, used.name, format.empty() ? "by its content" : "as named");
    Workload workload = used.read(stream);
    log.debug("workload {}: {} ranks, {} messages in {} sets", name, workload.rank_count(), workload.messages().size(),
              workload.set_count());
    return workload;
}

}  // namespace

const Table<WorkloadFormat>& workload_formats() {
    static const Table<WorkloadFormat> kFormats({"workload format", "formats"},
                                                {json_workload_format(), edge_list_format(), dense_matrix_format(),
                                                 matrix_market_format(), qaplib_format(), metis_format()});
    return kFormats;
}

SetsOfLog sets_of(const JobLog& job, const std::string& path, const Log& log) {
    const auto of_this_log = [&](std::vector<std::string> warnings) {
        for (std::string& warning : warnings) warning.insert(0, path + ": ");
        return warnings;
    };
    if (!job.has_calls) {
        SetsOfLog matrix{communication_matrix(job, path).workload, of_this_log(job.warnings)};
        matrix.left_out.unknown_calls = static_cast<std::int64_t>(job.left_out_calls);
        log.info(
            "workload {}: {} sets from the communication matrix of the log, which does not record the order of "
            "messages",
            shown(path), matrix.workload.set_count());
        return matrix;
    }
    Extraction extraction = [&] {
        try {
            return extract_sets(job, {});
        } catch (const UnsupportedError& error) {
            throw UnsupportedError(path + ": " + error.what(), error.hint());
        }
    }();
    log.info("workload {}: {} sets of the main loop of the log", shown(path), extraction.workload.set_count());
    const OneSidedCounters one_sided = one_sided_total(job);
    return {std::move(extraction.workload),
            of_this_log(caveats(extraction)),
            {.one_sided_operations = static_cast<std::int64_t>(one_sided.put_operations + one_sided.got_operations),
             .one_sided_bytes = static_cast<std::int64_t>(one_sided.put_bytes + one_sided.got_bytes),
             .unknown_calls = static_cast<std::int64_t>(job.left_out_calls)}};
}

std::variant<Workload, JobLog> read_traffic(const std::string& path, const std::string& format,
                                            const Reading& reading) {
    if (!format.empty()) (void)workload_format(format);  // reports an unknown format before the file is opened
    if (format.empty() && is_log_file(path)) return read_log(path, "", reading);
    ReadProgress progress(reading, "workload", path);
    progress.expect(path);
    return read(progress.open(path), format, reading.log());
}

Workload read_workload(const std::string& path, const std::string& format, const Reading& reading) {
    auto traffic = read_traffic(path, format, reading);
    if (const auto* job = std::get_if<JobLog>(&traffic)) return sets_of(*job, path, reading.log()).workload;
    return std::get<Workload>(std::move(traffic));
}

Workload parse_workload(std::string_view text, const std::string& file, const std::string& format) {
    return read(TextStream(text, file), format, {});
}

}  // namespace haichi
