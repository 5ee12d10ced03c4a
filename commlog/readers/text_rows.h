#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/text_stream.h"

namespace haichi {

/// Splits a text matrix into rows of fields. Fields are separated by blanks, or by one comma or semicolon with optional
/// blanks around it. A separator at the end of a row is ignored, and two separators in a row enclose an empty field.
/// The characters "#" and "%" begin a comment. A byte order mark and lines without fields are skipped. A number in a
/// row with both kinds of separators is an error, because the comma may separate thousands ("1,000").
///
/// Memory is constant, because only the first kLongestField characters of a field or comment are stored.
class TextRows {
  public:
    /// The stream must outlive the object.
    explicit TextRows(TextStream* stream);

    /// Sets a function that is called with the beginning of every comment, without its "#" or "%".
    void on_comment(std::function<void(std::string_view)> see) { see_comment_ = std::move(see); }

    /// Moves to the position before the first field of the next row that has fields. The rest of the current row is
    /// skipped. Returns false at the end of the text.
    [[nodiscard]] bool next_row();
    /// Moves to the next field of the current row. Returns false at the end of the row.
    [[nodiscard]] bool next_field();
    /// Moves to the next field, which may be in a later row. Returns false at the end of the text.
    [[nodiscard]] bool next_field_of_any_row() { return next_field() || (next_row() && next_field()); }

    /// Returns the current field.
    [[nodiscard]] std::string_view field() const { return {field_.data(), length_}; }
    /// Returns the position of the current field. At the end of a row or of the text, this is the last position that
    /// was read.
    [[nodiscard]] SourcePlace place() const { return stream_->place(); }

    /// Returns the current field as a whole number in [least, largest]; `what` names it in errors. A fraction or an
    /// exponent is accepted if the value is exactly whole, for example 1.048576e6. Throws InputError for other fields.
    [[nodiscard]] std::int64_t whole_number(std::string_view what, std::int64_t least, std::int64_t largest) const;
    /// Returns the current field as a message size in bytes. Throws InputError for an invalid size.
    [[nodiscard]] std::int64_t size_bytes() const;

    /// Throws InputError that states the position of the current field.
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
    /// Skips one character: a blank, a newline, or a character of a comment. Throws InputError for lines that end only
    /// with CR: they would be one line, of which a comment would hide the rest.
    void advance();
    void skip_blanks();
    void skip_comment();

    TextStream* stream_;
    bool in_row_ = false;
    bool truncated_ = false;      ///< the field is longer than its stored beginning
    Gap gap_ = Gap::kNone;        ///< the separator before the current field
    Gap next_gap_ = Gap::kNone;   ///< the separator before the next field
    Gap first_gap_ = Gap::kNone;  ///< the first separator of the row, which all others must match
    std::size_t length_ = 0;
    std::array<char, kLongestField> field_{};
    std::function<void(std::string_view)> see_comment_;
};

/// Returns true if a field is a decimal number of any size, optionally with fraction and exponent.
bool is_decimal_number(std::string_view field);
/// Returns true if a field is a number equal to 0.
bool is_zero(std::string_view field);

}  // namespace haichi
