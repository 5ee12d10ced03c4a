#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace haichi {

/// What workload formats are recognised by: how a text begins.
struct TextShape {
    static constexpr std::size_t kMostRows = 5;
    static constexpr std::size_t kMostFields = 5;

    struct Row {
        std::vector<std::string> fields;  ///< the first kMostFields
        std::size_t field_count = 0;
        bool is_numbers = true;   ///< all of `fields`
        bool has_number = false;  ///< any of `fields`
    };

    bool is_json = false;           ///< begins with a brace or a bracket
    bool is_matrix_market = false;  ///< begins with %%MatrixMarket
    bool states_ranks = false;      ///< a comment "# ranks N" before the first row
    /// The first kMostRows rows of fields; none of the two formats above.
    std::vector<Row> rows;
    bool has_all_rows = false;  ///< `rows` are all rows of the text
};

/// `prefix` is all of the text or, with `is_all` off, its beginning. Throws InputError, naming `file`, only for
/// carriage returns that do not end a line.
TextShape shape_of(std::string_view prefix, bool is_all, const std::string& file);

/// The banner of a Matrix Market file, in any case of letters.
bool starts_as_matrix_market(std::string_view text);

/// How a text whose first row has 3 or 4 numbers may be read. It may be a dense matrix only with as many rows as
/// numbers in a row. With zeros on the diagonal it is one: that is how matrices look, and an edge list's third message
/// would be of 0 bytes. Otherwise nothing tells them apart.
enum class NarrowRows { kEdgeList, kDenseMatrix, kEither };
NarrowRows read_narrow_rows(const TextShape& shape);

/// The number in "ranks N", the text of a comment; "" for any other comment. "ranks: N" and "ranks = N" will do.
std::string_view ranks_in_comment(std::string_view comment);

}  // namespace haichi
