#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/errors.h"
#include "commlog/readers/readers.h"

namespace haichi {
namespace {

struct MalformedText {
    std::string name;
    std::string text;
    std::size_t line;                 ///< line that the error must name, or 0 for the file only
    std::vector<std::string> quoted;  ///< texts that the error must contain
    std::string hint;                 ///< part of the hint, or "" for any
    std::string format;               ///< format, or "" to recognise it
};

void PrintTo(const MalformedText& document, std::ostream* os) { *os << document.name; }

/// Returns a document with `entries` on lines 3 and following, of which `count` are declared.
std::string coordinates(const std::string& entries, const std::string& count, const std::string& field = "integer",
                        const std::string& symmetry = "general") {
    return "%%MatrixMarket matrix coordinate " + field + " " + symmetry + "\n3 3 " + count + "\n" + entries;
}
std::string repeated(const std::string& text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += text;
    return all;
}

std::vector<MalformedText> unrecognised() {
    const std::string nul(1, '\0');
    return {
        {"empty", "", 1, {"an empty file"}, "check whether the program", ""},
        {"blanks_only", "\n\n \t\n", 1, {"an empty file"}, "", ""},
        {"comments_only",
         "\n# nothing\n# more\n",
         2,
         {"not in a known workload format", "# nothing"},
         "§workload-format",
         ""},
        {"prose", "\nDear reader,\nthis is a letter.\n", 2, {"not in a known workload format", "Dear reader"}, "", ""},
        {"binary",
         std::string("\x7f"
                     "ELF\x02\x01\x01\0\0",
                     9),
         1,
         {"found a program"},
         "haichi run",
         ""},
        {"script", "#!/bin/bash\n#PJM -L node=4\n./a.out\n", 1, {"found a script"}, "§job", ""},
        {"nul_first", nul + "0 1 5\n", 1, {"NUL"}, "", ""},
        {"nul_after_blanks", "\n\n" + nul, 3, {"NUL"}, "", ""},
        {"utf16",
         std::string("\xff\xfe"
                     "0\0 \0"
                     "1\0",
                     8),
         1,
         {"\\xff\\xfe"},
         "",
         ""},
        {"numpy_array", std::string("\x93NUMPY\x01\0v\0{'descr'", 18), 1, {"NumPy"}, "haichi.Workload.from_file", ""},
        {"compressed", "\x1f\x8b\x08", 0, {"compressed"}, "gzip -dc", ""},
        {"one_line_of_a_megabyte", std::string(3000000, 'x'), 1, {"'xxxx", "...'"}, "", ""},
        {"blanks_of_many_megabytes",
         std::string(3000000, ' ') + "0 1 5\n",
         1,
         {"not in a known workload format"},
         "",
         ""},
        {"cr_alone", "0,1,5\r1,2,5\r", 1, {"carriage return"}, "LF or CR LF", ""},
        {"cr_alone_after_a_comment", "# ranks 4\r0,1,5\r", 1, {"carriage return"}, "LF or CR LF", ""},
        {"cr_alone_in_a_later_line", "0,1,5\r\n# a\r1,2,5\n", 2, {"carriage return"}, "", ""},
        {"header_of_a_dense_matrix", "a,b,c\n0,1\n", 1, {"'a,b,c'"}, "", ""},
    };
}

std::vector<MalformedText> edge_lists() {
    const std::string largest = "0 1 281474976710656\n";
    return {
        {"edge_of_two", "0 1 5\n0 1\n", 2, {"expected 3 fields as in the first line, found only 2 fields"}, "", ""},
        {"edge_of_four", "0 1 5\n1 2 5\n0 1 5 0\n", 3, {"a fourth field '0'", "first line has 3"}, "", ""},
        {"edge_of_five", "0 1 5 0\n1 2 5 0 9\n", 2, {"a fifth field '9'"}, "", ""},
        {"edge_without_its_set",
         "0 1 5 0\n1 2 5\n",
         2,
         {"expected 4 fields as in the first line, found only 3 fields"},
         "",
         ""},
        {"edge_with_thousands",
         "0 1 1,000\n1 0 2,001\n",
         1,
         {"separated both by blanks and by commas, before '000'"},
         "thousands",
         ""},
        {"edge_with_an_empty_field", "0,1,5\n0,,5\n", 2, {"destination rank is missing"}, "", ""},
        {"edge_with_a_leading_comma", "0,1,5\n,0,1,5\n", 2, {"source rank is missing"}, "", ""},
        {"edge_truncated",
         "0 1 5\n1 2 5\n1 ",
         3,
         {"expected 3 fields as in the first line, found only 1 field"},
         "",
         ""},
        {"edge_with_a_word", "0 1 5\n0 one 5\n", 2, {"destination rank must be a number", "'one'"}, "", ""},
        {"edge_in_hexadecimal", "0 1 5\n0 0x1 5\n", 2, {"'0x1'"}, "", ""},
        {"edge_with_nan", "0 1 5\n0 1 nan\n", 2, {"message size must be a number", "'nan'"}, "", ""},
        {"edge_with_inf", "0 1 5\n0 1 inf\n", 2, {"'inf'"}, "", ""},
        {"edge_with_a_fraction", "0 1 5\n0 1 0.5\n", 2, {"whole number", "'0.5'"}, "multiply all sizes", ""},
        {"edge_with_a_tiny_fraction", "0 1 5\n0 1 281474976710655.00000000000001\n", 2, {"whole number"}, "", ""},
        {"edge_with_a_fractional_rank", "0 1 5\n0.5 1 5\n", 2, {"source rank must be a whole number"}, "", ""},
        {"edge_negative", "0 1 5\n0 1 -5\n", 2, {"message size must not be negative", "'-5'"}, "", ""},
        {"edge_from_a_negative_rank", "0 1 5\n-1 1 5\n", 2, {"source rank must not be negative"}, "", ""},
        {"edge_above_the_limit", "0 1 5\n0 1 281474976710657\n", 2, {"'281474976710657' is outside 0..2^48"}, "", ""},
        {"edge_far_above_the_limit", "0 1 5\n0 1 1e300\n", 2, {"'1e300' is outside"}, "", ""},
        {"edge_of_many_digits", "0 1 5\n0 1 99999999999999999999999999999\n", 2, {"is outside"}, "", ""},
        {"edge_of_a_megabyte_of_digits",
         "0 1 5\n0 1 " + std::string(1000000, '1'),
         2,
         {"the message size '1111", "' is too large"},
         "",
         ""},
        {"edge_beyond_any_rank", "0 1 5\n0 134217728 5\n", 2, {"'134217728' is outside 0..134217727"}, "", ""},
        {"edge_beyond_the_stated_ranks", "# ranks 4\n0 1 5\n0 4 5\n", 3, {"'4' is outside 0..3"}, "", ""},
        {"edge_ranks_too_many", "# ranks 134217729\n0 1 5\n", 1, {"134217729", "too large"}, "", ""},
        {"edge_ranks_zero", "\n# ranks 0\n0 1 5\n", 2, {"'0' is outside 1.."}, "", ""},
        {"edge_ranks_negative", "# ranks -4\n0 1 5\n", 1, {"'-4'"}, "", ""},
        {"edge_ranks_twice", "# ranks 4\n# ranks 4\n0 1 5\n", 2, {"duplicate number of ranks"}, "", ""},
        {"edge_ranks_too_late", "0 1 5\n# ranks 4\n", 2, {"precede the messages"}, "", ""},
        {"edge_nul_in_a_line", std::string("0 1 5\n0 1\0 5\n", 13), 2, {"NUL"}, "", ""},
        {"edge_invalid_utf8", "0 1 5\n0 1 \xff\xfe\n", 2, {"'\\xff\\xfe'"}, "", ""},
        {"edge_columns_in_another_order",
         "dst,src,bytes\n0,1,5\n",
         1,
         {"expected the source in column 1, found 'dst'"},
         "order",
         ""},
        {"edge_header_twice", "src,dst,bytes\n0,1,5\nsrc,dst,bytes\n", 3, {"'src'"}, "", ""},
        {"edge_header_of_two",
         "src,dst\n0,1,5\n",
         1,
         {"expected a header of 3 or more columns, found 2"},
         "",
         "edge-list"},
        {"edge_header_of_five", "a,b,c,d,e\n0,1,5\n", 1, {"'e' in column 5"}, "", "edge-list"},
        {"edge_header_with_a_number", "src,1,bytes\n0,1,5\n", 1, {"'1' in column 2"}, "", "edge-list"},
        {"edge_list_without_anything", "# nothing\n", 1, {"neither messages nor"}, "# ranks N", "edge-list"},
        {"edge_set_negative", "0 1 5 0\n0 1 5 -1\n", 2, {"set number must not be negative"}, "", ""},
        {"edge_set_far_off", "0 1 5 0\n0 1 5 67108863\n0 1 5 1\n", 2, {"67108863", "sets without messages"}, "", ""},
        {"edge_set_above_the_limit", "0 1 5 0\n0 1 5 67108864\n", 2, {"'67108864' is outside"}, "", ""},
        {"edge_sum_above_63_bits", "1 0 5\n" + repeated(largest, 40000), 32769, {"2^63 - 1"}, "", ""},
    };
}

std::vector<MalformedText> dense_matrices() {
    return {
        {"dense_short_row", "0 1 2 3 4\n0 1 2\n", 2, {"row 2 has 3 numbers", "first row has 5"}, "", ""},
        {"dense_long_row", "0 5\n0 1 2\n", 2, {"row 2 has more numbers", "2"}, "", ""},
        {"dense_too_many_rows", "0 1\n0 1\n0 1\n", 3, {"found row 3", "2 numbers"}, "edge list", ""},
        {"dense_too_few_rows", "0 1 2 3 4\n0 1 2 3 4\n", 2, {"ends after 2 of 5 rows"}, "", ""},
        {"dense_truncated_row", "0 1 2 3 4\n0 1 2", 2, {"row 2 has 3 numbers"}, "", ""},
        {"dense_with_a_header", "a,b\n0,1\n", 2, {"ends after 1 of 2 rows"}, "", "dense-matrix"},
        {"dense_with_row_names", "0 1 2 3 4\nb 1 2 3 4\n", 2, {"'b'"}, "", ""},
        {"dense_empty_field", "0,1\n,0\n", 2, {"message size is missing"}, "", ""},
        {"dense_negative", "0 1\n-1 0\n", 2, {"negative", "'-1'"}, "", ""},
        {"dense_fraction", "0 1\n1.5 0\n", 2, {"'1.5'"}, "multiply", ""},
        {"dense_nan", "0 1\nNaN 0\n", 2, {"'NaN'"}, "", ""},
        {"dense_nothing", "# no rows\n", 1, {"no numbers"}, "", "dense-matrix"},
        {"dense_three_rows_of_four", "0 1 2 3\n1 0 2 3\n1 2 0 3\n", 3, {"3 of 4 rows"}, "edge-list", "dense-matrix"},
    };
}

std::vector<MalformedText> matrix_markets() {
    const std::string banner = "%%MatrixMarket matrix coordinate integer general\n";
    return {
        {"market_banner_only", banner, 1, {"ends before the size"}, "", ""},
        {"market_banner_short",
         "%%MatrixMarket matrix\n3 3 0\n",
         1,
         {"expected a banner of 5 words, found 2"},
         "coordinate",
         ""},
        {"market_banner_endless",
         "%%MatrixMarket " + std::string(100000, 'x'),
         1,
         {"a line of more than 1024 characters"},
         "",
         ""},
        {"market_banner_missing",
         "3 3 0\n",
         1,
         {"expected %%MatrixMarket at the beginning", "'3'"},
         "",
         "matrix-market"},
        {"market_vector", "%%MatrixMarket vector coordinate integer general\n", 1, {"'vector'"}, "", ""},
        {"market_unknown_format",
         "%%MatrixMarket matrix coordinates integer general\n",
         1,
         {"'coordinates'"},
         "did you mean 'coordinate'?",
         ""},
        {"market_complex", coordinates("1 2 5 5\n", "1", "complex"), 1, {"'complex'"}, "neither negative", ""},
        {"market_skew",
         coordinates("2 1 5\n", "1", "real", "skew-symmetric"),
         1,
         {"'skew-symmetric'"},
         "neither negative",
         ""},
        {"market_hermitian", coordinates("", "0", "real", "hermitian"), 1, {"'hermitian'"}, "", ""},
        {"market_pattern_array", "%%MatrixMarket matrix array pattern general\n2 2\n", 1, {"'pattern'"}, "", ""},
        {"market_not_square", banner + "3 4 0\n", 2, {"3 x 4"}, "", ""},
        {"market_no_rows", banner + "0 0 0\n", 2, {"'0' is outside 1.."}, "", ""},
        {"market_huge", banner + "2000000000 2000000000 5\n1 1 1\n", 2, {"2000000000", "134217728"}, "", ""},
        {"market_huge_array",
         "%%MatrixMarket matrix array integer general\n134217728 134217728\n5\n",
         3,
         {"entry (2, 1)"},
         "",
         ""},
        {"market_too_many_entries_declared", banner + "3 3 536870913\n", 2, {"'536870913' is outside"}, "", ""},
        {"market_entries_promised",
         banner + "3 3 536870912\n1 2 5\n",
         3,
         {"expected 536870912 entries, found 1"},
         "",
         ""},
        {"market_size_line_short", banner + "3 3\n1 2 5\n", 2, {"line ends before the number of entries"}, "", ""},
        {"market_size_line_long", banner + "3 3 1 1\n1 2 5\n", 2, {"expected the end of the line, found '1'"}, "", ""},
        {"market_truncated", coordinates("1 2 5\n2 3", "2"), 4, {"before the value"}, "", ""},
        {"market_too_few", coordinates("1 2 5\n", "2"), 3, {"expected 2 entries, found 1"}, "", ""},
        {"market_too_many",
         coordinates("1 2 5\n1 3 5\n", "1"),
         4,
         {"the size line states 1 entry, but the file has more"},
         "",
         ""},
        {"market_row_zero", coordinates("1 2 5\n0 1 5\n", "2"), 4, {"row '0' is outside 1..3"}, "", ""},
        {"market_column_outside", coordinates("1 4 5\n", "1"), 3, {"column '4' is outside 1..3"}, "", ""},
        {"market_negative", coordinates("1 2 -5\n", "1"), 3, {"negative", "'-5'"}, "", ""},
        {"market_fraction", coordinates("1 2 2.5\n", "1", "real"), 3, {"'2.5'"}, "multiply", ""},
        {"market_value_of_a_pattern",
         coordinates("1 2 5\n", "1", "pattern"),
         3,
         {"expected the end of the line, found '5'"},
         "",
         ""},
        {"market_both_triangles",
         coordinates("2 1 5\n1 2 5\n", "2", "real", "symmetric"),
         4,
         {"row 1, column 2"},
         "'general'",
         ""},
        {"market_array_goes_on", "%%MatrixMarket matrix array integer general\n1 1\n5\n6\n", 4, {"'6'"}, "", ""},
        {"market_nul", coordinates(std::string("1 2\0 5\n", 7), "1"), 3, {"NUL"}, "", ""},
    };
}

std::vector<MalformedText> qaplibs() {
    return {
        {"qaplib_size_only", "12\n", 1, {"row 1 of the first matrix"}, "", ""},
        {"qaplib_truncated", "2\n0 1\n1 0\n\n0 1\n1\n", 6, {"row 2 of the second matrix"}, "", ""},
        {"qaplib_goes_on", "2\n0 1\n1 0\n\n0 1\n1 0\n7\n", 7, {"2 x 2 numbers, found '7'"}, "", ""},
        {"qaplib_size_zero", "0\n", 1, {"'0' is outside 1.."}, "", ""},
        {"qaplib_size_negative", "-2\n0 1 1 0\n", 1, {"negative"}, "", ""},
        {"qaplib_size_huge", "2000000000\n0 1 1 0\n", 1, {"2000000000"}, "", ""},
        {"qaplib_size_more_than_there_is", "134217728\n0 1 1 0\n", 2, {"row 1 of the first"}, "", ""},
        {"qaplib_size_a_fraction", "2.5\n0 1 1 0\n", 1, {"whole number", "'2.5'"}, "", ""},
        {"qaplib_negative_flow", "2\n0 -1\n1 0\n0 1 1 0\n", 2, {"'-1'"}, "", ""},
        {"qaplib_word", "2\n0 1\n1 0\n0 x 1 0\n", 4, {"'x'"}, "", ""},
        {"qaplib_nothing", "# nothing\n", 1, {"size of the problem is missing"}, "", "qaplib"},
    };
}

std::vector<MalformedText> labelled_matrices() {
    return {
        {"labels_of_other_ranks",
         ",5,6\n0,10,0\n3,0,20\n",
         2,
         {"column 1 has the label '5', expected 0"},
         "reindex",
         ""},
        {"label_missing", ",0,1,2\n0,0,5,7\n2,5,0,2\n3,7,2,0\n", 3, {"row 2 has the label '2', expected 1"}, "", ""},
        {"label_order", ",r1,r0\nr0,0,5\nr1,7,0\n", 2, {"column 2 has the label 'r0', expected r2"}, "", ""},
        {"label_names_differ", ",a,b\nb,0,5\na,7,0\n", 2, {"row 1 has the label 'b'", "column 1 has 'a'"}, "order", ""},
        {"label_bases_differ",
         "r0 r1 r2\nr0 0 5\nr1 7 0\n",
         2,
         {"row 1 has the label 'r0', expected r1"},
         "",
         "dense-matrix"},
    };
}

std::vector<MalformedText> metis_graphs() {
    return {
        {"metis_short", "3 2\n2\n", 2, {"ends after 1 of 3 vertices"}, "one line for each", "metis"},
        {"metis_long", "2 1\n2\n1\n1\n", 4, {"after 2 vertices, found '1'"}, "", "metis"},
        {"metis_directed", "3 1\n2 3\n\n\n", 0, {"do not list the same edge"}, "edge list", "metis"},
        {"metis_weights_differ", "2 1 1\n2 5\n1 6\n", 0, {"vertices 1 and 2"}, "undirected", "metis"},
        {"metis_edges_once", "3 4\n2\n1 3\n2\n", 0, {"states 4 edges", "4 neighbours instead of 8"}, "", "metis"},
        {"metis_twice", "2 2\n2 2\n1 1\n", 0, {"vertex 1 has the neighbour 2 twice"}, "", "metis"},
        {"metis_own_neighbour", "2 1\n1\n2\n", 2, {"vertex 1 is its own"}, "", "metis"},
        {"metis_neighbour_zero", "2 1\n1\n0\n", 2, {"its own"}, "", "metis"},
        {"metis_outside", "2 1\n3\n1\n", 2, {"3"}, "", "metis"},
        {"metis_no_weight", "2 1 1\n2\n1\n", 2, {"weight of an edge", "nothing"}, "", "metis"},
        {"metis_no_vertex_weight", "2 1 10\n5 2\n\n", 3, {"weight of vertex 2"}, "", "metis"},
        {"metis_header", "2 1 7\n2\n1\n", 1, {"header of a METIS graph", "'2 1 7'"}, "", "metis"},
        {"metis_huge", "999999999999 1\n2\n1\n", 1, {"header of a METIS graph"}, "", "metis"},
        {"metis_nothing", "% nothing\n", 1, {"no header"}, "", "metis"},
    };
}

std::vector<MalformedText> malformed_matrices() {
    std::vector<MalformedText> all;
    for (const auto& some : {unrecognised(), edge_lists(), dense_matrices(), matrix_markets(), qaplibs(),
                             labelled_matrices(), metis_graphs()}) {
        all.insert(all.end(), some.begin(), some.end());
    }
    return all;
}

class MalformedMatrix : public testing::TestWithParam<MalformedText> {};

TEST_P(MalformedMatrix, is_refused_with_line_and_value) {
    const MalformedText& document = GetParam();
    try {
        parse_workload(document.text, "w.txt", document.format);
        FAIL() << "accepted";
    } catch (const InputError& error) {
        const std::string what = error.what();
        const std::string place = document.line == 0 ? "w.txt: " : "w.txt:" + std::to_string(document.line) + ": ";
        EXPECT_TRUE(what.starts_with(place)) << what;
        for (const std::string& quoted : document.quoted) EXPECT_NE(what.find(quoted), std::string::npos) << what;
        EXPECT_NE(error.hint().find(document.hint), std::string::npos) << error.hint();
        EXPECT_LT(what.size(), 400U) << what;
        for (const char c : what) EXPECT_TRUE(c >= 0x20 && c < 0x7f) << what;
    }
}

INSTANTIATE_TEST_SUITE_P(Documents, MalformedMatrix, testing::ValuesIn(malformed_matrices()),
                         [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace haichi
