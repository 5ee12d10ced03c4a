#include "commlog/collectives/collective_choice.h"

#include <algorithm>
#include <array>
#include <bit>

#include "base/errors.h"
#include "base/quantity.h"
#include "commlog/workload/workload.h"

namespace haichi {

namespace {

/// `vector_bytes`: the whole vector; a block is its n-th part, rounded up.
using MakeStages = std::vector<CollectiveStage> (*)(std::int64_t vector_bytes, std::int32_t ranks);

std::int64_t block_of(std::int64_t vector_bytes, std::int32_t ranks) { return (vector_bytes + ranks - 1) / ranks; }

struct AlgorithmRow {
    CollectiveOperation operation;
    std::string_view name;
    MakeStages make;
};

constexpr auto kDoubling = CollectiveAlgorithm::kRecursiveDoubling;
constexpr auto kRing = CollectiveAlgorithm::kRing;
constexpr auto kTree = CollectiveAlgorithm::kBinomialBroadcast;
constexpr auto kScatterTree = CollectiveAlgorithm::kBinomialScatter;

std::vector<CollectiveStage> doubling(std::int64_t bytes, std::int32_t) { return {{kDoubling, bytes}}; }
std::vector<CollectiveStage> two_rings(std::int64_t bytes, std::int32_t n) {
    return {{kRing, block_of(bytes, n)}, {kRing, block_of(bytes, n)}};
}
std::vector<CollectiveStage> tree(std::int64_t bytes, std::int32_t) { return {{kTree, bytes}}; }
std::vector<CollectiveStage> tree_backwards(std::int64_t bytes, std::int32_t) { return {{kTree, bytes, true}}; }
std::vector<CollectiveStage> tree_and_back(std::int64_t bytes, std::int32_t) {
    return {{kTree, bytes, true}, {kTree, bytes}};
}
std::vector<CollectiveStage> scatter_ring(std::int64_t bytes, std::int32_t n) {
    return {{kScatterTree, block_of(bytes, n)}, {kRing, block_of(bytes, n)}};
}
std::vector<CollectiveStage> scatter(std::int64_t bytes, std::int32_t n) {
    return {{kScatterTree, block_of(bytes, n)}};
}
std::vector<CollectiveStage> gather(std::int64_t bytes, std::int32_t n) {
    return {{kScatterTree, block_of(bytes, n), true}};
}
std::vector<CollectiveStage> ring(std::int64_t bytes, std::int32_t n) { return {{kRing, block_of(bytes, n)}}; }
std::vector<CollectiveStage> pairwise(std::int64_t bytes, std::int32_t n) {
    return {{CollectiveAlgorithm::kPairwise, block_of(bytes, n)}};
}
std::vector<CollectiveStage> bruck(std::int64_t bytes, std::int32_t n) {
    return {{CollectiveAlgorithm::kBruck, block_of(bytes, n)}};
}
/// Doubling needs a power of two.
std::vector<CollectiveStage> doubling_blocks(std::int64_t bytes, std::int32_t n) {
    if (!std::has_single_bit(static_cast<std::uint32_t>(n))) return ring(bytes, n);
    return {{kDoubling, block_of(bytes, n), false, true}};
}

using Op = CollectiveOperation;
constexpr std::array<AlgorithmRow, 16> kAlgorithms = {{
    {Op::kAllreduce, "recursive-doubling", doubling},
    {Op::kAllreduce, "ring", two_rings},
    {Op::kAllreduce, "binomial", tree_and_back},
    {Op::kBroadcast, "binomial", tree},
    {Op::kBroadcast, "scatter-ring", scatter_ring},
    {Op::kReduce, "binomial", tree_backwards},
    {Op::kGather, "binomial", gather},
    {Op::kScatter, "binomial", scatter},
    {Op::kAllgather, "recursive-doubling", doubling_blocks},
    {Op::kAllgather, "ring", ring},
    {Op::kAlltoall, "bruck", bruck},
    {Op::kAlltoall, "pairwise", pairwise},
    {Op::kReduceScatter, "pairwise", pairwise},
    {Op::kReduceScatter, "ring", ring},
    {Op::kScan, "recursive-doubling", doubling},
    {Op::kScan, "binomial", tree_and_back},
}};

constexpr std::array<std::string_view, static_cast<std::size_t>(Op::kCount)> kOperationNames = {
    "barrier", "broadcast", "reduce",         "allreduce", "gather",   "allgather",
    "scatter", "alltoall",  "reduce-scatter", "scan",      "neighbor", "other"};

const AlgorithmRow* find_algorithm(Op operation, std::string_view name) {
    const auto found = std::ranges::find_if(
        kAlgorithms, [&](const AlgorithmRow& row) { return row.operation == operation && row.name == name; });
    return found == kAlgorithms.end() ? nullptr : &*found;
}

Op operation_named(std::string_view name) {
    std::vector<std::string> names;
    for (const AlgorithmRow& row : kAlgorithms) {
        const std::string own(name_of(row.operation));
        if (name == own) return row.operation;
        if (names.empty() || names.back() != own) names.push_back(own);
    }
    throw OptionError("unknown collective operation " + shown(name), near_or_all(name, names, "operations are "));
}

}  // namespace

std::string_view name_of(CollectiveOperation operation) {
    return kOperationNames.at(static_cast<std::size_t>(operation));
}

CollectiveChoice::CollectiveChoice() {
    for (const char* const text :
         {"allreduce=recursive-doubling:2KiB,ring", "broadcast=binomial:12KiB,scatter-ring", "reduce=binomial",
          "gather=binomial", "scatter=binomial", "allgather=recursive-doubling:80KiB,ring",
          "alltoall=bruck:8KiB,pairwise", "reduce-scatter=pairwise", "scan=recursive-doubling"}) {
        set(text);
    }
}

void CollectiveChoice::set(std::string_view text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) {
        throw OptionError("§collectives " + shown(text) + ": expected OPERATION=ALGORITHM",
                          "for example allreduce=ring, or allreduce=recursive-doubling:2KiB,ring");
    }
    const Op operation = operation_named(text.substr(0, equals));
    std::vector<Row> rows;
    std::string_view rest = text.substr(equals + 1);
    while (true) {
        const std::size_t comma = rest.find(',');
        const std::string_view part = rest.substr(0, comma);
        const std::size_t colon = part.find(':');
        const std::string_view algorithm = part.substr(0, colon);
        if (find_algorithm(operation, algorithm) == nullptr) {
            std::vector<std::string> names;
            for (const AlgorithmRow& row : kAlgorithms) {
                if (row.operation == operation) names.emplace_back(row.name);
            }
            throw OptionError("unknown algorithm " + shown(algorithm) + " for " + std::string(name_of(operation)),
                              near_or_all(algorithm, names, "algorithms are "));
        }
        const bool last = comma == std::string_view::npos;
        if (last != (colon == std::string_view::npos)) {
            throw OptionError(
                "§collectives " + shown(text) + ": every algorithm but the last needs the size up to which it is taken",
                "for example allreduce=recursive-doubling:2KiB,ring");
        }
        const std::int64_t up_to =
            last ? kLargestMessageBytes
                 : parse_bytes(part.substr(colon + 1), SourcePlace{"§collectives " + std::string(text)});
        if (!rows.empty() && up_to <= rows.back().up_to_bytes) {
            throw OptionError("§collectives " + shown(text) + ": sizes must ascend");
        }
        rows.push_back({up_to, std::string(algorithm)});
        if (last) break;
        rest.remove_prefix(comma + 1);
    }
    rows_[operation] = std::move(rows);
}

std::int64_t vector_bytes(const CollectiveCall& call, std::int64_t ranks) {
    if (ranks < 1) throw InternalError("a collective of nobody");
    const auto times_ranks = [&](std::int64_t block) {
        if (block > kLargestMessageBytes / ranks) {
            throw UnsupportedError("a collective of " + std::to_string(ranks) + " blocks of " + std::to_string(block) +
                                   " bytes is larger than 2^48 bytes");
        }
        return block * ranks;
    };
    switch (call.operation) {
        case Op::kBroadcast:
            return std::max(call.bytes, call.received_bytes);
        case Op::kGather:
        case Op::kAllgather:
            return times_ranks(call.bytes);
        case Op::kScatter:
            return times_ranks(call.received_bytes);
        default:
            return call.bytes;
    }
}

std::string_view CollectiveChoice::algorithm(CollectiveOperation operation, std::int64_t vector_bytes) const {
    const auto rows = rows_.find(operation);
    if (rows == rows_.end()) return {};
    const auto row = std::ranges::find_if(rows->second, [&](const Row& r) { return vector_bytes <= r.up_to_bytes; });
    return row == rows->second.end() ? rows->second.back().algorithm : row->algorithm;
}

CollectiveSchedule CollectiveChoice::schedule(CollectiveOperation operation, std::string_view algorithm,
                                              std::int64_t vector_bytes, const CollectiveMembers& members) {
    const AlgorithmRow* row = find_algorithm(operation, algorithm);
    if (row == nullptr) throw InternalError("no algorithm " + std::string(algorithm));
    if (members.root < 0 || members.root >= members.count) throw InternalError("a collective of nobody");
    return {row->make(vector_bytes, members.count), members.count, members.root};
}

std::vector<std::string> CollectiveChoice::descriptions() const {
    std::vector<std::string> lines;
    for (const auto& [operation, rows] : rows_) {
        std::string line = std::string(name_of(operation)) + ": ";
        for (const Row& row : rows) {
            line += row.algorithm;
            if (row.up_to_bytes != kLargestMessageBytes) {
                line += " up to " + std::to_string(row.up_to_bytes) + " bytes, then ";
            }
        }
        lines.push_back(std::move(line));
    }
    return lines;
}

}  // namespace haichi
