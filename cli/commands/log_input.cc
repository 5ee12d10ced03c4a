#include "cli/commands/log_input.h"

#include <algorithm>
#include <filesystem>

#include "base/errors.h"
#include "base/quantity.h"
#include "commlog/log/log_file.h"
#include "mapper/advise/rails.h"

namespace haichi::cli {

namespace {

NamedLog named_log(const std::string& text) {
    constexpr std::string_view kRails = "rails=";
    const auto colon = text.find(':');
    // A colon may also be part of the name of an existing file.
    if (colon == std::string::npos || colon + 1 == text.size() || std::filesystem::exists(text)) {
        return {{{text}}, std::filesystem::path(text).filename().string(), std::nullopt};
    }
    NamedLog log{{{text.substr(colon + 1)}}, text.substr(0, colon), std::nullopt};
    if (log.label.starts_with(kRails)) {
        log.rails = static_cast<std::int32_t>(
            parse_count(log.label.substr(kRails.size()), kMostRails, {std::string(kRails), 0}));
        if (log.rails == 0) throw OptionError(std::string(kRails) + ": 0 is too small (at least 1)");
    }
    return log;
}

}  // namespace

std::vector<NamedLog> named_logs(const std::vector<std::string>& texts) {
    std::vector<NamedLog> logs;
    std::vector<std::optional<std::uint64_t>> jobs;  // only of parts, because a whole log may be compared with itself
    for (const std::string& text : texts) {
        NamedLog log = named_log(text);
        const std::optional<std::uint64_t> job = job_of_part(log.path());
        const auto found = job ? std::ranges::find(jobs, job) : jobs.end();
        if (found != jobs.end()) {
            logs[static_cast<std::size_t>(found - jobs.begin())].job.files.push_back(log.path());
        } else {
            logs.push_back(std::move(log));
            jobs.push_back(job);
        }
    }
    return logs;
}

}  // namespace haichi::cli
