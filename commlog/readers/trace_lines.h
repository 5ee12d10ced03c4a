#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/split.h"
#include "base/text_stream.h"

namespace haichi {

/// The lines of a trace, one in memory at a time, and the fields in them.
class TraceLines {
  public:
    /// `stream` must outlive this.
    explicit TraceLines(TextStream* stream) : stream_(stream) {}

    /// The next line without its end; false at the end of the text. Throws InputError for one of more than 16 MiB.
    [[nodiscard]] bool next();
    [[nodiscard]] std::string_view line() const { return line_; }
    [[nodiscard]] SourcePlace place() const { return {stream_->place().file, number_}; }
    [[nodiscard]] std::size_t number() const { return number_; }

    /// Throws InputError with file and line.
    [[noreturn]] void fail(const std::string& what, std::string hint = {}) const;
    /// A field as a whole number in [least, largest]; `what` names it in the error.
    [[nodiscard]] std::int64_t whole(std::string_view field, std::string_view what, std::int64_t least,
                                     std::int64_t largest) const;
    /// A field as a size, also as a decimal fraction, which is cut off; at most 2^48.
    [[nodiscard]] std::uint64_t size(std::string_view field, std::string_view what) const;
    /// A field as a finite number that is not negative, at most `largest`.
    [[nodiscard]] double real(std::string_view field, std::string_view what, double largest) const;

  private:
    TextStream* stream_;
    std::string line_;
    std::size_t number_ = 0;
};

/// Cuts the next field off `rest`: what stands between blanks and tabs. Empty at the end.
std::string_view next_field(std::string_view& rest);
/// Cuts off what stands before the next `separator`, and that.
std::string_view next_part(std::string_view& rest, char separator);
/// The line of `text` that begins at `at`, and moves `at` behind it.
std::string_view line_at(std::string_view text, std::size_t& at);

}  // namespace haichi
