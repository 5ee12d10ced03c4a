#pragma once

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

/// A file format of workloads: one file in this folder and one row in the table.
struct WorkloadFormat {
    std::string name;
    std::string sentence;
    /// Whether a text that begins like this may be in the format. At most one row is to say so, but where two cannot be
    /// told apart both do, and the user has to name one.
    bool (*recognise)(const TextShape& shape) = nullptr;
    /// The whole text in memory about as large as the workload. Throws InputError with file, line and value.
    Workload (*read)(TextStream& stream) = nullptr;
};

const Table<WorkloadFormat>& workload_formats();

/// Throws OptionError with did-you-mean.
inline const WorkloadFormat& workload_format(std::string_view name) { return workload_formats().at(name); }

/// Reads a workload file, "-" for standard input. `format` empty: recognised by the first 1 MiB. A log (log_readers.h)
/// is a workload, too: the communication sets of its kernel, extracted with default options, or its matrix where it has
/// no order. Throws InputError, and for logs without sets what extract_sets throws.
/// `reading` is told the format, the other files of a trace, and how far the reading is.
Workload read_workload(const std::string& path, const std::string& format = "", const Reading& reading = {});

/// The same, but a log stays a log.
std::variant<Workload, JobLog> read_traffic(const std::string& path, const std::string& format = "",
                                            const Reading& reading = {});
/// The sets of a log, and what whoever takes them unseen has to be told.
struct SetsOfLog {
    Workload workload;
    std::vector<std::string> warnings;
};
/// Of its kernel or, where it has no order, its matrix; `path` names it.
SetsOfLog sets_of(const JobLog& job, const std::string& path, const Log& log = {});

/// The same from a text in memory; `file` names it in errors.
Workload parse_workload(std::string_view text, const std::string& file, const std::string& format = "");

}  // namespace haichi
