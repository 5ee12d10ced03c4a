#include "cli/commands/log_input.h"

#include <algorithm>
#include <filesystem>

#include "base/errors.h"
#include "cli/commands/values.h"

namespace haichi::cli {

namespace {

/// "NAME" of "NAME.RANK.part", else the path itself.
std::string job_of(const std::string& path) {
    constexpr std::string_view kEnding = ".part";
    if (!path.ends_with(kEnding)) return path;
    const std::string rest = path.substr(0, path.size() - kEnding.size());
    const auto dot = rest.rfind('.');
    if (dot == std::string::npos || dot + 1 == rest.size()) return path;
    return rest.find_first_not_of("0123456789", dot + 1) == std::string::npos ? rest.substr(0, dot) : path;
}

constexpr std::int64_t kMostRails = 1000;

}  // namespace

void add_log_format(CLI::App& app, std::string& format) {
    add_value(app, "--log-format", format, "NAME", "of the logs (haichi list log-formats); default: by their content");
}

std::vector<std::string> distinct_logs(const std::vector<std::string>& paths) {
    if (paths.empty()) throw OptionError("the FILE of a log is missing", "haichi log show app.haichi-log");
    std::vector<std::string> jobs;
    std::vector<std::string> first;
    for (const std::string& path : paths) {
        std::string job = job_of(path);
        if (job != path && std::ranges::find(jobs, job) != jobs.end()) continue;
        jobs.push_back(std::move(job));
        first.push_back(path);
    }
    return first;
}

NamedLog named_log(const std::string& text) {
    constexpr std::string_view kRails = "rails=";
    const auto colon = text.find(':');
    // A file that is there is meant, whatever its name.
    if (colon == std::string::npos || colon + 1 == text.size() || std::filesystem::exists(text)) {
        return {text, std::filesystem::path(text).filename().string(), std::nullopt};
    }
    NamedLog log{text.substr(colon + 1), text.substr(0, colon), std::nullopt};
    if (log.label.starts_with(kRails)) {
        log.rails = static_cast<std::int32_t>(read_count("rails=", log.label.substr(kRails.size()), 1, kMostRails));
    }
    return log;
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
