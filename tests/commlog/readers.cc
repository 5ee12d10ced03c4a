#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "base/errors.h"
#include "commlog/readers/readers.h"
#include "tests/base/temporary_folder.h"

namespace haichi {
namespace {

using Triple = std::tuple<int, int, std::int64_t>;
using Triples = std::vector<Triple>;

Triples triples(const Workload& workload, std::size_t set = 0) {
    Triples result;
    for (const Message& m : workload.messages(set)) {
        result.emplace_back(m.source.value, m.destination.value, m.size_bytes);
    }
    return result;
}

Workload parse(const std::string& text, const std::string& format = "") { return parse_workload(text, "w", format); }

/// Returns the format that a text is recognised as, or both if there are two.
std::string recognised(const std::string& text) {
    try {
        // Every format names its set differently, except the matrices, which differ in their first characters.
        const Workload workload = parse(text);
        const std::string label = workload.set_count() == 0 ? "json" : workload.set(0).label;
        if (label == "flow") return "qaplib";
        if (label == "edge list" || label == "set 1") return "edge-list";
        if (label == "graph") return "metis";
        if (label == "matrix") return text.starts_with("%%M") ? "matrix-market" : "dense-matrix";
        return "json";
    } catch (const InputError& error) {
        return error.what();
    }
}

// ---- edge lists -----------------------------------------------------------------------------------------------------

TEST(EdgeListReader, a_line_is_a_message_and_the_highest_rank_tells_their_number) {
    const Workload workload = parse("0 1 1048576\n5 2 8\n");
    EXPECT_EQ(workload.rank_count(), 6);
    EXPECT_EQ(workload.iterations(), 1);
    ASSERT_EQ(workload.set_count(), 1U);
    EXPECT_EQ(triples(workload), (Triples{{0, 1, 1048576}, {5, 2, 8}}));
}

TEST(EdgeListReader, blanks_tabs_commas_and_semicolons_separate) {
    const Triples expected = {{0, 1, 5}, {2, 3, 7}};
    for (const char* text :
         {"0 1 5\n2 3 7\n", "0\t1\t5\r\n2\t3\t7\r\n", "0,1,5\n2,3,7", "0;1;5\n2; 3 ;7\n", "  0 , 1 , 5 ,\n2,3,7,\n\n",
          "\xef\xbb\xbf"
          "0 1 5\n2 3 7"}) {
        EXPECT_EQ(triples(parse(text)), expected) << text;
    }
}

TEST(EdgeListReader, comments_and_empty_lines_are_passed_over) {
    EXPECT_EQ(triples(parse("# a comment\n\n% another, \xff\n0 1 5 # the first\n  \n2 3 7% the second\n#")),
              (Triples{{0, 1, 5}, {2, 3, 7}}));
}

TEST(EdgeListReader, a_header_row_is_passed_over) {
    for (const char* header : {"source,destination,bytes", "src dst weight", "\"From\",\"To\",\"Size\"", "a b c"}) {
        EXPECT_EQ(triples(parse(std::string(header) + "\n0,1,5\n2,0,7\n1,2,9\n")),
                  (Triples{{0, 1, 5}, {2, 0, 7}, {1, 2, 9}}))
            << header;
    }
}

TEST(EdgeListReader, a_comment_states_the_number_of_ranks) {
    for (const char* comment : {"# ranks 64", "#ranks: 64", "% ranks = 64 "}) {
        EXPECT_EQ(parse(std::string(comment) + "\n0 1 5\n").rank_count(), 64) << comment;
    }
    EXPECT_EQ(parse("# ranks count from zero\n# rankings 3\n0 1 5\n").rank_count(), 2) << "an ordinary comment";
    const Workload silent = parse("# ranks 64\n");
    EXPECT_EQ(silent.rank_count(), 64);
    EXPECT_EQ(silent.messages().size(), 0U);
}

TEST(EdgeListReader, whole_numbers_may_be_written_as_reals) {
    EXPECT_EQ(triples(parse("0.000000000000000000e+00 1.0 1.048576e6\n2e0 03 +28147497671065600E-2\n1 0 0.0e999\n",
                            "edge-list")),
              (Triples{{0, 1, 1048576}, {2, 3, 281474976710656}, {1, 0, 0}}));
}

TEST(EdgeListReader, equal_pairs_own_messages_and_empty_ones_stay) {
    EXPECT_EQ(triples(parse("0 1 5\n0 1 5\n1 1 3\n1 0 0\n")), (Triples{{0, 1, 5}, {0, 1, 5}, {1, 1, 3}, {1, 0, 0}}));
}

TEST(EdgeListReader, a_fourth_column_numbers_the_sets) {
    const Workload workload = parse("source,destination,bytes,set\n0,1,5,0\n1,0,6,2\n0,2,7,0\n2,0,8,2\n");
    ASSERT_EQ(workload.set_count(), 3U);
    EXPECT_EQ(triples(workload, 0), (Triples{{0, 1, 5}, {0, 2, 7}}));
    EXPECT_EQ(triples(workload, 1), Triples{}) << "a gap is an empty set";
    EXPECT_EQ(triples(workload, 2), (Triples{{1, 0, 6}, {2, 0, 8}})) << "in the order of the file";
    EXPECT_EQ(workload.set(2).label, "set 3");
}

TEST(EdgeListReader, lines_are_counted_across_chunks) {
    std::string text = "0 1 5\n1 2 5\n";
    int lines = 3;
    for (; text.size() < (std::size_t{3} << 20); ++lines) text += "123 4567 89012345\n";
    text += "0 1 x\n0 1 5\n";
    try {
        parse(text);
        FAIL();
    } catch (const InputError& error) {
        EXPECT_TRUE(std::string(error.what()).starts_with("w:" + std::to_string(lines) + ": ")) << error.what();
    }
}

// ---- METIS graphs --------------------------------------------------------------------------------------------------

constexpr const char* kCube = "8 12 0\n2 3 5\n1 4 6\n1 4 7\n2 3 8\n1 6 7\n2 5 8\n3 5 8\n4 6 7\n";

TEST(MetisReader, a_regular_graph_is_not_an_edge_list) {
    const Workload cube = parse(kCube);
    EXPECT_EQ(cube.rank_count(), 8);
    EXPECT_EQ(cube.messages().size(), 24U);
    for (const auto& [source, destination, bytes] : triples(cube)) {
        EXPECT_EQ(__builtin_popcount(static_cast<unsigned>(source ^ destination)), 1) << source << " " << destination;
        EXPECT_EQ(bytes, 1);
    }
}

TEST(MetisReader, weights_and_sizes_of_vertices_precede_the_neighbours) {
    const Triples plain = {{0, 1, 1}, {1, 0, 1}, {1, 2, 1}, {2, 1, 1}};
    const Triples weighted = {{0, 1, 5}, {1, 0, 5}, {1, 2, 7}, {2, 1, 7}};
    EXPECT_EQ(triples(parse("% comment\n3 2\n2\n1 3\n2\n")), plain);
    EXPECT_EQ(triples(parse("3 2 10\n9 2\n9 1 3\n9 2\n")), plain);
    EXPECT_EQ(triples(parse("3 2 100\n9 2\n9 1 3\n9 2\n")), plain);
    EXPECT_EQ(triples(parse("3 2 110 2\n4 9 9 2\n4 9 9 1 3\n4 9 9 2\n")), plain);
    EXPECT_EQ(triples(parse("3 2 1\n2 5\n1 5 3 7\n2 7\n")), weighted);
    EXPECT_EQ(triples(parse("3 2 001\r\n2 5\r\n1 5 3 7\r\n2 7\r\n")), weighted);
    EXPECT_EQ(triples(parse("3 2 11\n9 2 5\n9 1 5 3 7\n9 2 7\n")), weighted);
    EXPECT_EQ(triples(parse("3 2 111 2\n4 9 9 2 5\n4 9 9 1 5 3 7\n4 9 9 2 7\n")), weighted);
}

TEST(MetisReader, an_empty_line_is_a_vertex_without_neighbours) {
    const Workload workload = parse("5 1\n\n3\n2\n\n\n");
    EXPECT_EQ(workload.rank_count(), 5);
    EXPECT_EQ(triples(workload), (Triples{{1, 2, 1}, {2, 1, 1}}));
}

TEST(MetisReader, a_text_that_may_be_a_graph_is_not_read_as_another_format) {
    // A wrong number of edges, an edge listed at one end only, a vertex that is its own neighbour, an invalid
    // neighbour.
    for (const char* text : {"3 4\n2\n1 3\n2\n", "3 3 1\n2 5\n1 5 3 4\n2 4 1 1\n",
                             "4 6 0\n2 3 4\n1 3 4\n1 2 3\n1 2 3\n", "4 6 0\n2 3 4\n1 3 4\n1 2 4\n1 2 9\n"}) {
        EXPECT_TRUE(recognised(text).ends_with(" or metis")) << text << recognised(text);
    }
    for (const char* text : {"3 1 1\n0 1 1\n1 2 1\n2 3 1\n", "8 12 0\n2 3 5\n1 4 6\n1 4 7\n"}) {
        EXPECT_EQ(recognised(text), "edge-list") << text;
    }
}

// ---- dense matrices -------------------------------------------------------------------------------------------------

TEST(DenseMatrixReader, an_entry_goes_from_its_row_to_its_column_and_zero_is_no_message) {
    const Triples expected = {{0, 1, 5}, {1, 0, 7}, {1, 1, 2}};
    for (const char* text : {"0 5\n7 2\n", "0,5\n7,2", "0\t5\n7\t2\n\n", "# bytes\n0, 5.0,\n7e0, 2,\n"}) {
        const Workload workload = parse(text);
        EXPECT_EQ(workload.rank_count(), 2);
        EXPECT_EQ(triples(workload), expected) << text;
    }
}

TEST(DenseMatrixReader, zeros_take_no_memory_and_rows_may_be_long) {
    std::string row;
    for (int i = 0; i < 2000; ++i) row += "0 ";
    std::string text;
    for (int i = 0; i < 2000; ++i) text += row + "\n";
    text[2 * 7] = '9';
    EXPECT_EQ(triples(parse(text)), (Triples{{0, 7, 9}}));
}

// ---- Matrix Market --------------------------------------------------------------------------------------------------

TEST(MatrixMarketReader, coordinates_count_from_one) {
    const Workload workload =
        parse("%%MatrixMarket matrix coordinate integer general\n% a comment\n\n4 4 3\n1 2 5\n4 1 6\n1 2 5\n");
    EXPECT_EQ(workload.rank_count(), 4);
    EXPECT_EQ(triples(workload), (Triples{{0, 1, 5}, {3, 0, 6}, {0, 1, 5}}));
}

TEST(MatrixMarketReader, a_symmetric_entry_is_two_messages) {
    const Triples expected = {{2, 0, 5}, {0, 2, 5}, {1, 1, 3}};
    EXPECT_EQ(triples(parse("%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n3 1 5.0\n2 2 3\n")), expected);
    EXPECT_EQ(triples(parse("%%MatrixMarket matrix coordinate real symmetric\n3 3 1\n1 3 5.0\n")),
              (Triples{{0, 2, 5}, {2, 0, 5}}))
        << "the upper triangle will do";
    EXPECT_EQ(triples(parse("%%matrixmarket MATRIX Array Integer Symmetric\n3 3\n0\n0\n5\n3\n0\n0\n")), expected);
}

TEST(MatrixMarketReader, an_array_stands_column_by_column) {
    EXPECT_EQ(triples(parse("%%MatrixMarket matrix array integer general\n2 2\n1\n2\n0\n4\n")),
              (Triples{{0, 0, 1}, {1, 0, 2}, {1, 1, 4}}));
}

TEST(MatrixMarketReader, entries_of_a_pattern_are_one_byte) {
    EXPECT_EQ(triples(parse("%%MatrixMarket matrix coordinate pattern symmetric\n3 3 1\n3 1\n")),
              (Triples{{2, 0, 1}, {0, 2, 1}}));
}

TEST(MatrixMarketReader, many_ranks_declared_cost_nothing) {
    EXPECT_EQ(
        parse("%%MatrixMarket matrix coordinate integer general\n134217728 134217728 1\n134217728 1 5\n").rank_count(),
        kMostRanks);
}

// ---- matrices with labels ------------------------------------------------------------------------------------------

TEST(LabelledMatrix, a_header_and_a_column_of_labels_are_skipped) {
    const Triples expected = {{0, 1, 5}, {0, 2, 7}, {1, 0, 5}, {1, 2, 2}, {2, 0, 7}, {2, 1, 2}};
    for (const char* text : {
             ",0,1,2\n0,0,5,7\n1,5,0,2\n2,7,2,0\n",                                 // pandas
             "rank,0,1,2\n0,0,5,7\n1,5,0,2\n2,7,2,0\n",                             // a named index
             "\"\",\"V1\",\"V2\",\"V3\"\n\"1\",0,5,7\n\"2\",5,0,2\n\"3\",7,2,0\n",  // write.csv of R
             "\t0\t1\t2\n0\t0\t5\t7\n1\t5\t0\t2\n2\t7\t2\t0\n",                     // tabs
             "r0 r1 r2\nr0 0 5 7\nr1 5 0 2\nr2 7 2 0\n",                            // write.table of R
             "r0;r1;r2\n0;5;7\n5;0;2\n7;2;0\n",                                     // only a header
             "rank0 0 5 7\nrank1 5 0 2\nrank2 7 2 0\n",                             // only a column
             "to,a,b,c\na,0,5,7\nb,5,0,2\nc,7,2,0\n",
         }) {
        EXPECT_EQ(triples(parse(text, "dense-matrix")), expected) << text;
    }
    for (const char* text :
         {",0,1,2\n0,0,5,7\n1,5,0,2\n2,7,2,0\n", "r0 r1 r2\nr0 0 5 7\nr1 5 0 2\nr2 7 2 0\n",
          "r0;r1;r2\n0;5;7\n5;0;2\n7;2;0\n", ",r0,r1\n0,0,5\n1,7,0\n", "0 1 2\n0 0 5 7\n1 5 0 2\n2 7 2 0\n",
          "a,b,c,d,e\n0,1,1,1,1\n1,0,1,1,1\n1,1,0,1,1\n1,1,1,0,1\n1,1,1,1,0\n"}) {
        EXPECT_EQ(recognised(text), "dense-matrix") << text;
    }
}

TEST(LabelledMatrix, labels_that_may_be_messages_are_asked_for) {
    for (const char* text : {"0,1,2\n0,5,7\n5,0,2\n7,2,0\n", "0,0,5\n1,7,0\n", "a b c\n0 5 7\n5 0 2\n7 2 0\n"}) {
        EXPECT_EQ(recognised(text), "w: the format is ambiguous: it may be edge-list or dense-matrix") << text;
    }
}

// ---- QAPLIB ---------------------------------------------------------------------------------------------------------

TEST(QaplibReader, the_matrix_that_is_no_grid_is_the_flow) {
    const Triples flow = {{0, 1, 3}, {1, 0, 3}, {2, 0, 9}};
    const std::string line_of_three = "0 1 2 1 0 1 2 1 0\n";
    EXPECT_EQ(triples(parse("3\n" + line_of_three + "0 3 0\n3 0 0\n9 0 0\n")), flow);
    EXPECT_EQ(triples(parse(" 3 \n\n0 3 0 3\n0\n0 9 0 0\n" + line_of_three)), flow) << "any layout";
}

TEST(QaplibReader, every_factorisation_counts_as_a_grid) {
    const std::string flow = "0 0 0 0 0 9 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n";
    for (const auto& [rows, columns] : {std::pair{1, 6}, {2, 3}, {3, 2}, {6, 1}}) {
        std::string distances;
        for (int i = 0; i < rows * columns; ++i) {
            for (int j = 0; j < rows * columns; ++j) {
                distances +=
                    std::to_string(std::abs(i / columns - j / columns) + std::abs(i % columns - j % columns)) + " ";
            }
        }
        EXPECT_EQ(triples(parse("6\n" + distances + "\n" + flow)), (Triples{{0, 5, 9}})) << rows << " x " << columns;
        distances[distances.size() - 4] = '2';
        EXPECT_GT(triples(parse("6\n" + distances + "\n" + flow)).size(), 20U) << "one wrong distance: no grid";
    }
}

TEST(QaplibReader, the_first_matrix_is_the_flow_where_both_or_none_are_grids) {
    EXPECT_EQ(triples(parse("2\n0 1 1 0\n0 1 1 0\n")), (Triples{{0, 1, 1}, {1, 0, 1}}));
    EXPECT_EQ(triples(parse("2\n0 3 4 0\n0 2 2 0\n")), (Triples{{0, 1, 3}, {1, 0, 4}}));
    EXPECT_EQ(triples(parse("2\n0 1 1 0\n0 2 2 0\n")), (Triples{{0, 1, 2}, {1, 0, 2}}));
    EXPECT_EQ(triples(parse("4\n0 1 2 1 1 0 1 2 2 1 0 1 1 2 1 0\n0 7 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n")).size(), 12U)
        << "a ring is no grid";
}

// ---- recognition ----------------------------------------------------------------------------------------------------

TEST(WorkloadFormats, are_recognised_by_content) {
    EXPECT_EQ(recognised(" \n{\"schema\": \"haichi-workload/1\", \"ranks\": 1, \"sets\": []}"), "json");
    EXPECT_EQ(recognised("%%MatrixMarket matrix coordinate integer general\n3 3 0\n"), "matrix-market");
    EXPECT_EQ(recognised("2\n0 1 1 0\n0 2 2 0\n"), "qaplib");
    EXPECT_EQ(recognised("1\n0\n0\n"), "qaplib");
    EXPECT_EQ(recognised("0 1 5\n"), "edge-list");
    EXPECT_EQ(recognised("0 1 5 0\n"), "edge-list");
    EXPECT_EQ(recognised("0 5\n5 0\n"), "dense-matrix");
    EXPECT_EQ(recognised("0 1 2 3 4\n0 1 2 3 4\n0 1 2 3 4\n0 1 2 3 4\n0 1 2 3 4\n"), "dense-matrix");
}

TEST(WorkloadFormats, three_lines_of_three_numbers_are_a_matrix_when_the_diagonal_is_zero) {
    EXPECT_EQ(recognised("0 1 5\n1 0 7\n2 3 0\n"), "dense-matrix");
    EXPECT_EQ(recognised("0,1,5\n1,0.0,7\n2,3,0e3\n"), "dense-matrix");
    EXPECT_EQ(recognised("0 1 5 1\n1 0 7 1\n2 3 0 1\n1 1 1 0"), "dense-matrix");
    EXPECT_EQ(recognised("# three messages\n0 1 5\n1 0 7\n2 3 1\n"),
              "w: the format is ambiguous: it may be edge-list or dense-matrix");
    EXPECT_EQ(recognised("0 1 5 1\n1 0 7 1\n2 3 1 1\n1 1 1 0"),
              "w: the format is ambiguous: it may be edge-list or dense-matrix");
}

TEST(WorkloadFormats, anything_that_no_matrix_has_makes_it_an_edge_list) {
    EXPECT_EQ(recognised("0 1 5\n1 0 7\n"), "edge-list") << "two lines";
    EXPECT_EQ(recognised("0 1 5\n1 0 7\n2 3 0\n0 0 0\n"), "edge-list") << "four lines";
    EXPECT_EQ(recognised("0 1 5 0\n1 0 7 0\n2 3 0 0\n"), "edge-list") << "three lines of four";
    EXPECT_EQ(recognised("from to bytes\n0 1 5\n1 0 7\n2 3 0\n"), "edge-list") << "a header";
    EXPECT_EQ(recognised("# ranks 9\n0 1 5\n1 0 7\n2 3 0\n"), "edge-list") << "a number of ranks";
}

TEST(WorkloadFormats, a_named_format_goes_before_the_content) {
    const std::string text = "0 1 5\n1 0 7\n2 3 1\n";
    EXPECT_EQ(parse(text, "edge-list").rank_count(), 4);
    EXPECT_EQ(parse(text, "dense-matrix").rank_count(), 3);
    EXPECT_EQ(parse("5", "dense-matrix").rank_count(), 1);
    EXPECT_EQ(parse("1 0 0", "qaplib").rank_count(), 1);
    EXPECT_THROW(parse(text, "json"), InputError);
    EXPECT_THROW(parse(text, "matrix-market"), InputError);
}

TEST(WorkloadFormats, an_unknown_name_gets_the_nearest) {
    try {
        read_workload("/nonexistent", "edgelist");
        FAIL();
    } catch (const OptionError& error) {
        EXPECT_EQ(std::string(error.what()), "unknown workload format 'edgelist'");
        EXPECT_EQ(error.hint(), "did you mean 'edge-list'?");
    }
}

TEST(WorkloadFormats, a_text_of_more_than_a_mebibyte_reads_the_same_from_a_file_and_from_memory) {
    // The prefix for recognition ends in the middle of a line, which must not look like the end of the text.
    std::string comments(std::size_t{1} << 20, '#');
    comments.resize(comments.size() - 9);
    comments.back() = '\n';
    const std::string text = comments + "0 1 5\n1 0 7\n2 3 1\n";
    for (const std::string& whole : {text, text + std::string(5, '\n')}) {
        const testing_files::TemporaryFolder folder;
        EXPECT_EQ(read_workload(folder.written("w", whole)).rank_count(), 4);
        EXPECT_EQ(parse(whole).rank_count(), 4);
    }
}

TEST(WorkloadFormats, names_and_descriptions_are_there_and_different) {
    std::vector<std::string> names;
    for (const WorkloadFormat& format : workload_formats()) {
        EXPECT_FALSE(format.sentence.empty());
        EXPECT_EQ(&workload_format(format.name), &format);
        names.push_back(format.name);
    }
    std::ranges::sort(names);
    EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
}

}  // namespace
}  // namespace haichi
