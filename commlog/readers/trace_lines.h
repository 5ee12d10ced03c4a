#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/split.h"
#include "base/text_stream.h"

namespace haichi {

/// The lines of a trace, with one line in memory at a time, and their fields.
class TraceLines {
  public:
    /// `stream` must outlive the object.
    explicit TraceLines(TextStream* stream) : stream_(stream) {}

    /// Reads the next line without its end. Returns false at the end of the text. Throws InputError for a line of more
    /// than 16 MiB.
    [[nodiscard]] bool next();
    [[nodiscard]] std::string_view line() const { return line_; }
    [[nodiscard]] SourcePlace place() const { return {stream_->place().file, number_}; }
    [[nodiscard]] std::size_t number() const { return number_; }

    /// Throws InputError with file and line.
    [[noreturn]] void fail(const std::string& what, std::string hint = {}) const;
    /// Returns a field as a whole number in [least, largest]. Errors name it as `what`.
    [[nodiscard]] std::int64_t whole(std::string_view field, std::string_view what, std::int64_t least,
                                     std::int64_t largest) const;
    /// Returns a field as a size of at most 2^48. A decimal fraction is cut off.
    [[nodiscard]] std::uint64_t size(std::string_view field, std::string_view what) const;
    /// Returns a field as a finite number that is not negative and at most `largest`.
    [[nodiscard]] double real(std::string_view field, std::string_view what, double largest) const;

  private:
    TextStream* stream_;
    std::string line_;
    std::size_t number_ = 0;
};

/// Cuts the next field between blanks and tabs off `rest`. Returns an empty field at the end.
std::string_view next_field(std::string_view& rest);
/// Cuts off the text before the next `separator`, and the separator.
std::string_view next_part(std::string_view& rest, char separator);
/// Returns the line of `text` that begins at `at`, and moves `at` to the next line.
std::string_view line_at(std::string_view text, std::size_t& at);

}  // namespace haichi
