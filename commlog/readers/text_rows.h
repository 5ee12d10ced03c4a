#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/text_stream.h"

namespace haichi {

/// The rows of fields that all text matrices consist of. Blanks separate fields, and so does one comma or semicolon
/// with blanks around it; one at the end of a row is passed over, between two others stands an empty field. "#" and
/// "%" start a comment. A byte order mark and lines without fields are skipped.
///
/// Constant memory: only the first kLongestField characters of a field or a comment are kept.
class TextRows {
  public:
    /// The stream must outlive this.
    explicit TextRows(TextStream* stream);

    /// `see` is given the beginning of every comment, without its "#" or "%".
    void on_comment(std::function<void(std::string_view)> see) { see_comment_ = std::move(see); }

    /// Moves before the first field of the next row that has any, past what is left of this one; false at the end.
    [[nodiscard]] bool next_row();
    /// Moves to the next field of this row; false at its end.
    [[nodiscard]] bool next_field();
    /// Moves to the next field of this row or a later one; false at the end of the text.
    [[nodiscard]] bool next_field_of_any_row() { return next_field() || (next_row() && next_field()); }

    /// The field at hand.
    [[nodiscard]] std::string_view field() const { return {field_.data(), length_}; }
    /// Of the field at hand; at the end of a row or of the text, of what was read last.
    [[nodiscard]] SourcePlace place() const { return stream_->place(); }

    /// The field at hand as a whole number in [least, largest], `what` for the error. A decimal fraction or an exponent
    /// is taken when the value is exactly whole: 1.048576e6. Throws InputError.
    [[nodiscard]] std::int64_t whole_number(std::string_view what, std::int64_t least, std::int64_t largest) const;
    /// The field at hand as the size of a message in bytes. Throws InputError.
    [[nodiscard]] std::int64_t size_bytes() const;

    /// Throws InputError with the place of the field at hand.
    [[noreturn]] void fail(const std::string& what, std::string hint = {}) const;

  private:
    static constexpr std::size_t kLongestField = 64;

    void start_field() { length_ = 0, truncated_ = false; }
    void keep(char c) {
        if (length_ < kLongestField) {
            field_[length_++] = c;
        } else {
            truncated_ = true;
        }
    }
    /// Past a blank, a newline or a character of a comment. Lines that end with CR alone would be one line, of which a
    /// comment would hide the rest: throws InputError.
    void advance();
    void skip_blanks();
    void skip_comment();

    TextStream* stream_;
    bool in_row_ = false;
    bool truncated_ = false;  ///< the field is longer than what was kept of it
    std::size_t length_ = 0;
    std::array<char, kLongestField> field_{};
    std::function<void(std::string_view)> see_comment_;
};

/// Whether a field is a decimal number of any size, perhaps with fraction and exponent.
bool is_decimal_number(std::string_view field);
/// Whether it is one that is 0.
bool is_zero(std::string_view field);

}  // namespace haichi
