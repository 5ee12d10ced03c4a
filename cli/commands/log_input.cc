#include "cli/commands/log_input.h"

#include <algorithm>
#include <filesystem>

#include "base/errors.h"
#include "cli/commands/values.h"
#include "commlog/log/log_file.h"

namespace haichi::cli {

namespace {

constexpr std::int64_t kMostRails = 1000;

NamedLog named_log(const std::string& text) {
    constexpr std::string_view kRails = "rails=";
    const auto colon = text.find(':');
    // A file that is there is meant, whatever its name.
    if (colon == std::string::npos || colon + 1 == text.size() || std::filesystem::exists(text)) {
        return {{{text}}, std::filesystem::path(text).filename().string(), std::nullopt};
    }
    NamedLog log{{{text.substr(colon + 1)}}, text.substr(0, colon), std::nullopt};
    if (log.label.starts_with(kRails)) {
        log.rails = static_cast<std::int32_t>(read_count("rails=", log.label.substr(kRails.size()), 1, kMostRails));
    }
    return log;
}

}  // namespace

void add_log_format(OptionTable& options, std::string& format) {
    options.add_value("--log-format", format, "NAME",
                      "of the logs (haichi list log-formats); default: by their content");
}

std::vector<JobFiles> named_jobs(const std::vector<std::string>& paths, const std::string& example) {
    if (paths.empty()) throw OptionError("no log FILE given", example);
    return files_by_job(paths);
}

std::vector<NamedLog> named_logs(const std::vector<std::string>& texts) {
    std::vector<NamedLog> logs;
    std::vector<std::optional<std::uint64_t>> jobs;  // of parts; a whole log may be compared with itself
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

void set_rails(const std::string& list, std::vector<NamedLog>& logs) {
    std::vector<std::string> words(1);
    for (const char c : list) {
        if (c == ',') {
            words.emplace_back();
        } else {
            words.back() += c;
        }
    }
    if (words.size() != logs.size()) {
        throw OptionError(
            "--rails has " + std::to_string(words.size()) + " numbers for " + std::to_string(logs.size()) + " logs",
            "one for each, as in --rails 1,2,4 A B C");
    }
    for (std::size_t i = 0; i < logs.size(); ++i) {
        logs[i].rails = static_cast<std::int32_t>(read_count("--rails", words[i], 1, kMostRails));
    }
}

}  // namespace haichi::cli
