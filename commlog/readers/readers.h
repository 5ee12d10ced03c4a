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

/// A file format of workloads: one file in this directory and one entry in the table.
struct WorkloadFormat {
    std::string name;
    std::string sentence;
    /// Returns whether a text with this shape may have the format. At most one entry should return true. If two formats
    /// cannot be distinguished, both do, and the user has to name one.
    bool (*recognise)(const TextShape& shape) = nullptr;
    /// Reads the whole text. This takes about as much memory as the workload. Throws InputError with file, line and
    /// value.
    Workload (*read)(TextStream& stream) = nullptr;
};

const Table<WorkloadFormat>& workload_formats();

/// Throws OptionError with a suggestion.
inline const WorkloadFormat& workload_format(std::string_view name) { return workload_formats().at(name); }

/// Reads a workload file, or standard input for "-". An empty `format` is recognised by the first 1 MiB. A log
/// (log_readers.h) is also a workload. It has the communication sets of its main loop, extracted with default options,
/// or its matrix if it has no order. Reports the format, the other files of a trace and the progress to `reading`.
/// Throws InputError, and the errors of extract_sets() for logs without sets.
Workload read_workload(const std::string& path, const std::string& format = "", const Reading& reading = {});

/// Does the same, but returns a log unchanged.
std::variant<Workload, JobLog> read_traffic(const std::string& path, const std::string& format = "",
                                            const Reading& reading = {});
/// Calls of a log that its sets or its matrix do not contain. Counts are sums over all ranks and the whole run.
struct LeftOutOfSets {
    std::int64_t one_sided_operations = 0;
    std::int64_t one_sided_bytes = 0;  ///< moved by these operations
    std::int64_t unknown_calls = 0;    ///< JobLog::left_out_calls
};

/// The sets of a log, with warnings for users who do not inspect the sets.
struct SetsOfLog {
    Workload workload;
    std::vector<std::string> warnings;
    LeftOutOfSets left_out{};
};
/// Returns the sets of the log's main loop, or its matrix if it has no order. `path` names the log.
SetsOfLog sets_of(const JobLog& job, const std::string& path, const Log& log = {});

/// Parses a text in memory. Errors name it as `file`.
Workload parse_workload(std::string_view text, const std::string& file, const std::string& format = "");

}  // namespace haichi
