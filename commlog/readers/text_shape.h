#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commlog/readers/metis_graph.h"

namespace haichi {

/// The beginning of a text, by which workload formats are recognised.
struct TextShape {
    static constexpr std::size_t kMostRows = 5;
    static constexpr std::size_t kMostFields = 5;

    struct Row {
        std::vector<std::string> fields;  ///< the first kMostFields
        std::size_t field_count = 0;
        bool is_numbers = true;   ///< whether all of `fields` are numbers
        bool has_number = false;  ///< whether any of `fields` is a number
    };

    bool is_json = false;           ///< begins with a brace or a bracket
    bool is_matrix_market = false;  ///< begins with %%MatrixMarket
    bool states_ranks = false;      ///< a comment "# ranks N" precedes the first row
    /// The first kMostRows rows of fields. Empty for the two formats above.
    std::vector<Row> rows;
    bool has_all_rows = false;  ///< `rows` are all rows of the text
    MetisEvidence metis = MetisEvidence::kNone;
};

/// Determines the shape of a text. `prefix` is the whole text if `is_all` is true, and its beginning otherwise. Throws
/// InputError naming `file` only for carriage returns that do not end a line.
TextShape shape_of(std::string_view prefix, bool is_all, const std::string& file);

/// Returns whether the text begins with the banner of a Matrix Market file, in upper or lower case.
bool starts_as_matrix_market(std::string_view text);

/// The possible meanings of a text whose first row has 3 or 4 numbers. A dense matrix has as many rows as numbers in a
/// row. With zeros on the diagonal the text is a matrix, because the third message of an edge list would have 0 bytes.
/// Otherwise the two cannot be distinguished.
enum class NarrowRows { kEdgeList, kDenseMatrix, kEither };
NarrowRows read_narrow_rows(const TextShape& shape);

/// The labels of a dense matrix, as pandas and R write them.
struct MatrixLabels {
    bool has_header = false;  ///< the first row has the labels of the columns
    bool has_column = false;  ///< every other row begins with its label
    bool is_certain = false;  ///< the text cannot be an edge list with a header
};
/// Returns nothing for a text that is not a matrix with labels.
std::optional<MatrixLabels> matrix_labels(const TextShape& shape);

/// A label such as "rank3": its number, and the text before it in lower case. Quotes are ignored.
struct NumberedLabel {
    std::string stem;
    std::int64_t number = 0;
};
/// Returns nothing for a label that does not number a rank, for example the name of a node.
std::optional<NumberedLabel> numbered_label(std::string_view label);

/// Returns the number in a comment "ranks N", "ranks: N" or "ranks = N", and "" for any other comment.
std::string_view ranks_in_comment(std::string_view comment);

}  // namespace haichi
