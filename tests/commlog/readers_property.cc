#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/errors.h"
#include "commlog/readers/readers.h"
#include "commlog/workload/workload_json.h"

namespace haichi {
namespace {

/// A matrix as a list of entries, row by row.
struct Matrix {
    int size = 1;
    std::vector<std::int64_t> entries;

    std::int64_t& at(int i, int j) { return entries[static_cast<std::size_t>(i * size + j)]; }
    [[nodiscard]] std::int64_t at(int i, int j) const { return entries[static_cast<std::size_t>(i * size + j)]; }
};

Matrix any_matrix() {
    Matrix matrix;
    matrix.size = *rc::gen::inRange(1, 12);
    const auto entry = rc::gen::weightedOneOf<std::int64_t>(
        {{2, rc::gen::just<std::int64_t>(0)}, {1, rc::gen::inRange<std::int64_t>(0, kLargestMessageBytes + 1)}});
    matrix.entries = *rc::gen::container<std::vector<std::int64_t>>(
        static_cast<std::size_t>(matrix.size) * static_cast<std::size_t>(matrix.size), entry);
    return matrix;
}

/// Returns messages row by row or, if transposed, column by column. Entries of 0 are not messages.
std::vector<Message> messages_of(const Matrix& matrix, bool by_columns = false) {
    std::vector<Message> messages;
    for (int i = 0; i < matrix.size; ++i) {
        for (int j = 0; j < matrix.size; ++j) {
            const int row = by_columns ? j : i;
            const int column = by_columns ? i : j;
            if (matrix.at(row, column) != 0) messages.push_back({RankId(row), RankId(column), matrix.at(row, column)});
        }
    }
    return messages;
}

std::string any_separator() {
    return *rc::gen::elementOf(std::vector<std::string>{" ", "\t", ",", ";", "  ", " , ", ", "});
}

/// Formats the number as a whole number or as a real number.
std::string number(std::int64_t value) {
    switch (*rc::gen::inRange(0, 4)) {
        case 0:
            return std::to_string(value) + ".0";
        case 1:
            return std::to_string(value) + "0e-1";
        default:
            return std::to_string(value);
    }
}

void check_workload(const Workload& workload, int ranks, const std::vector<Message>& messages) {
    RC_ASSERT(workload.rank_count() == ranks);
    RC_ASSERT(workload.iterations() == 1);
    RC_ASSERT(std::ranges::equal(workload.messages(), messages));
}

TEST(WorkloadReadersProperty, a_written_edge_list_reads_back_equal) {
    EXPECT_TRUE(rc::check([] {
        const int ranks = *rc::gen::inRange(1, 1000);
        const int sets = *rc::gen::inRange(0, 4);  // 0: no column for it
        const int count = *rc::gen::inRange(0, 30);
        const std::string separator = any_separator();
        std::string text = "# ranks " + std::to_string(ranks) + "\n";
        std::vector<std::vector<Message>> of_set(static_cast<std::size_t>(std::max(sets, 1)));
        int used_sets = 0;
        for (int i = 0; i < count; ++i) {
            const RankId source(*rc::gen::inRange(0, ranks));
            const RankId destination(*rc::gen::inRange(0, ranks));
            const auto size_bytes = *rc::gen::inRange<std::int64_t>(0, kLargestMessageBytes + 1);
            const int set = sets == 0 ? 0 : *rc::gen::inRange(0, sets);
            of_set[static_cast<std::size_t>(set)].push_back({source, destination, size_bytes});
            used_sets = std::max(used_sets, set + 1);
            text += number(source.value) + separator;
            text += number(destination.value) + separator;
            text += number(size_bytes);
            if (sets > 0) text += separator + std::to_string(set);
            text += *rc::gen::elementOf(std::vector<std::string>{"\n", "\r\n", " # and so on\n", "\n\n"});
        }
        const Workload workload = parse_workload(text, "w");
        RC_ASSERT(workload.rank_count() == ranks);
        RC_ASSERT(workload.set_count() == static_cast<std::size_t>(std::max(used_sets, 1)));
        for (std::size_t t = 0; t < workload.set_count(); ++t) {
            RC_ASSERT(std::ranges::equal(workload.messages(t), of_set[t]));
        }
    }));
}

TEST(WorkloadReadersProperty, a_written_dense_matrix_reads_back_equal) {
    EXPECT_TRUE(rc::check([] {
        const Matrix matrix = any_matrix();
        const std::string separator = any_separator();
        std::string text;
        for (int i = 0; i < matrix.size; ++i) {
            for (int j = 0; j < matrix.size; ++j) text += (j == 0 ? "" : separator) + number(matrix.at(i, j));
            text += '\n';
        }
        check_workload(parse_workload(text, "w", "dense-matrix"), matrix.size, messages_of(matrix));
        if (matrix.size == 2 || matrix.size > 4)
            check_workload(parse_workload(text, "w"), matrix.size, messages_of(matrix));
    }));
}

TEST(WorkloadReadersProperty, a_written_matrix_market_file_reads_back_equal) {
    EXPECT_TRUE(rc::check([] {
        Matrix matrix = any_matrix();
        const bool symmetric = *rc::gen::arbitrary<bool>();
        if (symmetric) {
            for (int i = 0; i < matrix.size; ++i) {
                for (int j = 0; j < i; ++j) matrix.at(j, i) = matrix.at(i, j);
            }
        }
        const std::string size = std::to_string(matrix.size);
        const std::string kind = symmetric ? " real symmetric\n" : " real general\n";
        std::string array = "%%MatrixMarket matrix array" + kind + size + " " + size + "\n";
        std::string entries;
        int count = 0;
        for (int j = 0; j < matrix.size; ++j) {
            for (int i = symmetric ? j : 0; i < matrix.size; ++i) {
                array += number(matrix.at(i, j)) + "\n";
                if (matrix.at(i, j) == 0) continue;
                entries += std::to_string(i + 1) + " " + std::to_string(j + 1) + " " + number(matrix.at(i, j)) + "\n";
                ++count;
            }
        }
        const std::string coordinates = "%%MatrixMarket matrix coordinate" + kind + "% comment\n" + size + " " + size +
                                        " " + std::to_string(count) + "\n" + entries;
        for (const std::string& text : {array, coordinates}) {
            const Workload workload = parse_workload(text, "w");
            if (!symmetric) check_workload(workload, matrix.size, messages_of(matrix, true));
            RC_ASSERT(workload.messages().size() == messages_of(matrix).size());
            Matrix rebuilt{matrix.size, std::vector<std::int64_t>(matrix.entries.size())};
            for (const Message& m : workload.messages())
                rebuilt.at(m.source.value, m.destination.value) += m.size_bytes;
            RC_ASSERT(rebuilt.entries == matrix.entries);
        }
    }));
}

TEST(WorkloadReadersProperty, a_written_qaplib_instance_gives_its_flow_back) {
    EXPECT_TRUE(rc::check([] {
        Matrix flow = any_matrix();
        flow.at(0, 0) = 5;  // a grid has no such entry
        const std::vector<int> divisors = [&] {
            std::vector<int> result;
            for (int c = 1; c <= flow.size; ++c) {
                if (flow.size % c == 0) result.push_back(c);
            }
            return result;
        }();
        const int columns = *rc::gen::elementOf(divisors);
        const auto separator = [] {
            return *rc::gen::elementOf(std::vector<std::string>{" ", "\n", "\n\n", "\t", " \n "});
        };
        std::string of_flow;
        std::string of_grid;
        for (int i = 0; i < flow.size; ++i) {
            for (int j = 0; j < flow.size; ++j) {
                of_flow += separator() + std::to_string(flow.at(i, j));
                of_grid += separator() +
                           std::to_string(std::abs(i / columns - j / columns) + std::abs(i % columns - j % columns));
            }
        }
        const bool flow_first = *rc::gen::arbitrary<bool>();
        const std::string text =
            std::to_string(flow.size) + "\n" + (flow_first ? of_flow + of_grid : of_grid + of_flow) + "\n";
        check_workload(parse_workload(text, "w"), flow.size, messages_of(flow));
    }));
}

TEST(WorkloadReadersProperty, damaged_texts_are_read_or_refused_but_never_crash) {
    const std::vector<std::string> texts = {
        "# ranks 9\nsource,destination,bytes,set\n0,1,5,0\n8,2,1.5e3,2\n7,7,0,1\n",
        "0 1 2 3 4\n5 6 7 8 9\n0 0 0 0 0\n1 1 1 1 1\n281474976710656 0 0 0 0\n",
        "%%MatrixMarket matrix coordinate real symmetric\n% c\n4 4 3\n2 1 5\n4 1 6e2\n3 3 7\n",
        "%%MatrixMarket matrix array integer general\n2 2\n1\n2\n3\n4\n",
        "3\n\n0 1 2\n1 0 1\n2 1 0\n\n0 5 6\n7 0 8\n9 3 0\n",
    };
    EXPECT_TRUE(rc::check([&] {
        std::string text = *rc::gen::elementOf(texts);
        const int damages = *rc::gen::inRange(1, 5);
        for (int i = 0; i < damages; ++i) {
            const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
            if (*rc::gen::arbitrary<bool>()) {
                text[at] = *rc::gen::arbitrary<char>();
            } else {
                text.insert(at, 1, *rc::gen::elementOf(std::string("0123456789 \n,;#%.-+eE")));
            }
        }
        std::vector<std::string> formats = {""};
        for (const WorkloadFormat& format : workload_formats()) formats.push_back(format.name);
        for (const std::string& format : formats) {
            try {
                const Workload workload = parse_workload(text, "w", format);
                RC_ASSERT(workload.rank_count() >= 1);
            } catch (const InputError& error) {
                RC_ASSERT(std::string(error.what()).starts_with("w:"));
            }
        }
    }));
}

}  // namespace
}  // namespace haichi
