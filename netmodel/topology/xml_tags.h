#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/errors.h"

namespace haichi {

/// Goes through the tags of an XML text with their lines and attributes, before a parser that knows no lines and trusts
/// its input is given the same text. Everything that is not well-formed throws InputError with file and line, and so do
/// document types (and with them entities), elements nested deeper than kDeepest, more than kMostItems tags and
/// attributes or kMostAttributes in one tag, bytes that are not UTF-8, and control characters. Character data is
/// checked but not kept.
class XmlTags {
  public:
    static constexpr std::size_t kDeepest = 64;
    /// Of one tag; each is compared with those before it.
    static constexpr std::size_t kMostAttributes = 256;
    /// The parsers of Boost take up to 800 bytes for each.
    static constexpr std::size_t kMostItems = std::size_t{1} << 20;

    /// `text` must outlive the object; `file` names it in errors. O(length).
    XmlTags(std::string_view text, std::string file);

    /// Moves to the next opening or closing tag; an empty element has both. False at the end of the text.
    bool next();

    [[nodiscard]] bool is_opening() const { return is_opening_; }
    [[nodiscard]] std::string_view name() const { return name_; }
    /// Number of elements that the tag's element is in, itself included: 1 for the root.
    [[nodiscard]] std::size_t depth() const { return depth_; }
    [[nodiscard]] SourcePlace place() const { return {file_, tag_line_}; }
    /// Null when the opening tag has no such attribute.
    [[nodiscard]] const std::string* attribute(std::string_view name) const;
    /// Throws InputError when it is missing.
    [[nodiscard]] const std::string& required(std::string_view name) const;

  private:
    struct Attribute {
        std::string_view name;
        std::string value;
    };
    struct OpenElement {
        std::string_view name;
        std::size_t line = 0;
    };

    [[noreturn]] void fail(const std::string& message, std::string hint = {}) const;
    [[nodiscard]] bool at(std::string_view start) const { return rest().starts_with(start); }
    [[nodiscard]] std::string_view rest() const { return text_.substr(at_); }
    void check_characters();
    void advance(std::size_t count);
    void skip_blanks();
    /// Behind the next `end`; `what` is told when there is none.
    void skip_past(std::string_view end, const char* what);
    void skip_character_data();
    std::string_view take_name();
    std::string take_value();
    /// The character behind the "&" at the beginning of `text`, and the length of the reference.
    std::string decoded(std::string_view text, std::size_t& length) const;
    void count_item();
    void read_opening_tag();
    void read_closing_tag();

    std::string_view text_;
    std::string file_;
    std::size_t at_ = 0;
    std::size_t line_ = 1;
    std::size_t items_ = 0;
    std::vector<OpenElement> open_;
    bool has_root_ = false;
    bool closes_too_ = false;  ///< the last opening tag was that of an empty element

    bool is_opening_ = false;
    std::string_view name_;
    std::size_t depth_ = 0;
    std::size_t tag_line_ = 1;
    std::vector<Attribute> attributes_;
};

}  // namespace haichi
