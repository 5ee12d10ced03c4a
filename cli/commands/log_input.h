#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands/option_table.h"
#include "commlog/readers/log_readers.h"

namespace haichi::cli {

/// --log-format, of all logs on the command line.
void add_log_format(OptionTable& options, std::string& format);

/// A log as named on the command line: "rails=2:FILE", "LABEL:FILE" or "FILE"; of a job in parts all files.
struct NamedLog {
    JobFiles job;
    std::string label;
    std::optional<std::int32_t> rails;

    [[nodiscard]] const std::string& path() const { return job.name(); }
};
/// One for each job; the label is that of its first file.
std::vector<NamedLog> named_logs(const std::vector<std::string>& texts);
/// The numbers of --rails, one for each log.
void set_rails(const std::string& list, std::vector<NamedLog>& logs);

/// The jobs whose logs are named on the command line. Throws OptionError, whose hint is
/// `example`, where no log is named.
std::vector<JobFiles> named_jobs(const std::vector<std::string>& paths, const std::string& example);

}  // namespace haichi::cli
