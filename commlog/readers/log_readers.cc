#include "commlog/readers/log_readers.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <system_error>

#include "base/errors.h"
#include "base/input_file.h"
#include "commlog/log/log_file.h"
#include "commlog/readers/read_progress.h"
#include "commlog/readers/trace_files.h"
#include "commlog/readers/trace_formats.h"

namespace haichi {

namespace {

const LogFormat* recognised(std::string_view prefix) {
    const auto& formats = log_formats();
    const auto found =
        std::ranges::find_if(formats, [prefix](const LogFormat& format) { return format.recognise(prefix); });
    return found == formats.end() ? nullptr : &*found;
}

std::string beginning_of(const std::string& path) { return beginning_of_input(path, std::size_t{1} << 16); }

JobLog read_as(const LogFormat& format, const std::string& path, const Reading& reading, std::string_view because) {
    const Log& log = reading.log();
    log.info("log {}: format {}, {}", shown(path), format.name, because);
    if (format.read == nullptr) {
        throw UnsupportedError(
            path + ": the file is in the format " + format.name + ", but this haichi was built without its reader",
            (format.library.empty() ? "build it" : "install " + format.library + " and build haichi") +
                ": cmake --build --preset release");
    }
    ReadProgress progress(reading, "log", path);
    JobLog read = format.read(path, progress);
    log.debug("log {}: {} of {} ranks{}", shown(path), read.ranks.size(), read.rank_count,
              read.has_calls ? ", with the order of their calls" : "");
    return read;
}

LogFormat own_log_format() {
    return {"haichi", "a log of haichi's profiler: the file of a job, or the parts of its ranks", LogContent::kOrdered,
            is_own_log, [](const std::string& path, ReadProgress& progress) {
                JobLog log = read_own_log(path, progress.reading());
                log.format = "haichi";
                return log;
            }};
}

}  // namespace

const Table<LogFormat>& log_formats() {
    static const Table<LogFormat> kFormats({"log format", "formats"}, [] {
        std::vector<LogFormat> formats = trace_formats();
        formats.insert(formats.begin(), own_log_format());
        return formats;
    }());
    return kFormats;
}

bool is_log(std::string_view prefix) { return recognised(prefix) != nullptr; }

bool is_log_file(const std::string& path) {
    std::error_code error;
    if (std::filesystem::is_directory(path, error)) return true;
    if (path != "-" && !std::filesystem::is_regular_file(path, error)) return false;
    std::string beginning;
    try {
        beginning = beginning_of(path);
    } catch (const InputError&) {
        return false;
    }
    if (is_log(beginning) || path == "-") return is_log(beginning);
    try {
        refuse_other_file_of_trace(path, beginning);
    } catch (const InputError&) {
        return true;
    }
    return false;
}

JobLog read_log(const std::string& path, const std::string& format, const Reading& reading) {
    std::error_code error;
    if (std::filesystem::is_directory(path, error)) {
        const std::string file = log_in_directory(path);
        reading.log().info("log {}: the file {}", shown(path), shown(file));
        reading.found_file(file);
        return read_log(file, format, reading);
    }
    // The log is opened again for reading, and readers of formats with several files look for the other files in its
    // directory.
    if (path == "-") {
        keep_standard_input();
    } else if (std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error)) {
        throw InputError(path + ": a log must be a file or standard input (-)", "save the log to a file first");
    }
    if (!format.empty()) return read_as(log_format(format), path, reading, "as named");
    const std::string prefix = beginning_of(path);
    const LogFormat* const found = recognised(prefix);
    if (found != nullptr) return read_as(*found, path, reading, "by its content");
    if (path != "-") refuse_other_file_of_trace(path, prefix);
    const std::string hint = "name one of the formats with §log-format: " + log_formats().listing();
    if (prefix.empty())
        throw InputError(SourcePlace{path, 1}, "expected a log, found an empty file",
                         "check whether the program that wrote it succeeded");
    const std::string line = prefix.substr(0, std::min<std::size_t>(prefix.find('\n'), prefix.size()));
    throw InputError(SourcePlace{path, 1}, "not in a known log format: " + shown(line), hint);
}

std::vector<JobFiles> files_by_job(const std::vector<std::string>& paths) {
    std::vector<JobFiles> jobs;
    std::vector<std::optional<std::uint64_t>> numbers;  // job IDs, by path
    std::vector<std::string> damaged;
    std::set<std::filesystem::path> seen;
    for (const std::string& path : paths) {
        std::error_code error;
        if (!seen.insert(std::filesystem::weakly_canonical(path, error)).second && !error) continue;
        const std::optional<std::uint64_t> number =
            std::filesystem::is_regular_file(path, error) ? job_of_part(path) : std::nullopt;
        const auto found = number ? std::ranges::find(numbers, number) : numbers.end();
        if (found != numbers.end()) {
            jobs[static_cast<std::size_t>(found - numbers.begin())].files.push_back(path);
        } else if (!number && job_name(path)) {
            damaged.push_back(path);
        } else {
            jobs.push_back({{path}});
            numbers.push_back(number);
        }
    }
    // Damaged parts are read together with the intact parts of the same name, and that reader warns about the damaged
    // ones.
    for (const std::string& path : damaged) {
        const bool has_job =
            std::ranges::any_of(jobs, [&](const JobFiles& job) { return job_name(job.name()) == job_name(path); });
        if (!has_job) jobs.push_back({{path}});
    }
    return jobs;
}

JobLog read_log(const JobFiles& job, const std::string& format, const Reading& reading) {
    if (job.files.size() == 1) return read_log(job.name(), format, reading);
    if (!format.empty() && format != own_log_format().name) {
        throw OptionError("§log-format " + format + ": " + job.name() + " is a part of a log of haichi's profiler");
    }
    reading.log().info("log {}: {} parts of a job", shown(job.name()), job.files.size());
    return read_parts(job.files, reading);
}

}  // namespace haichi
