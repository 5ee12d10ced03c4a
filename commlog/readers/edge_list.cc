#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <vector>

#include "base/quantity.h"
#include "commlog/readers/formats.h"
#include "commlog/readers/text_rows.h"
#include "commlog/readers/text_shape.h"
#include "commlog/workload/message_collector.h"

namespace haichi {

namespace {

constexpr std::size_t kColumnCount = 4;
constexpr std::array<const char*, kColumnCount> kColumns = {"source", "destination", "bytes", "set"};

/// Names of the columns in the header of an edge list. Columns may have other names, but one of these names in another
/// column means that the columns are in a different order.
struct ColumnName {
    const char* name;
    std::size_t column;
};
constexpr std::array kColumnNames = std::to_array<ColumnName>({
    {"source", 0},
    {"src", 0},
    {"from", 0},
    {"sender", 0},
    {"row", 0},
    {"destination", 1},
    {"dest", 1},
    {"dst", 1},
    {"to", 1},
    {"target", 1},
    {"receiver", 1},
    {"column", 1},
    {"col", 1},
    {"bytes", 2},
    {"size", 2},
    {"weight", 2},
    {"volume", 2},
    {"set", 3},
});

/// Maximum number of sets without messages. Set numbers come from the file, so without a limit a small file with one
/// large number could fill the memory.
constexpr std::int64_t kMostEmptySets = 1024;

class EdgeListReader {
  public:
    explicit EdgeListReader(TextStream* stream) : rows_(stream) {
        rows_.on_comment([this](std::string_view comment) { read_comment(comment); });
    }

    Workload read() {
        bool may_be_header = true;
        while (rows_.next_row()) {
            // There is a field, because a row has at least one.
            (void)rows_.next_field();
            if (may_be_header && !is_decimal_number(rows_.field())) {
                read_header();
            } else {
                read_message();
            }
            may_be_header = false;
        }
        if (messages_.size() == 0 && !ranks_known_) {
            rows_.fail("the file has neither messages nor a number of ranks",
                       "state the number of ranks in a comment: # ranks N");
        }
        return take();
    }

  private:
    void read_comment(std::string_view comment) {
        const std::string_view number = ranks_in_comment(comment);
        if (number.empty()) return;
        const std::int64_t ranks = parse_count(number, kMostRanks, rows_.place());
        if (ranks < 1) rows_.fail("the number of ranks '0' is outside 1.." + std::to_string(kMostRanks));
        if (ranks_known_) rows_.fail("duplicate number of ranks");
        if (messages_.size() > 0) rows_.fail("the comment '# ranks N' must precede the messages");
        ranks_known_ = true;
        ranks_ = ranks;
    }

    void read_header() {
        std::size_t column = 0;
        do {
            std::string name(rows_.field());
            std::erase(name, '"');
            std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
            const auto* known = std::ranges::find(kColumnNames, std::string_view(name), &ColumnName::name);
            if (column >= kColumnCount || is_decimal_number(rows_.field())) {
                rows_.fail("expected source, destination, bytes and an optional set number (or a header line), found " +
                           shown(rows_.field()) + " in column " + std::to_string(column + 1));
            }
            if (known != kColumnNames.end() && known->column != column) {
                rows_.fail("expected the " + std::string(kColumns[column]) + " in column " +
                               std::to_string(column + 1) + ", found " + shown(rows_.field()),
                           "write the columns source, destination, bytes and optionally set in this order");
            }
            ++column;
        } while (rows_.next_field());
        if (column < 3) rows_.fail("expected a header of 3 or more columns, found " + std::to_string(column));
        columns_ = column;
    }

    [[nodiscard]] RankId rank(const char* end) {
        const std::int64_t value = rows_.whole_number(end, 0, (ranks_known_ ? ranks_ : kMostRanks) - 1);
        if (!ranks_known_) ranks_ = std::max(ranks_, value + 1);
        return RankId(static_cast<std::int32_t>(value));
    }

    void read_message() {
        Message message;
        std::size_t column = 0;
        do {
            switch (column) {
                case 0:
                    message.source = rank("source rank");
                    break;
                case 1:
                    message.destination = rank("destination rank");
                    break;
                case 2:
                    message.size_bytes = rows_.size_bytes();
                    break;
                case 3:
                    if (columns_ == 3) fail_columns("a fourth");
                    add_set_number(rows_.whole_number("set number", 0, kMostSets - 1));
                    break;
                default:
                    fail_columns("a fifth");
            }
            ++column;
        } while (rows_.next_field());
        if (columns_ == 0 && column >= 3) columns_ = column;
        if (column != columns_) {
            rows_.fail("expected " +
                       (columns_ == 0 ? "source, destination and bytes"
                                      : std::to_string(columns_) + " fields as in the first line") +
                       ", found only " + std::to_string(column) + (column == 1 ? " field" : " fields"));
        }
        if (const auto problem = messages_.add(message)) rows_.fail(*problem);
    }

    [[noreturn]] void fail_columns(const char* nth) {
        rows_.fail("found " + std::string(nth) + " field " + shown(rows_.field()) +
                       (columns_ == 0 ? "" : ", but the first line has " + std::to_string(columns_)),
                   "write source, destination, bytes and optionally a set number in each line");
    }

    void add_set_number(std::int64_t set) {
        in_order_ = in_order_ && (set_of_message_.empty() || static_cast<std::int64_t>(set_of_message_.back()) <= set);
        set_of_message_.push_back(static_cast<std::uint32_t>(set));
        if (set < set_count_) return;
        set_count_ = set + 1;
        highest_set_line_ = rows_.place().line;
    }

    Workload take() {
        std::vector<Message> messages = messages_.take();
        const auto ranks = static_cast<std::int32_t>(ranks_);
        if (set_of_message_.empty()) {
            std::vector<Workload::Set> sets = {{"edge list", 0, 0, messages.size()}};
            return {ranks, 1, std::move(sets), std::move(messages)};
        }
        const auto most_sets = static_cast<std::int64_t>(messages.size()) + kMostEmptySets;
        if (set_count_ > most_sets) {
            throw InputError({rows_.place().file, highest_set_line_},
                             "the set number " + std::to_string(set_count_ - 1) + " leaves more than " +
                                 std::to_string(kMostEmptySets) + " sets without messages",
                             "number the sets from 0");
        }
        std::vector<Workload::Set> sets(static_cast<std::size_t>(set_count_));
        for (const std::uint32_t set : set_of_message_) ++sets[set].end;
        for (std::size_t t = 0, first = 0; t < sets.size(); ++t) {
            sets[t].label = "set " + std::to_string(t + 1);
            sets[t].first = first;
            first = sets[t].end += first;
        }
        if (!in_order_) messages = grouped(messages, sets);
        set_of_message_ = {};
        return {ranks, 1, std::move(sets), std::move(messages)};
    }

    /// Returns the messages sorted by set; the messages of a set stay in the order of the file.
    [[nodiscard]] std::vector<Message> grouped(const std::vector<Message>& messages,
                                               const std::vector<Workload::Set>& sets) const {
        std::vector<std::size_t> next(sets.size());
        std::ranges::transform(sets, next.begin(), &Workload::Set::first);
        std::vector<Message> result(messages.size());
        for (std::size_t i = 0; i < messages.size(); ++i) result[next[set_of_message_[i]]++] = messages[i];
        return result;
    }

    TextRows rows_;
    bool ranks_known_ = false;
    std::int64_t ranks_ = 0;   ///< the number that the file states, or 1 + the highest rank so far
    std::size_t columns_ = 0;  ///< number of columns, equal in all lines; 0 if not known yet
    std::int64_t set_count_ = 0;
    std::size_t highest_set_line_ = 0;
    bool in_order_ = true;                       ///< true if set numbers have never decreased
    std::vector<std::uint32_t> set_of_message_;  ///< empty if there is no fourth column
    MessageCollector messages_;
};

bool recognise_edge_list(const TextShape& shape) {
    if (shape.states_ranks) return true;
    if (shape.rows.empty() || shape.metis == MetisEvidence::kCertain) return false;
    const TextShape::Row& first = shape.rows.front();
    if (first.field_count != 3 && first.field_count != 4) return false;
    const auto labels = matrix_labels(shape);
    if (labels && labels->is_certain) return false;
    if (first.is_numbers) return read_narrow_rows(shape) != NarrowRows::kDenseMatrix;
    // The first line is a header, unless the second line contradicts this.
    return !first.has_number &&
           (shape.rows.size() < 2 || (shape.rows[1].is_numbers && shape.rows[1].field_count == first.field_count));
}

}  // namespace

bool is_edge_list_column(std::string_view name) {
    std::string lower(name);
    std::erase(lower, '"');
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
    return std::ranges::find(kColumnNames, std::string_view(lower), &ColumnName::name) != kColumnNames.end();
}

WorkloadFormat edge_list_format() {
    return {"edge-list", "one message per line: source, destination, bytes, and optionally the number of its set",
            recognise_edge_list, [](TextStream& stream) { return EdgeListReader(&stream).read(); }};
}

}  // namespace haichi
