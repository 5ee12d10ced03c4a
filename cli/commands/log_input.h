#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace haichi::cli {

/// --log-format, of all logs on the command line.
void add_log_format(CLI::App& app, std::string& format);

/// A log as named on the command line: "rails=2:FILE", "LABEL:FILE" or "FILE".
struct NamedLog {
    std::string path;
    std::string label;
    std::optional<std::int32_t> rails;
};
NamedLog named_log(const std::string& text);
/// The numbers of --rails, one for each log.
void set_rails(const std::string& list, std::vector<NamedLog>& logs);

/// The files to load for logs named on the command line: of the parts of one job (NAME.RANK.part), which are read
/// together, only the first. Throws OptionError when there are none.
std::vector<std::string> distinct_logs(const std::vector<std::string>& paths);

}  // namespace haichi::cli
