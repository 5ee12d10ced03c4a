#include "collectives/selection.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "base/errors.h"
#include "base/quantity.h"
#include "base/split.h"
#include "collectives/pieces.h"
#include "collectives/selection_text.h"

namespace haichi::collectives {

namespace {

bool is_reduction(CollectiveKind collective) {
    switch (collective) {
        case CollectiveKind::kReduce:
        case CollectiveKind::kAllreduce:
        case CollectiveKind::kReduceScatter:
        case CollectiveKind::kReduceScatterBlock:
        case CollectiveKind::kScan:
        case CollectiveKind::kExscan:
            return true;
        default:
            return false;
    }
}

bool are_equal(const Counts& counts, int members) {
    if (counts.empty()) return true;
    for (int i = 1; i < members; ++i) {
        if (counts[i] != counts[0]) return false;
    }
    return true;
}

bool hold(const SelectionConditions& c, const CollectiveArguments& arguments, const CollectiveBytes& bytes,
          int members) {
    if (members < c.least_members || members > c.most_members) return false;
    if (c.power_of_two && !is_power_of_two(members)) return false;
    if (c.fewer_items && bytes.items >= largest_power_of_two(members)) return false;
    if (c.equal_blocks && !are_equal(arguments.receive_counts, members)) return false;
    if (arguments.operation == nullptr) return !c.ordered && !c.commutes && !c.user_defined;
    const bool commutes = arguments.operation->commutes();
    if (commutes ? c.ordered : c.commutes) return false;
    return !c.user_defined || arguments.operation->is_user_defined();
}

bool can_do(const AlgorithmRow& row, const CollectiveArguments& arguments, int members) {
    if (row.only_members != 0 && row.only_members != members) return false;
    if (row.only_power_of_two && !(is_power_of_two(members) && are_equal(arguments.receive_counts, members)))
        return false;
    return !row.must_commute || arguments.operation == nullptr || arguments.operation->commutes();
}

std::int64_t sum_of_counts(const Counts& counts, int members) {
    std::int64_t sum = 0;
    for (int i = 0; i < members; ++i) sum += counts[i];
    return sum;
}

/// Parses OPERATION=ALGORITHM.
SelectionLines setting(std::string_view text) {
    const std::size_t equals = text.find('=');
    const CollectiveKind collective = collective_named(text.substr(0, equals));
    SelectionLines lines;
    SelectionLine& line = lines[static_cast<std::size_t>(collective)].emplace_back();
    try {
        line.choices = read_choices(collective, text.substr(equals + 1), {std::string(text)});
    } catch (const InputError& error) {
        throw OptionError(error.what(), error.hint());  // the error is not in a file
    }
    return lines;
}

void put_before(SelectionLines& all, const SelectionLines& first) {
    for (std::size_t i = 0; i < all.size(); ++i) all[i].insert(all[i].begin(), first[i].begin(), first[i].end());
}

}  // namespace

CollectiveBytes bytes_of(const CollectiveArguments& arguments, int rank, int members) {
    const bool is_root = arguments.root == rank;
    CollectiveBytes bytes;
    switch (arguments.collective) {
        case CollectiveKind::kBarrier:
        case CollectiveKind::kAlltoallv:
        case CollectiveKind::kAlltoallw:
        case CollectiveKind::kGatherv:
        case CollectiveKind::kScatterv:
        case CollectiveKind::kNeighborAllgather:
        case CollectiveKind::kNeighborAllgatherv:
        case CollectiveKind::kNeighborAlltoall:
        case CollectiveKind::kNeighborAlltoallv:
        case CollectiveKind::kNeighborAlltoallw:
            return bytes;
        case CollectiveKind::kBroadcast:
            bytes.one = arguments.receive.bytes();
            bytes.total = bytes.one;
            return bytes;
        case CollectiveKind::kGather:
        case CollectiveKind::kAllgather:
        case CollectiveKind::kAlltoall:
            bytes.one = (is_root && arguments.collective == CollectiveKind::kGather) || arguments.in_place
                            ? arguments.receive.bytes()
                            : arguments.send.bytes();
            bytes.total = bytes.one * members;
            return bytes;
        case CollectiveKind::kScatter:
            bytes.one = is_root ? arguments.send.bytes() : arguments.receive.bytes();
            bytes.total = bytes.one * members;
            return bytes;
        case CollectiveKind::kAllgatherv:
            bytes.total = sum_of_counts(arguments.receive_counts, members) * arguments.receive.type->size();
            bytes.one = bytes.total / members;
            return bytes;
        case CollectiveKind::kReduceScatter:
            bytes.items = sum_of_counts(arguments.receive_counts, members);
            bytes.one = bytes.items * arguments.receive.type->size();
            bytes.total = bytes.one;
            return bytes;
        case CollectiveKind::kReduceScatterBlock:
            bytes.items = arguments.receive.count * members;
            bytes.one = arguments.receive.bytes();
            bytes.total = bytes.one * members;
            return bytes;
        case CollectiveKind::kReduce:
        case CollectiveKind::kAllreduce:
        case CollectiveKind::kScan:
        case CollectiveKind::kExscan: {
            const Buffer own = contribution(arguments);
            bytes.items = own.count;
            bytes.one = own.bytes();
            bytes.total = bytes.one;
            return bytes;
        }
    }
    return bytes;
}

CollectiveSelection::CollectiveSelection() { set_default("mpich"); }

void CollectiveSelection::set_default(std::string_view text) {
    if (!table_.empty()) return;
    std::string_view table = "mpich";
    Lines lines;
    for (const std::string_view word : split(text, ' ')) {
        if (word.find('=') != std::string_view::npos) {
            put_before(lines, setting(word));
        } else if (selection_tables().find(word) != nullptr) {
            table = word;
        }
    }
    lines_ = read_selection_lines(selection_tables().at(table).text, "table " + std::string(table));
    put_before(lines_, lines);
    put_before(lines_, own_);
}

void CollectiveSelection::put_first(const Lines& lines) {
    put_before(own_, lines);
    put_before(lines_, lines);
}

void CollectiveSelection::set_text(std::string_view text, const std::string& name) {
    put_first(looks_like_open_mpi_rules(text) ? read_open_mpi_rules(text, name) : read_selection_lines(text, name));
}

void CollectiveSelection::set(std::string_view text) {
    if (const SelectionTableRow* table = selection_tables().find(text)) {
        *this = CollectiveSelection();
        set_default(table->name);
        table_ = table->name;
        return;
    }
    if (text.find('=') == std::string_view::npos) {
        const std::string path(text);
        std::ifstream file(path, std::ios::binary);
        std::ostringstream content;
        if (!file || !(content << file.rdbuf())) {
            throw OptionError(
                "unknown collective table " + shown(text) + "; expected mpich, openmpi, OPERATION=ALGORITHM or a file",
                selection_tables().hint_for(text));
        }
        set_text(content.str(), path);
        return;
    }
    put_first(setting(text));
    settings_.emplace_back(text);
}

std::string CollectiveSelection::text() const {
    std::string text = table_;
    for (const std::string& setting : settings_) text += (text.empty() ? "" : " ") + setting;
    return text.empty() ? "mpich" : text;
}

CollectiveSelection::Chosen CollectiveSelection::choose(const CollectiveArguments& arguments, int rank,
                                                        int members) const {
    const CollectiveBytes bytes = bytes_of(arguments, rank, members);
    for (const SelectionLine& line : lines(arguments.collective)) {
        if (!hold(line.conditions, arguments, bytes, members)) continue;
        const std::int64_t size = line.by_total ? bytes.total : bytes.one;
        const auto choice =
            std::ranges::find_if(line.choices, [&](const SelectionChoice& c) { return size <= c.most_bytes; });
        if (choice == line.choices.end() || choice->row == nullptr) continue;
        if (can_do(*choice->row, arguments, members)) return {choice->row, choice->tuning};
    }
    // A complete table follows a user's table that omits this operation. This point is therefore reached only by a
    // reduction that no line's algorithm can do in rank order.
    for (const AlgorithmRow& row : algorithms(arguments.collective)) {
        if (can_do(row, arguments, members)) return {&row, {}};
    }
    throw InternalError("no algorithm for " + std::string(name_of(arguments.collective)) +
                        (is_reduction(arguments.collective) ? " in order" : ""));
}

}  // namespace haichi::collectives
