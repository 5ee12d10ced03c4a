#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/reading.h"
#include "base/table.h"
#include "commlog/log/job_log.h"

namespace haichi {

class ReadProgress;

/// The contents of a log.
enum class LogContent {
    kOrdered,  ///< every call in order, so communication sets can be extracted
    kProfile,  ///< times and counts per function, and possibly messages per pair of ranks
    kMatrix    ///< messages per pair of ranks
};

/// Reads the log of the job to which the file belongs. Formats with one file per rank look for the other files. Throws
/// InputError with file and line (or offset).
using LogReader = JobLog (*)(const std::string& path, ReadProgress& progress);

/// A file format of logs.
struct LogFormat {
    std::string name;
    std::string sentence;
    LogContent content = LogContent::kOrdered;
    /// Returns whether a file with this prefix has the format. At most one entry returns true.
    bool (*recognise)(std::string_view prefix) = nullptr;
    LogReader read = nullptr;  ///< null: this build has no reader for it
    std::string library = {};  ///< package of a library that the reader requires
};

const Table<LogFormat>& log_formats();

/// Throws OptionError with a suggestion.
inline const LogFormat& log_format(std::string_view name) { return log_formats().at(name); }

/// Returns whether a file with this prefix is a log of haichi or another tool.
bool is_log(std::string_view prefix);

/// Returns whether the path is a log, a directory, or another file of a trace. For the latter, read_log() names the
/// file to read. "-" is standard input. Does not throw: an unreadable file is not a log.
bool is_log_file(const std::string& path);

/// Reads the log of a job from a file, standard input ("-"), or the only log of a directory. An empty `format` is
/// recognised by the first 64 KiB. Reports the format, the other files of the trace and the progress to `reading`.
/// Throws InputError, and UnsupportedError for a format whose reader is not in this build.
JobLog read_log(const std::string& path, const std::string& format = "", const Reading& reading = {});

/// The files of one job: one file, or the parts of its processes, which may be in different directories.
struct JobFiles {
    std::vector<std::string> files;

    [[nodiscard]] const std::string& name() const { return files.front(); }
};

/// Groups files by job, in the order of each job's first file. A repeated file counts once. Unreadable parts and files
/// of other formats are separate jobs.
std::vector<JobFiles> files_by_job(const std::vector<std::string>& paths);

JobLog read_log(const JobFiles& job, const std::string& format = "", const Reading& reading = {});

}  // namespace haichi
