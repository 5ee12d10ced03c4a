#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/reading.h"
#include "base/table.h"
#include "commlog/log/job_log.h"

namespace haichi {

class ReadProgress;

/// What a log can tell.
enum class LogContent {
    kOrdered,  ///< every call in order: communication sets can be extracted
    kProfile,  ///< times and counts per function, perhaps messages per pair of ranks
    kMatrix    ///< messages per pair of ranks
};

/// Reads the log of the job that the file belongs to: formats of one file per rank look for the others. Throws
/// InputError with file and line (or offset).
using LogReader = JobLog (*)(const std::string& path, ReadProgress& progress);

/// A file format of logs.
struct LogFormat {
    std::string name;
    std::string sentence;
    LogContent content = LogContent::kOrdered;
    /// Whether a file that begins like this is in the format. At most one row says so.
    bool (*recognise)(std::string_view prefix) = nullptr;
    LogReader read = nullptr;  ///< null: this build has no reader of it
    std::string library = {};  ///< the package of a library that the reader needs
};

const Table<LogFormat>& log_formats();

/// Throws OptionError with did-you-mean.
inline const LogFormat& log_format(std::string_view name) { return log_formats().at(name); }

/// Whether a file that begins like this is a log, its own or another tool's.
bool is_log(std::string_view prefix);

/// Whether this is a regular file that begins like a log. Throws nothing: what cannot be read is none.
bool is_log_file(const std::string& path);

/// Reads a log of a job. `format` empty: recognised by the first 64 KiB. Throws InputError, and
/// UnsupportedError for a format whose reader is not in this build. `reading` is told the format, the other files of
/// the trace, and how far the reading is.
JobLog read_log(const std::string& path, const std::string& format = "", const Reading& reading = {});

/// The files of one job: one, or parts of its processes, which may lie in different folders.
struct JobFiles {
    std::vector<std::string> files;

    [[nodiscard]] const std::string& name() const { return files.front(); }
};

/// Files by job, in the order of their first ones; the same file twice is one. Parts that cannot be read, and files of
/// other formats, are jobs of their own.
std::vector<JobFiles> files_by_job(const std::vector<std::string>& paths);

JobLog read_log(const JobFiles& job, const std::string& format = "", const Reading& reading = {});

}  // namespace haichi
