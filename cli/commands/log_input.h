#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "commlog/readers/log_readers.h"
#include "options/option_table.h"

namespace haichi::cli {

/// LOG..., at least one, and --log-format for all of them.
void declare_logs(OptionTable& options, std::vector<std::string>& logs, std::string& format,
                  const std::string& description);

/// --interfaces, where 0 means unknown.
void declare_interfaces(OptionTable& options, std::int32_t& interfaces, std::vector<std::string> needs = {});
/// --rails, with the numbers as given.
void declare_rails(OptionTable& options, std::string& rails);

/// A log as named on the command line: "rails=2:FILE", "LABEL:FILE" or "FILE". The log of a job in parts has several
/// files.
struct NamedLog {
    JobFiles job;
    std::string label;
    std::optional<std::int32_t> rails;

    [[nodiscard]] const std::string& path() const { return job.name(); }
};
/// One log for each job, with the label of its first file.
std::vector<NamedLog> named_logs(const std::vector<std::string>& texts);
/// Sets the numbers of --rails, one for each log.
void set_rails(const std::string& list, std::vector<NamedLog>& logs);

}  // namespace haichi::cli
