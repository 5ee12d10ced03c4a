#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commlog/readers/metis_graph.h"

namespace haichi {

/// Describes the beginning of a text, by which workload formats are recognised.
struct TextShape {
    static constexpr std::size_t kMostRows = 5;
    static constexpr std::size_t kMostFields = 5;

    struct Row {
        std::vector<std::string> fields;  ///< the first kMostFields fields
        std::size_t field_count = 0;
        bool is_numbers = true;   ///< true if all of `fields` are numbers
        bool has_number = false;  ///< true if any of `fields` is a number
    };

    bool is_json = false;           ///< the text begins with a brace or a bracket
    bool is_matrix_market = false;  ///< the text begins with %%MatrixMarket
    bool states_ranks = false;      ///< a comment "# ranks N" precedes the first row
    /// The first kMostRows rows. This is empty for JSON and Matrix Market texts.
    std::vector<Row> rows;
    bool has_all_rows = false;  ///< `rows` contains all rows of the text
    MetisEvidence metis = MetisEvidence::kNone;
};

/// Determines the shape of a text. `is_all` means that `prefix` is the whole text, not only its beginning. Throws
/// InputError that names `file` only for carriage returns that do not end a line.
TextShape shape_of(std::string_view prefix, bool is_all, const std::string& file);

/// Returns true if the text begins with the banner of a Matrix Market file, in upper or lower case.
bool starts_as_matrix_market(std::string_view text);

/// The possible meanings of a text whose first row has 3 or 4 numbers. A dense matrix has as many rows as numbers per
/// row. A text with a zero diagonal is a matrix. As an edge list, its third message would have a size (row 3, column 3)
/// of 0 bytes. Otherwise, the two formats cannot be distinguished.
enum class NarrowRows { kEdgeList, kDenseMatrix, kEither };
NarrowRows read_narrow_rows(const TextShape& shape);

/// Describes the labels of a dense matrix, as written by pandas and R.
struct MatrixLabels {
    bool has_header = false;  ///< the first row contains the labels of the columns
    bool has_column = false;  ///< every other row begins with a label
    bool is_certain = false;  ///< the text cannot be an edge list with a header
};
/// Returns nothing if the text is not a matrix with labels.
std::optional<MatrixLabels> matrix_labels(const TextShape& shape);

/// A label such as "rank3", split into its number and the lower-case text before the number. Quotes around the label
/// are ignored.
struct NumberedLabel {
    std::string stem;
    std::int64_t number = 0;
};
/// Returns nothing for a label that contains no rank, such as the name of a node.
std::optional<NumberedLabel> numbered_label(std::string_view label);

/// Returns N for a comment "ranks N", "ranks: N" or "ranks = N", and an empty string for any other comment.
std::string_view ranks_in_comment(std::string_view comment);

}  // namespace haichi
