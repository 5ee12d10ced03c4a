#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/text_stream.h"

namespace haichi {

/// The rows of fields in text matrices. Blanks separate fields, as does one comma or semicolon with optional blanks
/// around it. A separator at the end of a row is ignored, and two separators enclose an empty field. "#" and "%" start
/// a comment. A byte order mark and lines without fields are skipped. A number in a row of fields that are separated in
/// both ways is an error, because it may have a separator of thousands ("1,000").
///
/// It uses constant memory: only the first kLongestField characters of a field or a comment are kept.
class TextRows {
  public:
    /// The stream must outlive the object.
    explicit TextRows(TextStream* stream);

    /// Calls `see` with the beginning of every comment, without its "#" or "%".
    void on_comment(std::function<void(std::string_view)> see) { see_comment_ = std::move(see); }

    /// Moves before the first field of the next row that has fields. Skips the rest of this row. Returns false at the
    /// end.
    [[nodiscard]] bool next_row();
    /// Moves to the next field of this row. Returns false at its end.
    [[nodiscard]] bool next_field();
    /// Moves to the next field of this row or a later one. Returns false at the end of the text.
    [[nodiscard]] bool next_field_of_any_row() { return next_field() || (next_row() && next_field()); }

    /// Returns the current field.
    [[nodiscard]] std::string_view field() const { return {field_.data(), length_}; }
    /// Returns the position of the current field. At the end of a row or of the text, it is the last position read.
    [[nodiscard]] SourcePlace place() const { return stream_->place(); }

    /// Returns the current field as a whole number in [least, largest]; errors name it as `what`. A decimal fraction or
    /// an exponent is accepted if the value is exactly whole: 1.048576e6. Throws InputError.
    [[nodiscard]] std::int64_t whole_number(std::string_view what, std::int64_t least, std::int64_t largest) const;
    /// Returns the current field as the size of a message in bytes. Throws InputError.
    [[nodiscard]] std::int64_t size_bytes() const;

    /// Throws InputError with the position of the current field.
    [[noreturn]] void fail(const std::string& what, std::string hint = {}) const;

  private:
    static constexpr std::size_t kLongestField = 64;

    enum class Gap : unsigned char { kNone, kBlanks, kSeparator };

    void start_field() { length_ = 0, truncated_ = false; }
    void keep(char c) {
        if (length_ < kLongestField) {
            field_[length_++] = c;
        } else {
            truncated_ = true;
        }
    }
    /// Skips a blank, a newline or a character of a comment. Throws InputError for lines that end with CR alone: they
    /// would form one line, and a comment would hide the rest of it.
    void advance();
    void skip_blanks();
    void skip_comment();

    TextStream* stream_;
    bool in_row_ = false;
    bool truncated_ = false;      ///< the field is longer than its stored part
    Gap gap_ = Gap::kNone;        ///< before the current field
    Gap next_gap_ = Gap::kNone;   ///< before the next field
    Gap first_gap_ = Gap::kNone;  ///< the first gap of the row, which all others must match
    std::size_t length_ = 0;
    std::array<char, kLongestField> field_{};
    std::function<void(std::string_view)> see_comment_;
};

/// Returns whether a field is a decimal number of any size, optionally with fraction and exponent.
bool is_decimal_number(std::string_view field);
/// Returns whether a field is the number 0.
bool is_zero(std::string_view field);

}  // namespace haichi
