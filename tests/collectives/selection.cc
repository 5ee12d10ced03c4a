// Algorithm selection for a call: tables, user settings, rule files.
#include <gtest/gtest.h>

#include <fstream>

#include "base/errors.h"
#include "collectives/selection.h"

namespace haichi::collectives {
namespace {

const ItemType* ints() {
    static const ItemType kInt(4, 4);
    return &kInt;
}

/// Returns the algorithm for a call with `count` ints.
std::string chosen(const CollectiveSelection& selection, CollectiveKind collective, int members, std::int64_t count,
                   const Reduction* operation = nullptr) {
    CollectiveArguments arguments;
    arguments.collective = collective;
    arguments.send = {nullptr, count, ints()};
    arguments.receive = {nullptr, count, ints()};
    arguments.operation = operation;
    return selection.choose(arguments, 0, members).row->name;
}

const Reduction* sum() {
    static const Reduction kSum(true, false);
    return &kSum;
}

CollectiveSelection selection_of(const std::vector<std::string>& settings) {
    CollectiveSelection selection;
    for (const std::string& setting : settings) selection.set(setting);
    return selection;
}

template <class ErrorType>
void expect_error(const std::function<void()>& run, const std::string& message, const std::string& hint) {
    try {
        run();
        ADD_FAILURE() << "no error: " << message;
    } catch (const ErrorType& error) {
        EXPECT_EQ(error.what(), message);
        EXPECT_EQ(error.hint(), hint);
    }
}

TEST(Selection, mpich_is_the_default) {
    const CollectiveSelection selection;
    EXPECT_EQ(chosen(selection, CollectiveKind::kBroadcast, 16, 3072), "binomial");
    EXPECT_EQ(chosen(selection, CollectiveKind::kBroadcast, 16, 3073), "scatter-doubling");
    EXPECT_EQ(chosen(selection, CollectiveKind::kBroadcast, 17, 3073), "scatter-ring");
    EXPECT_EQ(chosen(selection, CollectiveKind::kBroadcast, 7, 1 << 20), "binomial");
    EXPECT_EQ(chosen(selection, CollectiveKind::kAllreduce, 16, 2, sum()), "recursive-doubling");
    EXPECT_EQ(chosen(selection, CollectiveKind::kAllreduce, 16, 15, sum()), "recursive-doubling");
    EXPECT_EQ(chosen(selection, CollectiveKind::kAllreduce, 16, 16, sum()), "rabenseifner");
    EXPECT_EQ(chosen(selection, CollectiveKind::kAlltoall, 8, 64), "scattered");
    EXPECT_EQ(chosen(selection, CollectiveKind::kAlltoall, 9, 64), "bruck");
    EXPECT_EQ(chosen(selection, CollectiveKind::kAlltoall, 9, 65), "scattered");
    EXPECT_EQ(chosen(selection, CollectiveKind::kAllgather, 5, 4095), "bruck");
    EXPECT_EQ(chosen(selection, CollectiveKind::kAllgather, 5, 4096), "ring");
}

TEST(Selection, operations_of_the_program_and_ordered_ones_have_algorithms_that_suit_them) {
    const Reduction ordered(false, true);
    const Reduction commuting(true, true);
    const CollectiveSelection mpich;
    EXPECT_EQ(chosen(mpich, CollectiveKind::kAllreduce, 16, 1000, &commuting), "recursive-doubling");
    const CollectiveSelection open_mpi = selection_of({"openmpi"});
    EXPECT_EQ(chosen(open_mpi, CollectiveKind::kAllreduce, 8, 262143, &ordered), "recursive-doubling");
    EXPECT_EQ(chosen(open_mpi, CollectiveKind::kAllreduce, 8, 262144, &ordered), "reduce-broadcast");
    EXPECT_EQ(chosen(open_mpi, CollectiveKind::kAllreduce, 8, 262144, &commuting), "rabenseifner-halves");
    // A requested algorithm that would change the order of operands is not used.
    const CollectiveSelection ring = selection_of({"allreduce=ring"});
    EXPECT_EQ(chosen(ring, CollectiveKind::kAllreduce, 8, 1000, &commuting), "ring");
    EXPECT_EQ(chosen(ring, CollectiveKind::kAllreduce, 8, 1000, &ordered), "recursive-doubling");
}

TEST(Selection, open_mpi_sizes_are_limits_that_do_not_belong) {
    const CollectiveSelection selection = selection_of({"openmpi"});
    EXPECT_EQ(chosen(selection, CollectiveKind::kBarrier, 8, 0), "recursive-doubling");
    EXPECT_EQ(chosen(selection, CollectiveKind::kBarrier, 64, 0), "dissemination");
    EXPECT_EQ(chosen(selection, CollectiveKind::kAllreduce, 8, 2047, sum()), "recursive-doubling");
    EXPECT_EQ(chosen(selection, CollectiveKind::kAllreduce, 8, 2048, sum()), "rabenseifner-halves");
    EXPECT_EQ(chosen(selection, CollectiveKind::kAlltoall, 2, 1), "pairwise-shift");
    EXPECT_EQ(chosen(selection, CollectiveKind::kAllgather, 2, 1), "two-members");
}

TEST(Selection, every_line_of_the_tables_names_algorithms_that_exist_and_ends_without_a_size) {
    for (const SelectionTableRow& table : selection_tables()) {
        const CollectiveSelection selection = selection_of({table.name});
        for (int i = 0; i < kCollectives; ++i) {
            const std::vector<SelectionLine>& lines = selection.lines(static_cast<CollectiveKind>(i));
            ASSERT_FALSE(lines.empty()) << table.name << ' ' << name_of(static_cast<CollectiveKind>(i));
            for (const SelectionLine& line : lines) EXPECT_EQ(line.choices.back().most_bytes, INT64_MAX);
        }
    }
}

TEST(Selection, what_is_set_later_comes_first) {
    const CollectiveSelection selection = selection_of({"openmpi", "bcast=pipeline:64KiB", "reduce=chain(fanout=2)"});
    EXPECT_EQ(chosen(selection, CollectiveKind::kBroadcast, 8, 10), "pipeline");
    EXPECT_EQ(selection.lines(CollectiveKind::kBroadcast)[0].choices[0].tuning.segment_bytes, 65536);
    EXPECT_EQ(selection.lines(CollectiveKind::kReduce)[0].choices[0].tuning.fanout, 2);
    EXPECT_EQ(chosen(selection, CollectiveKind::kBarrier, 64, 0), "dissemination");
    CollectiveArguments blocks;
    const std::vector<int> equal = {2, 2, 2, 2};
    const std::vector<int> unequal = {2, 2, 1, 2};
    blocks.collective = CollectiveKind::kReduceScatter;
    blocks.receive.type = ints();
    blocks.operation = sum();
    const CollectiveSelection butterfly = selection_of({"reduce_scatter=permuted-butterfly"});
    blocks.receive_counts = Counts(equal.data());
    EXPECT_EQ(butterfly.choose(blocks, 0, 4).row->name, "permuted-butterfly");
    EXPECT_EQ(butterfly.choose(blocks, 0, 3).row->name, "recursive-halving");
    blocks.receive_counts = Counts(unequal.data());
    EXPECT_EQ(butterfly.choose(blocks, 0, 4).row->name, "recursive-halving");
    // The algorithm requires two members, so larger calls use the table.
    EXPECT_EQ(chosen(selection_of({"barrier=two-members"}), CollectiveKind::kBarrier, 3, 0), "dissemination");
    EXPECT_EQ(chosen(selection_of({"barrier=two-members"}), CollectiveKind::kBarrier, 2, 0), "two-members");
}

TEST(Selection, a_file_of_lines) {
    CollectiveSelection selection;
    selection.set_text(
        "# mine\n"
        "allreduce members<=4 commutes: ring<1KiB rabenseifner  # short\n"
        "\n"
        "allgather by-total: bruck<=1KiB ring\n",
        "mine.txt");
    EXPECT_EQ(chosen(selection, CollectiveKind::kAllreduce, 4, 255, sum()), "ring");
    EXPECT_EQ(chosen(selection, CollectiveKind::kAllreduce, 4, 256, sum()), "rabenseifner");
    EXPECT_EQ(chosen(selection, CollectiveKind::kAllreduce, 5, 2, sum()), "recursive-doubling");
    EXPECT_EQ(chosen(selection, CollectiveKind::kAllgather, 4, 64), "bruck");
    EXPECT_EQ(chosen(selection, CollectiveKind::kAllgather, 4, 65), "ring");
}

TEST(Selection, errors_of_a_file_name_the_line) {
    const auto text = [](const char* content) {
        return [content] { CollectiveSelection().set_text(content, "mine.txt"); };
    };
    expect_error<InputError>(text("\nallreduce: rin\n"), "mine.txt:2: unknown algorithm 'rin' for allreduce",
                             "did you mean 'ring'?");
    expect_error<InputError>(text("alreduce: ring\n"), "mine.txt:1: unknown collective operation 'alreduce'",
                             "did you mean 'allreduce'?");
    expect_error<InputError>(text("allreduce order: ring\n"), "mine.txt:1: unknown condition 'order'",
                             "did you mean 'ordered'?");
    expect_error<InputError>(text("allreduce: ring linear\n"),
                             "mine.txt:1: 'ring': missing size; only the last algorithm has no size", "");
    expect_error<InputError>(text("allreduce: ring<8B linear<16B\n"),
                             "mine.txt:1: 'linear<16B': the last algorithm cannot have a size", "");
    expect_error<InputError>(text("allreduce: ring<8B linear<8B ring\n"), "mine.txt:1: 'linear<8B': sizes must ascend",
                             "");
    expect_error<InputError>(text("bcast: chain(fan=2)\n"), "mine.txt:1: unknown algorithm parameter 'fan'",
                             "parameters are segment=SIZE, fanout=N, requests=N");
}

TEST(Selection, a_file_of_rules_of_open_mpi) {
    CollectiveSelection selection;
    selection.set_text(
        "2 # operations\n"
        "7 # bcast\n"
        "2 # communicator sizes\n"
        "4 1\n"
        "0 1 0 0\n"
        "16 2\n"
        "0 6 0 0\n"
        "1024 3 0 512 # pipeline in segments\n"
        "3 # alltoall\n"
        "1\n"
        "0 2\n"
        "0 0 0 0\n"
        "8000 2 0 0\n",
        "rules.conf");
    EXPECT_EQ(chosen(selection, CollectiveKind::kBroadcast, 3, 10), "binomial");  // no rule: the table applies
    EXPECT_EQ(chosen(selection, CollectiveKind::kBroadcast, 15, 1000), "linear");
    EXPECT_EQ(chosen(selection, CollectiveKind::kBroadcast, 16, 255), "doubling-binomial");
    EXPECT_EQ(chosen(selection, CollectiveKind::kBroadcast, 99, 256), "pipeline");
    EXPECT_EQ(selection.lines(CollectiveKind::kBroadcast)[1].choices[1].tuning.segment_bytes, 512);
    // Sizes are the total of all blocks; algorithm 0 selects from the table.
    EXPECT_EQ(chosen(selection, CollectiveKind::kAlltoall, 10, 199), "scattered");
    EXPECT_EQ(chosen(selection, CollectiveKind::kAlltoall, 10, 200), "pairwise-shift");
}

TEST(Selection, errors_of_rules_name_the_line) {
    const auto text = [](const char* content) {
        return [content] { CollectiveSelection().set_text(content, "rules.conf"); };
    };
    expect_error<InputError>(text("1\n7\n1\n4 1\n0 77 0 0\n"), "rules.conf:5: unknown algorithm 77 for broadcast", "");
    expect_error<InputError>(text("1\n7\n1\n4 1\n8 1 0 0\n"),
                             "rules.conf:5: expected 0 as the first message size, found 8", "");
    expect_error<InputError>(text("1\n7\n1\n4 1\n0 1\n"), "rules.conf:6: expected a fan-out, found the end of the file",
                             "");
    expect_error<InputError>(text("1\n22\n"),
                             "rules.conf:2: expected an operation number (whole number up to 21), found '22'", "");
}

TEST(Selection, the_page_has_every_algorithm_in_the_row_of_its_operation) {
    std::ifstream file(HAICHI_COLLECTIVES_PAGE);
    ASSERT_TRUE(file) << HAICHI_COLLECTIVES_PAGE;
    std::string text;
    for (std::string line; std::getline(file, line);) text += line + '\n';
    for (int i = 0; i < kCollectives; ++i) {
        const auto collective = static_cast<CollectiveKind>(i);
        std::string row = "| `" + std::string(name_of(collective)) + "` | ";
        for (const AlgorithmRow& algorithm : algorithms(collective)) {
            if (!row.ends_with("| ")) row += ", ";
            row += "`" + algorithm.name + "`";
            if (algorithm.open_mpi != 0) row += " (" + std::to_string(algorithm.open_mpi) + ")";
        }
        EXPECT_NE(text.find(row + " |\n"), std::string::npos) << row;
    }
}

TEST(Selection, errors_of_an_option) {
    expect_error<OptionError>([] { selection_of({"mpch"}); },
                              "unknown collective table 'mpch'; expected mpich, openmpi, OPERATION=ALGORITHM or a file",
                              "did you mean 'mpich'?");
    expect_error<OptionError>([] { selection_of({"bcast=binomal"}); },
                              "bcast=binomal: unknown algorithm 'binomal' for broadcast", "did you mean 'binomial'?");
    expect_error<OptionError>([] { selection_of({"allreduce=ring,linear"}); },
                              "allreduce=ring,linear: missing size in 'ring': only the last algorithm has no size",
                              "write, for example, allreduce=recursive-doubling:2KiB,ring");
    expect_error<OptionError>([] { selection_of({"allreduce=ring:8B,linear:8B,ring"}); },
                              "allreduce=ring:8B,linear:8B,ring: sizes must ascend", "");
    expect_error<OptionError>([] { selection_of({"alreduce=ring"}); }, "unknown collective operation 'alreduce'",
                              "did you mean 'allreduce'?");
}

TEST(Selection, several_algorithms_by_size) {
    const CollectiveSelection selection =
        selection_of({"allreduce=recursive-doubling:2KiB,segmented-ring(segment=1KiB):8KiB,ring"});
    EXPECT_EQ(chosen(selection, CollectiveKind::kAllreduce, 16, 512, sum()), "recursive-doubling");
    EXPECT_EQ(chosen(selection, CollectiveKind::kAllreduce, 16, 513, sum()), "segmented-ring");
    EXPECT_EQ(selection.lines(CollectiveKind::kAllreduce)[0].choices[1].tuning.segment_bytes, 1024);
    EXPECT_EQ(chosen(selection, CollectiveKind::kAllreduce, 16, 2049, sum()), "ring");
}

TEST(Selection, the_text_of_a_selection_is_a_default_that_settings_come_before_and_tables_replace) {
    const std::string text = selection_of({"openmpi", "barrier=tree", "bcast=binary"}).text();
    EXPECT_EQ(text, "openmpi barrier=tree bcast=binary");
    EXPECT_EQ(CollectiveSelection().text(), "mpich");
    CollectiveSelection selection = selection_of({"bcast=linear"});
    selection.set_default(text);
    EXPECT_EQ(chosen(selection, CollectiveKind::kBroadcast, 8, 10), "linear");
    EXPECT_EQ(chosen(selection, CollectiveKind::kBarrier, 8, 0), "tree");
    EXPECT_EQ(chosen(selection, CollectiveKind::kAlltoall, 2, 1), "pairwise-shift");
    CollectiveSelection mpich = selection_of({"mpich"});
    mpich.set_default(text);
    EXPECT_EQ(chosen(mpich, CollectiveKind::kBarrier, 8, 0), "dissemination");
    selection.set_default("others");  // a table from a file, which the log does not contain
    EXPECT_EQ(chosen(selection, CollectiveKind::kBarrier, 8, 0), "dissemination");
}

}  // namespace
}  // namespace haichi::collectives
