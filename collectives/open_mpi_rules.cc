// Reads files of Open MPI's parameter coll_tuned_dynamic_rules_filename.
#include <algorithm>
#include <array>
#include <cctype>
#include <limits>

#include "base/errors.h"
#include "base/quantity.h"
#include "collectives/selection_text.h"

namespace haichi::collectives {

namespace {

// In the order of Open MPI's numbers.
constexpr std::array kOperations = {
    CollectiveKind::kAllgather,
    CollectiveKind::kAllgatherv,
    CollectiveKind::kAllreduce,
    CollectiveKind::kAlltoall,
    CollectiveKind::kAlltoallv,
    CollectiveKind::kAlltoallw,
    CollectiveKind::kBarrier,
    CollectiveKind::kBroadcast,
    CollectiveKind::kExscan,
    CollectiveKind::kGather,
    CollectiveKind::kGatherv,
    CollectiveKind::kReduce,
    CollectiveKind::kReduceScatter,
    CollectiveKind::kReduceScatterBlock,
    CollectiveKind::kScan,
    CollectiveKind::kScatter,
    CollectiveKind::kScatterv,
    CollectiveKind::kNeighborAllgather,
    CollectiveKind::kNeighborAllgatherv,
    CollectiveKind::kNeighborAlltoall,
    CollectiveKind::kNeighborAlltoallv,
    CollectiveKind::kNeighborAlltoallw,
};
static_assert(kOperations.size() == kCollectives);

/// True if the sizes in the file are totals over all blocks.
bool goes_by_total(CollectiveKind collective) {
    switch (collective) {
        case CollectiveKind::kAllgather:
        case CollectiveKind::kAlltoall:
        case CollectiveKind::kGather:
        case CollectiveKind::kScatter:
        case CollectiveKind::kReduceScatterBlock:
            return true;
        default:
            return false;
    }
}

/// Reads the whole numbers of a text and tracks their lines. '#' begins a comment.
class Numbers {
  public:
    Numbers(std::string_view text, std::string file) : text_(text), place_{std::move(file), 1} {}

    std::int64_t next(const char* what, std::int64_t largest) {
        skip_blanks();
        if (text_.empty()) throw InputError(place_, std::string("expected ") + what + ", found the end of the file");
        const auto end = std::ranges::find_if(text_, [](unsigned char c) { return std::isspace(c) != 0 || c == '#'; });
        const std::string_view word(text_.begin(), end);
        try {
            const std::int64_t value = parse_count(word, largest, place_);
            text_.remove_prefix(word.size());
            return value;
        } catch (const InputError&) {
            throw InputError(place_, std::string("expected ") + what + " (whole number up to " +
                                         std::to_string(largest) + "), found " + shown(word));
        }
    }
    [[nodiscard]] const SourcePlace& place() const { return place_; }

  private:
    void skip_blanks() {
        while (!text_.empty()) {
            const auto c = static_cast<unsigned char>(text_.front());
            if (c == '#') {
                text_.remove_prefix(std::min(text_.find('\n'), text_.size()));
                continue;
            }
            if (std::isspace(c) == 0) return;
            if (c == '\n') ++place_.line;
            text_.remove_prefix(1);
        }
    }

    std::string_view text_;
    SourcePlace place_;
};

constexpr std::int64_t kMany = std::numeric_limits<std::int32_t>::max();

/// Reads one entry "communicator size, number of sizes" with its sizes.
SelectionLine read_line(Numbers& numbers, CollectiveKind collective) {
    SelectionLine line;
    line.by_total = goes_by_total(collective);
    line.conditions.least_members = numbers.next("a communicator size", kMany);
    const std::int64_t sizes = numbers.next("a number of message sizes", kMany);
    for (std::int64_t i = 0; i < sizes; ++i) {
        const std::int64_t size = numbers.next("a message size", std::numeric_limits<std::int64_t>::max());
        if (i == 0 && size != 0) {
            throw InputError(numbers.place(), "expected 0 as the first message size, found " + std::to_string(size));
        }
        if (i > 0) line.choices.back().most_bytes = size - 1;
        const std::int64_t number = numbers.next("an algorithm number", kMany);
        SelectionChoice choice;
        if (number != 0) {
            const auto row =
                std::ranges::find(algorithms(collective), static_cast<int>(number), &AlgorithmRow::open_mpi);
            if (row == algorithms(collective).end()) {
                throw InputError(numbers.place(), "unknown algorithm " + std::to_string(number) + " for " +
                                                      std::string(name_of(collective)));
            }
            choice.row = &*row;
        }
        choice.tuning.fanout = static_cast<int>(numbers.next("a fan-out", kMany));
        choice.tuning.segment_bytes = numbers.next("a segment size", kMany);
        line.choices.push_back(choice);
    }
    return line;
}

}  // namespace

bool looks_like_open_mpi_rules(std::string_view text) {
    while (true) {
        const std::size_t begin = text.find_first_not_of(" \t\r\n");
        if (begin == std::string_view::npos) return false;
        text.remove_prefix(begin);
        if (text.front() != '#') return std::isdigit(static_cast<unsigned char>(text.front())) != 0;
        text.remove_prefix(std::min(text.find('\n'), text.size()));
    }
}

SelectionLines read_open_mpi_rules(std::string_view text, const std::string& file) {
    Numbers numbers(text, file);
    SelectionLines lines;
    const std::int64_t operations = numbers.next("the number of operations", kCollectives);
    for (std::int64_t i = 0; i < operations; ++i) {
        const auto id = static_cast<std::size_t>(numbers.next("an operation number", kCollectives - 1));
        const CollectiveKind collective = kOperations[id];
        std::vector<SelectionLine>& own = lines[static_cast<std::size_t>(collective)];
        const std::int64_t sizes = numbers.next("a number of communicator sizes", kMany);
        for (std::int64_t k = 0; k < sizes; ++k) {
            SelectionLine line = read_line(numbers, collective);
            // The rule with the largest size that does not exceed the communicator's size applies.
            if (!own.empty()) own.back().conditions.most_members = line.conditions.least_members - 1;
            own.push_back(std::move(line));
        }
    }
    return lines;
}

}  // namespace haichi::collectives
