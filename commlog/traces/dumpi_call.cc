#include "commlog/traces/dumpi_call.h"

#include <algorithm>
#include <charconv>

namespace haichi {

namespace {

constexpr std::string_view kEntering = " entering at walltime ";
constexpr std::string_view kReturning = " returning at walltime ";
constexpr std::size_t kMostArguments = 64;

}  // namespace

std::uint64_t DumpiCall::time_in(std::string_view line) const {
    std::string_view rest = line.substr(line.find(" at walltime ") + 13);
    std::string_view number = next_part(rest, ',');
    const auto seconds =
        static_cast<std::uint64_t>(lines_->whole(next_part(number, '.'), "walltime", 0, std::int64_t{1} << 33));
    std::string digits(number.substr(0, 9));
    digits.append(9 - digits.size(), '0');
    return seconds * 1'000'000'000 + static_cast<std::uint64_t>(lines_->whole(digits, "walltime", 0, 999'999'999));
}

bool DumpiCall::read(TraceLines& lines) {
    lines_ = &lines;
    std::size_t at = std::string_view::npos;
    do {
        if (!lines.next()) return false;
        at = lines.line().find(kEntering);
    } while (at == std::string_view::npos || !lines.line().starts_with("MPI_"));
    name_ = std::string(lines.line().substr(0, std::min<std::size_t>(at, 64)));
    entered_ = time_in(lines.line());
    arguments_.clear();
    while (lines.next()) {
        const std::string_view line = lines.line();
        const std::size_t end = line.find(kReturning);
        if (end != std::string_view::npos && line.starts_with("MPI_")) {
            if (line.substr(0, end) != name_)
                fail("expected the end of this call, found the end of " + shown(line.substr(0, end)));
            returned_ = std::max(time_in(line), entered_);
            return true;
        }
        const std::size_t equals = line.find('=');
        const std::size_t blank = line.find(' ');
        // A line of an array that continues over several lines.
        if (equals == std::string_view::npos || blank >= equals) continue;
        if (arguments_.size() == kMostArguments) fail("more than 64 arguments");
        std::string_view argument = line.substr(blank + 1, equals - blank - 1);
        argument = argument.substr(0, argument.find('['));
        arguments_.emplace_back(argument, line.substr(equals + 1));
    }
    // The process was killed during this call, or the file is truncated.
    return false;
}

const std::string* DumpiCall::find(std::string_view argument) const {
    for (const auto& [name, value] : arguments_) {
        if (name == argument) return &value;
    }
    return nullptr;
}

std::int64_t DumpiCall::whole(std::string_view argument, std::int64_t least, std::int64_t largest) const {
    const std::string* const value = find(argument);
    if (value == nullptr) fail("missing argument " + std::string(argument));
    std::string_view number = *value;
    if (number.starts_with('[')) number.remove_prefix(1);
    number = number.substr(0, number.find_first_of(" ,]"));
    return lines_->whole(number, argument, least, largest);
}

std::vector<std::int64_t> DumpiCall::numbers(std::string_view argument) const {
    std::vector<std::int64_t> result;
    const std::string* const value = find(argument);
    if (value == nullptr || !value->starts_with('[')) return result;
    std::string_view rest = std::string_view(*value).substr(1);
    if (const std::size_t end = rest.find(']'); end != std::string_view::npos) rest = rest.substr(0, end);
    while (!rest.empty()) {
        result.push_back(lines_->whole(trimmed(next_part(rest, ',')), argument, INT32_MIN, INT64_MAX));
    }
    return result;
}

std::vector<DumpiStatus> DumpiCall::statuses(std::string_view argument) const {
    std::vector<DumpiStatus> result;
    const std::string* const value = find(argument);
    if (value == nullptr || !value->starts_with('[')) return result;
    std::string_view rest = *value;
    for (std::size_t at = rest.find('{'); at != std::string_view::npos; at = rest.find('{')) {
        rest.remove_prefix(at + 1);
        std::string_view fields = next_part(rest, '}');
        DumpiStatus status;
        while (!fields.empty()) {
            std::string_view number = trimmed(next_part(fields, ','));
            const std::string_view key = next_part(number, '=');
            const std::int64_t whole = lines_->whole(number, key, INT32_MIN, INT32_MAX);
            if (key == "bytes") status.bytes = whole;
            if (key == "cancelled") status.cancelled = whole;
            if (key == "source") status.source = whole;
            if (key == "tag") status.tag = whole;
        }
        result.push_back(status);
    }
    return result;
}

}  // namespace haichi
