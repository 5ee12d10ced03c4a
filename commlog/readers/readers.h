#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/reading.h"
#include "base/table.h"
#include "base/text_stream.h"
#include "commlog/log/job_log.h"
#include "commlog/workload/workload.h"

namespace haichi {

struct TextShape;

/// A workload file format, with a file in this directory and an entry in the table.
struct WorkloadFormat {
    std::string name;
    std::string sentence;
    /// Returns true if a text with this shape may have the format. At most one format should return true. If two
    /// formats cannot be distinguished, both return true, and the user has to name the format.
    bool (*recognise)(const TextShape& shape) = nullptr;
    /// Reads the whole text. The memory needed is about the size of the workload. Throws InputError that states file,
    /// line and value.
    Workload (*read)(TextStream& stream) = nullptr;
};

const Table<WorkloadFormat>& workload_formats();

/// Throws OptionError with a suggestion for an unknown name.
inline const WorkloadFormat& workload_format(std::string_view name) { return workload_formats().at(name); }

/// Reads a workload file, or standard input if `path` is "-". If `format` is empty, the format is recognised by the
/// first 1 MiB. A log (log_readers.h) can also be used as a workload. The workload has the communication sets of the
/// log's main loop, extracted with default options. If the log has no order, it is the communication matrix. Reports
/// the format, other files of a trace and the progress to `reading`. Throws InputError, and the errors of
/// extract_sets() if the log has no sets.
Workload read_workload(const std::string& path, const std::string& format = "", const Reading& reading = {});

/// Like read_workload(), but returns a log as it is.
std::variant<Workload, JobLog> read_traffic(const std::string& path, const std::string& format = "",
                                            const Reading& reading = {});
/// Calls of a log that are in neither its sets nor its matrix. Counts are totals over all ranks and the whole run.
struct LeftOutOfSets {
    std::int64_t one_sided_operations = 0;
    std::int64_t one_sided_bytes = 0;  ///< bytes moved by these operations
    std::int64_t unknown_calls = 0;    ///< JobLog::left_out_calls
};

/// The sets of a log, with warnings for users who do not look at the sets.
struct SetsOfLog {
    Workload workload;
    std::vector<std::string> warnings;
    LeftOutOfSets left_out{};
};
/// Returns the sets of the log's main loop, or its communication matrix if the log has no order. `path` is the name of
/// the log in messages.
SetsOfLog sets_of(const JobLog& job, const std::string& path, const Log& log = {});

/// Parses a workload from a text in memory. `file` is its name in error messages.
Workload parse_workload(std::string_view text, const std::string& file, const std::string& format = "");

}  // namespace haichi
