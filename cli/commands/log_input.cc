#include "cli/commands/log_input.h"

#include <algorithm>
#include <filesystem>

#include "base/errors.h"
#include "base/field_names.h"
#include "base/quantity.h"
#include "base/split.h"
#include "commlog/log/log_file.h"
#include "commlog/readers/log_readers.h"

namespace haichi::cli {

namespace {

constexpr std::int64_t kMostRails = 1000;

std::int32_t read_rails(std::string_view text, const std::string& place) {
    const std::int64_t rails = parse_count(text, kMostRails, {place, 0});
    if (rails == 0) throw OptionError(place + ": 0 is too small (at least 1)");
    return static_cast<std::int32_t>(rails);
}

NamedLog named_log(const std::string& text) {
    constexpr std::string_view kRails = "rails=";
    const auto colon = text.find(':');
    // The name of an existing file may contain a colon.
    if (colon == std::string::npos || colon + 1 == text.size() || std::filesystem::exists(text)) {
        return {{{text}}, std::filesystem::path(text).filename().string(), std::nullopt};
    }
    NamedLog log{{{text.substr(colon + 1)}}, text.substr(0, colon), std::nullopt};
    if (log.label.starts_with(kRails)) {
        log.rails = read_rails(log.label.substr(kRails.size()), "rails=");
    }
    return log;
}

}  // namespace

void declare_logs(OptionTable& options, std::vector<std::string>& logs, std::string& format,
                  const std::string& description) {
    options.begin(OptionGroup::kWorkload);
    options.add_texts("LOG", logs, {.description = description, .is_required = true, .is_argument = true});
    options.add_read("log-format", ValueKind::kText,
                     [&format](const std::string& word) { format = log_format(word).name; },
                     {.description = "Format of the logs (haichi list log-formats)",
                      .value = "FORMAT",
                      .otherwise = "recognised by their content"});
}

void declare_interfaces(OptionTable& options, std::int32_t& interfaces, std::vector<std::string> needs) {
    options.add_count("interfaces", interfaces,
                      {.description = "Number of NICs per node", .most = 1000, .needs = std::move(needs)});
}

void declare_rails(OptionTable& options, std::string& rails) {
    options.add_read(
        "rails", ValueKind::kList, [&rails](const std::string& word) { rails = word; },
        {.description = "Number of NICs per node that each run used, one number for each log", .value = "N,N,..."});
}

std::vector<NamedLog> named_logs(const std::vector<std::string>& texts) {
    std::vector<NamedLog> logs;
    std::vector<std::optional<std::uint64_t>> jobs;  // only for parts, because a whole log may be compared with itself
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
    const std::vector<std::string_view> words = split(list, ',');
    if (words.size() != logs.size()) {
        throw OptionError("--rails: expected " + std::to_string(logs.size()) + " numbers, one per log, found " +
                              std::to_string(words.size()),
                          "give one number per log, as in --rails 1,2,4 A B C");
    }
    for (std::size_t i = 0; i < logs.size(); ++i) {
        logs[i].rails = read_rails(words[i], field("rails"));
    }
}

}  // namespace haichi::cli
