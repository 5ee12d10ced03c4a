#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/errors.h"

namespace haichi {

/// Throws InputError for a line with a carriage return inside. Without this check, a file whose lines end with a lone
/// CR would be a single line, of which a "#" would hide the rest.
inline void check_line_end(std::string_view line, const SourcePlace& place) {
    const auto cr = line.find('\r');
    const bool ends = cr == std::string_view::npos || line.find_first_not_of('\r', cr) == std::string_view::npos;
    if (ends) return;
    throw InputError(place, "a carriage return (\\x0d) inside a line: " + shown(line), "end lines with LF or CR LF");
}

/// Iterates over the lines of a text, numbered from 1, without comments that start with "#". Used by node lists,
/// coordinate tables and rank maps.
class TextLines {
  public:
    /// `file` is the text's name for errors and must outlive this.
    TextLines(std::string_view rest, const std::string& file) : rest_(rest), file_(&file) {}

    /// Moves to the next line; false at the end. Throws what check_line_end() throws.
    bool next() {
        if (rest_.empty()) return false;
        const auto end = rest_.find('\n');
        line_ = rest_.substr(0, end);
        ++number_;
        check_line_end(line_, {*file_, number_});
        const auto comment = line_.find('#');
        has_comment_ = comment != std::string_view::npos;
        line_ = line_.substr(0, comment);
        rest_ = end == std::string_view::npos ? std::string_view{} : rest_.substr(end + 1);
        return true;
    }

    [[nodiscard]] std::size_t number() const { return number_; }
    [[nodiscard]] std::string_view text() const { return line_; }
    /// True if the line had a "#".
    [[nodiscard]] bool has_comment() const { return has_comment_; }

    [[nodiscard]] std::vector<std::string_view> words(std::string_view separators) const {
        std::vector<std::string_view> words;
        for (std::size_t at = 0; (at = line_.find_first_not_of(separators, at)) != std::string_view::npos;) {
            const auto end = line_.find_first_of(separators, at);
            words.push_back(line_.substr(at, end - at));
            if (end == std::string_view::npos) break;
            at = end;
        }
        return words;
    }

  private:
    std::string_view rest_;
    const std::string* file_;
    std::string_view line_;
    std::size_t number_ = 0;
    bool has_comment_ = false;
};

}  // namespace haichi
