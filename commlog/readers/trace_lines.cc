#include "commlog/readers/trace_lines.h"

#include <charconv>
#include <cmath>

#include "commlog/workload/workload.h"

namespace haichi {

bool TraceLines::next() {
    constexpr std::size_t kLongestLine = std::size_t{16} << 20;
    if (stream_->at_end()) return false;
    stream_->note_progress();
    ++number_;
    line_.clear();
    for (;;) {
        const char c = stream_->current();
        stream_->advance();
        if (c == '\n') break;
        line_.push_back(c);
        if (line_.size() > kLongestLine) fail("a line of more than 16 MiB");
        if (stream_->at_end()) break;
    }
    if (!line_.empty() && line_.back() == '\r') line_.pop_back();
    return true;
}

void TraceLines::fail(const std::string& what, std::string hint) const {
    throw InputError(place(), what, std::move(hint));
}

std::int64_t TraceLines::whole(std::string_view field, std::string_view what, std::int64_t least,
                               std::int64_t largest) const {
    std::int64_t value = 0;
    const char* const end = field.data() + field.size();
    const auto [at, error] = std::from_chars(field.data(), end, value);
    if (error == std::errc::invalid_argument || at != end || field.empty()) {
        fail("expected a whole number as the " + std::string(what) + ", found " +
             (field.empty() ? "nothing" : shown(field)));
    }
    if (error != std::errc() || value < least || value > largest) {
        fail("the " + std::string(what) + " " + shown(field) + " is outside " + std::to_string(least) + ".." +
             std::to_string(largest));
    }
    return value;
}

double TraceLines::real(std::string_view field, std::string_view what, double largest) const {
    double value = 0;
    const char* const end = field.data() + field.size();
    const auto [at, error] = std::from_chars(field.data(), end, value);
    if (error == std::errc::invalid_argument || at != end || field.empty()) {
        fail("expected a number as the " + std::string(what) + ", found " + (field.empty() ? "nothing" : shown(field)));
    }
    if (error != std::errc() || !std::isfinite(value) || value < 0 || value > largest) {
        fail("the " + std::string(what) + " " + shown(field) + " is out of range");
    }
    return value;
}

std::uint64_t TraceLines::size(std::string_view field, std::string_view what) const {
    return static_cast<std::uint64_t>(real(field, what, static_cast<double>(kLargestMessageBytes)));
}

std::string_view next_field(std::string_view& rest) {
    constexpr std::string_view kBlanks = " \t";
    const std::size_t first = std::min(rest.find_first_not_of(kBlanks), rest.size());
    const std::size_t end = std::min(rest.find_first_of(kBlanks, first), rest.size());
    const std::string_view field = rest.substr(first, end - first);
    rest.remove_prefix(end);
    return field;
}

std::string_view next_part(std::string_view& rest, char separator) {
    const std::size_t end = rest.find(separator);
    const std::string_view part = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    return part;
}

std::string_view line_at(std::string_view text, std::size_t& at) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    at = end + 1;
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    return line;
}

}  // namespace haichi
