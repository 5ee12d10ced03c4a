#pragma once

#include <cstddef>
#include <iosfwd>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/errors.h"

namespace haichi {

/// Reads a file whole; throws InputError naming it when it cannot be read, is a directory, or is larger than
/// `largest_bytes`. "-" is standard input.
std::string read_file(const std::string& path, std::size_t largest_bytes);

/// A forward iterator over characters that knows the line of the last character it handed out. The JSON lexer reads at
/// most one character beyond a token, so inside a SAX event `line()` is the line on which the token ended.
class LineCountingIterator {
  public:
    using difference_type = std::ptrdiff_t;
    using value_type = char;
    using pointer = const char*;
    using reference = const char&;
    using iterator_category = std::input_iterator_tag;

    LineCountingIterator() = default;
    LineCountingIterator(const char* at, std::size_t* line) : at_(at), line_(line) {}

    reference operator*() const { return *at_; }
    LineCountingIterator& operator++() {
        // Counted when the character after it is consumed: a lookahead newline does not move the line on.
        if (pending_newline_) ++*line_;
        pending_newline_ = *at_ == '\n';
        ++at_;
        return *this;
    }
    void operator++(int) { ++*this; }
    friend bool operator==(const LineCountingIterator& a, const LineCountingIterator& b) { return a.at_ == b.at_; }
    friend bool operator!=(const LineCountingIterator& a, const LineCountingIterator& b) { return a.at_ != b.at_; }

  private:
    const char* at_ = nullptr;
    std::size_t* line_ = nullptr;
    bool pending_newline_ = false;
};

/// Feeds `text` to a nlohmann SAX handler, keeping `*line` at the line of the current event. Syntax errors reach the
/// handler's parse_error. The text must hold no NUL byte, which the lexer takes for the end of the input.
template <class Sax>
bool sax_parse_with_lines(std::string_view text, std::size_t* line, Sax* handler) {
    *line = 1;
    return nlohmann::json::sax_parse(LineCountingIterator(text.data(), line),
                                     LineCountingIterator(text.data() + text.size(), line), handler);
}

/// nlohmann's message without its "[json.exception...]" prefix.
std::string plain_json_message(const std::string& message);

/// A small JSON document that remembers the line of every value, so that errors about its content can name it.
/// Duplicate keys, trailing text, invalid UTF-8 and nesting deeper than 64 are errors.
class LocatedJson {
  public:
    /// Throws InputError with file and line.
    static LocatedJson parse(std::string_view text, std::string file);
    static LocatedJson read(const std::string& path);

    [[nodiscard]] const nlohmann::json& root() const { return root_; }
    [[nodiscard]] const std::string& file() const { return file_; }

    /// Place of the value at a JSON pointer such as "/link/bandwidth"; that of the nearest enclosing value if absent.
    [[nodiscard]] SourcePlace place(const std::string& pointer) const;

  private:
    nlohmann::json root_;
    std::string file_;
    std::map<std::string, std::size_t> line_of_pointer_;
};

}  // namespace haichi
