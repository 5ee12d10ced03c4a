#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/split.h"
#include "base/text_stream.h"

namespace haichi {

/// Reads the lines of a trace and their fields, with one line in memory at a time.
class TraceLines {
  public:
    /// `stream` must outlive the object.
    explicit TraceLines(TextStream* stream) : stream_(stream) {}

    /// Reads the next line, without its line end. Returns false at the end of the text. Throws InputError for a line of
    /// more than 16 MiB.
    [[nodiscard]] bool next();
    [[nodiscard]] std::string_view line() const { return line_; }
    [[nodiscard]] SourcePlace place() const { return {stream_->place().file, number_}; }
    [[nodiscard]] std::size_t number() const { return number_; }

    /// Throws InputError with file and line.
    [[noreturn]] void fail(const std::string& what, std::string hint = {}) const;
    /// Returns a field as a whole number in [least, largest]; `what` names it in errors.
    [[nodiscard]] std::int64_t whole(std::string_view field, std::string_view what, std::int64_t least,
                                     std::int64_t largest) const;
    /// Returns a field as a size of at most 2^48 bytes. A fraction is truncated.
    [[nodiscard]] std::uint64_t size(std::string_view field, std::string_view what) const;
    /// Returns a field as a finite number from 0 to `largest`.
    [[nodiscard]] double real(std::string_view field, std::string_view what, double largest) const;

  private:
    TextStream* stream_;
    std::string line_;
    std::size_t number_ = 0;
};

/// Removes the next field, which ends at a blank or tab, from `rest` and returns it. The result is empty at the end.
std::string_view next_field(std::string_view& rest);
/// Removes the text before the next `separator`, and the separator, from `rest`; returns the text.
std::string_view next_part(std::string_view& rest, char separator);
/// Returns the line of `text` that begins at `at`, and moves `at` to the next line.
std::string_view line_at(std::string_view text, std::size_t& at);

}  // namespace haichi
