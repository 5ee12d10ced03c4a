#include "commlog/ccs/collective_phases.h"

#include <algorithm>
#include <array>
#include <bit>

#include "base/errors.h"
#include "base/quantity.h"

namespace haichi {

namespace {

/// A run of steps of an algorithm of commlog/collectives.
struct Stage {
    CollectiveAlgorithm algorithm;
    std::int64_t block_bytes = 0;
    bool backwards = false;  ///< last step first, and every message the other way
    bool doubles = false;    ///< step k carries 2^k blocks: all-gather by recursive doubling
};

/// `vector_bytes`: the whole vector; a block is its n-th part, rounded up.
using MakeStages = std::vector<Stage> (*)(std::int64_t vector_bytes, std::int32_t ranks);

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

std::vector<Stage> doubling(std::int64_t bytes, std::int32_t) { return {{kDoubling, bytes}}; }
std::vector<Stage> two_rings(std::int64_t bytes, std::int32_t n) {
    return {{kRing, block_of(bytes, n)}, {kRing, block_of(bytes, n)}};
}
std::vector<Stage> tree(std::int64_t bytes, std::int32_t) { return {{kTree, bytes}}; }
std::vector<Stage> tree_backwards(std::int64_t bytes, std::int32_t) { return {{kTree, bytes, true}}; }
std::vector<Stage> tree_and_back(std::int64_t bytes, std::int32_t) { return {{kTree, bytes, true}, {kTree, bytes}}; }
std::vector<Stage> scatter_ring(std::int64_t bytes, std::int32_t n) {
    return {{kScatterTree, block_of(bytes, n)}, {kRing, block_of(bytes, n)}};
}
std::vector<Stage> scatter(std::int64_t bytes, std::int32_t n) { return {{kScatterTree, block_of(bytes, n)}}; }
std::vector<Stage> gather(std::int64_t bytes, std::int32_t n) { return {{kScatterTree, block_of(bytes, n), true}}; }
std::vector<Stage> ring(std::int64_t bytes, std::int32_t n) { return {{kRing, block_of(bytes, n)}}; }
std::vector<Stage> pairwise(std::int64_t bytes, std::int32_t n) {
    return {{CollectiveAlgorithm::kPairwise, block_of(bytes, n)}};
}
std::vector<Stage> bruck(std::int64_t bytes, std::int32_t n) {
    return {{CollectiveAlgorithm::kBruck, block_of(bytes, n)}};
}
/// Doubling needs a power of two.
std::vector<Stage> doubling_blocks(std::int64_t bytes, std::int32_t n) {
    if (!std::has_single_bit(static_cast<std::uint32_t>(n))) return ring(bytes, n);
    return {{kDoubling, block_of(bytes, n), false, true}};
}

constexpr std::int64_t kMostMessagesOfCollective = std::int64_t{1} << 26;

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

constexpr std::array<std::string_view, static_cast<std::size_t>(Op::kCount)> kNames = {
    "barrier", "broadcast", "reduce",         "allreduce", "gather",   "allgather",
    "scatter", "alltoall",  "reduce-scatter", "scan",      "neighbor", "other"};

/// The vector that sizes are about, in bytes.
std::int64_t vector_bytes(const CollectiveCall& call, std::int64_t ranks) {
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

void add_phases(const Stage& stage, std::string_view operation, const std::vector<std::int32_t>& members,
                std::size_t root, std::vector<CollectivePhase>& phases) {
    const auto n = static_cast<std::int32_t>(members.size());
    const std::int32_t steps = collective_step_count(stage.algorithm, n);
    if (std::int64_t{steps} * n > kMostMessagesOfCollective) {
        throw UnsupportedError("a collective on " + std::to_string(n) + " ranks in " + std::to_string(steps) +
                                   " phases has more than " + std::to_string(kMostMessagesOfCollective) + " messages",
                               "choose an algorithm of fewer phases: --collective " + std::string(operation) + "=...");
    }
    // A tree begins at its rank 0: the root.
    const auto world_rank = [&](std::int32_t relative) {
        return RankId(members[(static_cast<std::size_t>(relative) + root) % members.size()]);
    };
    for (std::int32_t i = 0; i < steps; ++i) {
        const std::int32_t step = stage.backwards ? steps - 1 - i : i;
        CollectivePhase phase;
        phase.label = std::string(operation) + " " + collective_step_label(stage.algorithm, n, step);
        const std::int64_t block = stage.doubles ? stage.block_bytes << step : stage.block_bytes;
        for (std::int32_t r = 0; r < n; ++r) {
            const CollectiveStep moves = collective_step(stage.algorithm, n, RankId(r), step, block);
            if (!moves.send_to.valid()) continue;
            Message message{world_rank(r), world_rank(moves.send_to.value), moves.send_bytes};
            if (stage.backwards) std::swap(message.source, message.destination);
            phase.messages.push_back(message);
        }
        std::ranges::stable_sort(phase.messages, {}, [](const Message& m) { return m.source.value; });
        phases.push_back(std::move(phase));
    }
}

}  // namespace

std::string_view name_of(CollectiveOperation operation) { return kNames.at(static_cast<std::size_t>(operation)); }

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
        throw OptionError("--collective " + shown(text) + ": expected OPERATION=ALGORITHM",
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
                "--collective " + shown(text) + ": every algorithm but the last needs the size up to which it is taken",
                "for example allreduce=recursive-doubling:2KiB,ring");
        }
        const std::int64_t up_to =
            last ? kLargestMessageBytes
                 : parse_bytes(part.substr(colon + 1), SourcePlace{"--collective " + std::string(text)});
        if (!rows.empty() && up_to <= rows.back().up_to_bytes) {
            throw OptionError("--collective " + shown(text) + ": sizes must ascend");
        }
        rows.push_back({up_to, std::string(algorithm)});
        if (last) break;
        rest.remove_prefix(comma + 1);
    }
    rows_[operation] = std::move(rows);
}

std::vector<CollectivePhase> CollectiveChoice::phases(const CollectiveCall& call,
                                                      const std::vector<std::int32_t>& members) const {
    std::vector<CollectivePhase> phases;
    const auto rows = rows_.find(call.operation);
    if (rows == rows_.end() || members.size() < 2) return phases;
    const auto ranks = static_cast<std::int32_t>(members.size());
    const std::int64_t bytes = vector_bytes(call, ranks);
    const auto row = std::ranges::find_if(rows->second, [&](const Row& r) { return bytes <= r.up_to_bytes; });
    const std::string& name = row == rows->second.end() ? rows->second.back().algorithm : row->algorithm;
    for (const Stage& stage : find_algorithm(call.operation, name)->make(bytes, ranks)) {
        add_phases(stage, name_of(call.operation), members, call.root, phases);
    }
    return phases;
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
