#include "cli/commands/values.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/errors.h"
#include "base/quantity.h"
#include "cli/output/tables.h"
#include "mapper/advise/advice_runs.h"
#include "mapper/report/report_json.h"

namespace haichi::cli {

void add_requirements(OptionTable& options, std::vector<std::string>& requirements) {
    options.add_values(
        "--require", requirements, "LIMIT",
        "exit with 3 unless METRIC<=NUMBER, as in 'tac3<=0.001'; an objective or a metric of the report; "
        "repeatable");
}

void require_value(const std::string& value, const std::string& option) {
    if (value.empty()) throw OptionError(option + " is missing", "--help shows an example");
}

std::int64_t read_count(const std::string& option, const std::string& text, std::int64_t least, std::int64_t most) {
    const std::int64_t value = parse_count(text, most, {option, 0});
    if (value >= least) return value;
    throw OptionError(option + ": " + shown(text) + " is too small (at least " + std::to_string(least) + ")");
}

double read_number(const std::string& option, const std::string& text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc{} && end == text.data() + text.size() && std::isfinite(value)) return value;
    throw OptionError(option + ": expected a number, got " + shown(text));
}

double read_packet_hops(const std::string& text) {
    if (text.empty()) return kAdvicePacketHops;
    const double hops = read_number("--packet-hops", text);
    if (hops >= 1) return hops;
    throw OptionError("--packet-hops: " + shown(text) + " is too small (at least 1)");
}

std::int64_t read_bytes(const std::string& option, const std::string& text) {
    const bool plain = std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
    const std::int64_t bytes =
        plain ? parse_count(text, kLargestMessageBytes, {option, 0}) : parse_bytes(text, {option, 0});
    if (bytes <= kLargestMessageBytes) return bytes;
    throw OptionError(option + ": " + shown(text) + " is more than the 2^48 bytes a message may have");
}

namespace {

std::string without_blanks(const std::string& text) {
    const auto first = text.find_first_not_of(" \t");
    if (first == std::string::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t") + 1 - first);
}

}  // namespace

std::vector<Requirement> read_requirements(const std::vector<std::string>& texts, const std::string& objective) {
    std::vector<Requirement> requirements;
    for (const std::string& text : texts) {
        const auto sign = text.find("<=");
        const std::string metric = without_blanks(text.substr(0, sign));
        if (sign == std::string::npos || metric.empty()) {
            throw OptionError("--require: expected METRIC<=NUMBER, got " + shown(text),
                              "an example is --require 'tac3<=0.001', quoted for the shell");
        }
        check_metric_name(metric, objective);
        requirements.push_back({metric, read_number("--require " + metric, without_blanks(text.substr(sign + 2)))});
    }
    return requirements;
}

int check_requirements(const std::vector<Requirement>& requirements, const Evaluation& evaluation, Console& console) {
    int code = kExitDone;
    for (const Requirement& required : requirements) {
        const double value = report_metric(evaluation, required.metric);
        if (value <= required.limit) continue;
        console.error("required " + required.metric + " <= " + short_number(required.limit) + ", but it is " +
                      short_number(value));
        code = kExitLimitNotMet;
    }
    return code;
}

}  // namespace haichi::cli
