#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "commlog/readers/log_readers.h"

namespace haichi::cli {

/// A log as named on the command line: "rails=2:FILE", "LABEL:FILE" or "FILE". If the log of a job is in parts, it has
/// several files.
struct NamedLog {
    JobFiles job;
    std::string label;
    std::optional<std::int32_t> rails;

    [[nodiscard]] const std::string& path() const { return job.name(); }
};
/// Groups files to one log per job. Each log has the label of its first file.
std::vector<NamedLog> named_logs(const std::vector<std::string>& texts);

}  // namespace haichi::cli
