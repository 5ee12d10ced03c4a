#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "commlog/readers/formats.h"
#include "commlog/readers/matrix_messages.h"
#include "commlog/readers/text_rows.h"
#include "commlog/readers/text_shape.h"

namespace haichi {

namespace {

constexpr std::size_t kLongestBanner = 1024;

struct Banner {
    bool is_coordinate = false;  ///< if false, the file is an array with all entries, column by column
    bool is_pattern = false;     ///< entries have no values
    bool is_symmetric = false;   ///< the file contains only one triangle of a symmetric matrix
};

/// Returns the lower-case words of the first line, and moves past this line.
std::vector<std::string> banner_words(TextStream& stream) {
    std::vector<std::string> words;
    std::size_t length = 0;
    bool in_word = false;
    for (; !stream.at_end() && stream.current() != '\n'; stream.advance()) {
        if (++length > kLongestBanner)
            throw InputError(stream.place(), "expected the banner of a Matrix Market file, found a line of more than " +
                                                 std::to_string(kLongestBanner) + " characters");
        const auto c = static_cast<unsigned char>(stream.current());
        if (std::isspace(c) == 0) {
            if (!in_word) words.emplace_back();
            words.back() += static_cast<char>(std::tolower(c));
        }
        in_word = std::isspace(c) == 0;
    }
    return words;
}

/// Throws InputError unless `word` is one of `known`. The error states the reason if the format defines the word.
void expect(const SourcePlace& place, const std::string& what, const std::string& word,
            const std::vector<std::string>& known) {
    if (std::ranges::find(known, word) != known.end()) return;
    std::string all;
    for (const std::string& name : known) all += (all.empty() ? "" : ", ") + name;
    std::string near = did_you_mean(word, known);
    throw InputError(place,
                     "invalid " + what + " of a communication matrix: " + shown(word) + " (expected " + all + ")",
                     word == "skew-symmetric" || word == "hermitian" || word == "complex"
                         ? "sizes in bytes are neither negative nor complex"
                         : std::move(near));
}

Banner read_banner(TextStream& stream) {
    constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
    std::vector<std::string> words = banner_words(stream);
    const SourcePlace place = stream.place();
    if (!words.empty() && words[0].starts_with(kByteOrderMark)) words[0].erase(0, kByteOrderMark.size());
    if (words.empty() || words[0] != "%%matrixmarket") {
        throw InputError(place, "expected %%MatrixMarket at the beginning of the file, found " +
                                    shown(words.empty() ? "" : words[0]));
    }
    if (words.size() != 5) {
        throw InputError(place, "expected a banner of 5 words, found " + std::to_string(words.size()),
                         "write a banner such as %%MatrixMarket matrix coordinate integer general");
    }
    expect(place, "object", words[1], {"matrix"});
    expect(place, "format", words[2], {"coordinate", "array"});
    expect(place, "field", words[3], {"integer", "unsigned-integer", "real", "double", "pattern"});
    expect(place, "symmetry", words[4], {"general", "symmetric"});
    const Banner banner{words[2] == "coordinate", words[3] == "pattern", words[4] == "symmetric"};
    if (banner.is_pattern && !banner.is_coordinate)
        throw InputError(place, "the format 'array' cannot be combined with the field 'pattern'");
    return banner;
}

class MatrixMarketReader {
  public:
    explicit MatrixMarketReader(TextStream* stream) : banner_(read_banner(*stream)), rows_(stream), messages_(&rows_) {}

    Workload read() {
        read_sizes();
        if (banner_.is_coordinate) {
            read_coordinates();
        } else {
            read_array();
        }
        return messages_.take(size_, "matrix");
    }

  private:
    std::int64_t next_number(const char* what, std::int64_t least, std::int64_t largest) {
        if (!rows_.next_field()) rows_.fail(std::string("the line ends before the ") + what);
        return rows_.whole_number(what, least, largest);
    }

    void end_line() {
        if (rows_.next_field()) rows_.fail("expected the end of the line, found " + shown(rows_.field()));
    }

    void read_sizes() {
        if (!rows_.next_row()) rows_.fail("the file ends before the size of the matrix");
        size_ = next_number("number of rows", 1, kMostRanks);
        const std::int64_t columns = next_number("number of columns", 1, kMostRanks);
        if (columns != size_) {
            rows_.fail("the matrix must be square, found " + std::to_string(size_) + " x " + std::to_string(columns));
        }
        if (banner_.is_coordinate) entry_count_ = next_number("number of entries", 0, kMostMessages);
        end_line();
    }

    void read_coordinates() {
        std::int64_t found = 0;
        for (; rows_.next_row(); ++found) {
            const std::int64_t row = next_number("row", 1, size_) - 1;
            if (found == entry_count_) {
                rows_.fail("the size line states " + std::to_string(entry_count_) +
                           (entry_count_ == 1 ? " entry" : " entries") + ", but the file has more");
            }
            const std::int64_t column = next_number("column", 1, size_) - 1;
            std::int64_t size_bytes = 1;
            if (!banner_.is_pattern) {
                if (!rows_.next_field()) rows_.fail("the line ends before the value");
                size_bytes = rows_.size_bytes();
            }
            end_line();
            add(row, column, size_bytes);
        }
        if (found < entry_count_) {
            rows_.fail("expected " + std::to_string(entry_count_) + " entries, found " + std::to_string(found));
        }
    }

    void read_array() {
        for (std::int64_t column = 0; column < size_; ++column) {
            for (std::int64_t row = banner_.is_symmetric ? column : 0; row < size_; ++row) {
                if (!rows_.next_field_of_any_row()) {
                    rows_.fail("the file ends before entry (" + std::to_string(row + 1) + ", " +
                               std::to_string(column + 1) + ") of " + std::to_string(size_) + " x " +
                               std::to_string(size_));
                }
                add(row, column, rows_.size_bytes());
            }
        }
        if (rows_.next_field_of_any_row())
            rows_.fail("expected the end of the file after the matrix, found " + shown(rows_.field()));
    }

    void add(std::int64_t row, std::int64_t column, std::int64_t size_bytes) {
        messages_.add(row, column, size_bytes);
        if (!banner_.is_symmetric || row == column) return;
        // The format requires the lower triangle, but some programs write the upper one.
        const bool is_lower = row > column;
        if (triangle_known_ && is_lower != lower_triangle_) {
            rows_.fail("a symmetric matrix has entries on both sides of its diagonal: row " + std::to_string(row + 1) +
                           ", column " + std::to_string(column + 1),
                       "use the symmetry 'general' for a matrix with both triangles");
        }
        triangle_known_ = true;
        lower_triangle_ = is_lower;
        messages_.add(column, row, size_bytes);
    }

    Banner banner_;
    TextRows rows_;
    MatrixMessages messages_;
    std::int64_t size_ = 0;
    std::int64_t entry_count_ = 0;
    bool triangle_known_ = false;
    bool lower_triangle_ = false;
};

}  // namespace

WorkloadFormat matrix_market_format() {
    return {"matrix-market", "a Matrix Market file: entry (i, j) is the bytes from rank i - 1 to rank j - 1",
            [](const TextShape& shape) { return shape.is_matrix_market; },
            [](TextStream& stream) { return MatrixMarketReader(&stream).read(); }};
}

}  // namespace haichi
