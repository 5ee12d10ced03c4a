#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/reading.h"
#include "base/table.h"
#include "commlog/log/job_log.h"

namespace haichi {

class ReadProgress;

/// Describes what data a log contains.
enum class LogContent {
    kOrdered,  ///< all calls in order, so communication sets can be extracted
    kProfile,  ///< times and counts by function, and possibly messages by pair of ranks
    kMatrix    ///< messages by pair of ranks
};

/// Reads the log of a job, given one of its files. For formats with one file per rank, it looks for the other files.
/// Throws InputError that states file and line (or offset).
using LogReader = JobLog (*)(const std::string& path, ReadProgress& progress);

/// A log file format.
struct LogFormat {
    std::string name;
    std::string sentence;
    LogContent content = LogContent::kOrdered;
    /// Returns true if a file that begins with `prefix` has this format. At most one format may return true.
    bool (*recognise)(std::string_view prefix) = nullptr;
    LogReader read = nullptr;  ///< null if this build has no reader for the format
    std::string library = {};  ///< package of a library that the reader requires
};

const Table<LogFormat>& log_formats();

/// Throws OptionError with a suggestion for an unknown name.
inline const LogFormat& log_format(std::string_view name) { return log_formats().at(name); }

/// Returns true if a file that begins with `prefix` is a log of haichi or of another tool.
bool is_log(std::string_view prefix);

/// Returns true if the path is a log, a directory, or a secondary file of a trace. For a secondary file, the error of
/// read_log() names the file to use instead. The path "-" means standard input. It does not throw, and an unreadable
/// file is not a log.
bool is_log_file(const std::string& path);

/// Reads the log of a job from a file, from standard input ("-"), or from a directory that contains only one log. If
/// `format` is empty, the format is recognised by the first 64 KiB. Reports the format, other files of the trace and
/// the progress to `reading`. Throws InputError, or UnsupportedError if this build has no reader for the format.
JobLog read_log(const std::string& path, const std::string& format = "", const Reading& reading = {});

/// The files of one job: a single file, or the parts of its processes, which may be in several directories.
struct JobFiles {
    std::vector<std::string> files;

    [[nodiscard]] const std::string& name() const { return files.front(); }
};

/// Groups files by job; jobs are in the order of their first files. A file that occurs more than once is counted once.
/// Each unreadable part, and each file of another format, is a job of its own.
std::vector<JobFiles> files_by_job(const std::vector<std::string>& paths);

JobLog read_log(const JobFiles& job, const std::string& format = "", const Reading& reading = {});

}  // namespace haichi
