#include "commlog/readers/text_rows.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

#include "base/decimal.h"
#include "base/errors.h"
#include "commlog/workload/workload.h"

namespace haichi {

namespace {

enum class Kind : unsigned char { kText, kBlank, kNewline, kSeparator, kComment };

constexpr std::array<Kind, 256> kKindOfByte = [] {
    std::array<Kind, 256> kinds{};
    for (const unsigned char c : {' ', '\t', '\r', '\v', '\f'}) kinds[c] = Kind::kBlank;
    kinds['\n'] = Kind::kNewline;
    for (const unsigned char c : {',', ';'}) kinds[c] = Kind::kSeparator;
    for (const unsigned char c : {'#', '%'}) kinds[c] = Kind::kComment;
    return kinds;
}();

Kind kind_of(char c) { return kKindOfByte[static_cast<unsigned char>(c)]; }

enum class Verdict { kGood, kNoNumber, kNegative, kFraction, kOutside };

/// Parses a whole number; the result is exact up to 2^63 - 1.
Verdict read_whole(std::string_view field, std::int64_t& value) {
    const char* const end = field.data() + field.size();
    const auto [parsed, error] = std::from_chars(field.data(), end, value);
    if (error == std::errc() && parsed == end) return value >= 0 ? Verdict::kGood : Verdict::kNegative;
    const std::optional<Decimal> decimal = parse_decimal(field);
    if (!decimal) return Verdict::kNoNumber;
    value = 0;
    if (decimal->digits == 0 && !decimal->too_many_digits) return Verdict::kGood;
    if (decimal->negative) return Verdict::kNegative;
    if (decimal->exponent < 0) return Verdict::kFraction;
    constexpr std::uint64_t kLargest = std::numeric_limits<std::int64_t>::max();
    std::uint64_t whole = decimal->digits;
    bool outside = decimal->too_many_digits || whole > kLargest;
    for (std::int64_t e = 0; e < decimal->exponent && !outside; ++e) {
        outside = whole > kLargest / 10;
        whole *= 10;
    }
    if (outside) return Verdict::kOutside;
    value = static_cast<std::int64_t>(whole);
    return Verdict::kGood;
}

/// Whether all characters that were kept of a long field are digits.
bool is_whole_number_so_far(std::string_view field) {
    return std::ranges::all_of(field, [](char c) { return c >= '0' && c <= '9'; });
}

std::string limit_name(std::int64_t limit) {
    return limit == kLargestMessageBytes ? "2^48 bytes" : std::to_string(limit);
}

}  // namespace

bool is_decimal_number(std::string_view field) { return parse_decimal(field).has_value(); }

bool is_zero(std::string_view field) {
    const std::optional<Decimal> decimal = parse_decimal(field);
    return decimal && decimal->digits == 0;
}

TextRows::TextRows(TextStream* stream) : stream_(stream) {
    constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
    if (!stream_->prefix().starts_with(kByteOrderMark)) return;
    for (std::size_t i = 0; i < kByteOrderMark.size(); ++i) stream_->advance();
}

void TextRows::advance() {
    const bool is_return = stream_->current() == '\r';
    stream_->advance();
    if (!is_return || stream_->at_end() || stream_->current() == '\n' || stream_->current() == '\r') return;
    fail("a carriage return (\\x0d) inside a line", "end lines with LF or CR LF");
}

void TextRows::skip_blanks() {
    while (!stream_->at_end() && kind_of(stream_->current()) == Kind::kBlank) advance();
}

void TextRows::skip_comment() {
    start_field();
    stream_->advance();
    for (; !stream_->at_end() && stream_->current() != '\n'; advance()) keep(stream_->current());
    if (see_comment_) see_comment_(field());
    start_field();
}

bool TextRows::next_row() {
    while (next_field()) {
    }
    while (!stream_->at_end()) {
        const Kind kind = kind_of(stream_->current());
        if (kind == Kind::kText || kind == Kind::kSeparator) {
            in_row_ = true;
            gap_ = next_gap_ = first_gap_ = Gap::kNone;
            return true;
        }
        if (kind == Kind::kComment) {
            skip_comment();
        } else {
            advance();
        }
    }
    return false;
}

bool TextRows::next_field() {
    if (!in_row_) return false;
    start_field();
    gap_ = next_gap_;
    skip_blanks();
    while (!stream_->at_end() && kind_of(stream_->current()) == Kind::kText) {
        keep(stream_->current());
        stream_->advance();
    }
    const bool any = length_ > 0;
    if (any) skip_blanks();
    const Kind next = stream_->at_end() ? Kind::kNewline : kind_of(stream_->current());
    if (!any && next == Kind::kComment) skip_comment();
    if (any && first_gap_ == Gap::kNone) first_gap_ = gap_;
    next_gap_ = next == Kind::kSeparator ? Gap::kSeparator : Gap::kBlanks;
    in_row_ = any || next == Kind::kSeparator;
    if (next == Kind::kSeparator) stream_->advance();
    if (in_row_) stream_->note_progress();
    return in_row_;
}

std::int64_t TextRows::whole_number(std::string_view what, std::int64_t least, std::int64_t largest) const {
    if (gap_ != first_gap_ && length_ > 0) {
        fail("the fields are separated both by blanks and by commas, before " + shown(field()),
             "separate all fields in one way, and write numbers without separators of thousands");
    }
    std::int64_t value = 0;
    const Verdict verdict = truncated_ ? Verdict::kNoNumber : read_whole(field(), value);
    if (verdict == Verdict::kGood && value >= least && value <= largest) return value;
    const std::string named(what);
    if (length_ == 0) fail("the " + named + " is missing: the field is empty");
    switch (verdict) {
        case Verdict::kNegative:
            fail("the " + named + " must not be negative, found " + shown(field()));
        case Verdict::kFraction:
            fail(
                "the " + named + " must be a whole number, found " + shown(field()),
                largest == kLargestMessageBytes ? "multiply all sizes by one factor so that they are whole bytes" : "");
        case Verdict::kNoNumber:
            if (truncated_ && is_whole_number_so_far(field()))
                fail("the " + named + " " + shown(field()) + " is too large");
            fail("the " + named + " must be a number, found " + shown(field()));
        case Verdict::kGood:
        case Verdict::kOutside:
            break;
    }
    fail("the " + named + " " + shown(field()) + " is outside " + std::to_string(least) + ".." + limit_name(largest));
}

std::int64_t TextRows::size_bytes() const { return whole_number("message size", 0, kLargestMessageBytes); }

void TextRows::fail(const std::string& what, std::string hint) const {
    throw InputError(place(), what, std::move(hint));
}

}  // namespace haichi
