#include "commlog/collectives/collectives.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "base/errors.h"

namespace haichi {

namespace {

std::int32_t floor_log2(std::int32_t n) {
    return static_cast<std::int32_t>(std::bit_width(static_cast<std::uint32_t>(n))) - 1;
}
bool is_power_of_two(std::int32_t n) { return std::has_single_bit(static_cast<std::uint32_t>(n)); }

/// The r pairs of ranks that fold into one when the number of ranks is no power of two.
std::int32_t folded_pairs(std::int32_t ranks) { return ranks - (std::int32_t{1} << floor_log2(ranks)); }

CollectiveStep exchange(std::int32_t peer, std::int64_t bytes) { return {RankId(peer), RankId(peer), bytes, bytes}; }
CollectiveStep send_only(std::int32_t peer, std::int64_t bytes) { return {RankId(peer), RankId(), bytes, 0}; }
CollectiveStep receive_only(std::int32_t peer, std::int64_t bytes) { return {RankId(), RankId(peer), 0, bytes}; }

/// Send to rank + distance, receive from rank - distance (mod ranks); 0 < distance < ranks <= 2^27: no overflow.
CollectiveStep shift(std::int32_t ranks, std::int32_t rank, std::int32_t distance, std::int64_t bytes) {
    return {RankId((rank + distance) % ranks), RankId((rank - distance + ranks) % ranks), bytes, bytes};
}

CollectiveStep recursive_doubling_step(std::int32_t ranks, std::int32_t rank, std::int32_t step, std::int64_t bytes) {
    const std::int32_t pairs = folded_pairs(ranks);
    const bool in_pair = rank < 2 * pairs;
    const bool sits_out = in_pair && rank % 2 == 0;
    if (pairs > 0) {
        const bool fold = step == 0;
        const bool unfold = step == floor_log2(ranks) + 1;
        if (fold || unfold) {
            if (!in_pair) return {};
            return sits_out == fold ? send_only(rank ^ 1, bytes) : receive_only(rank ^ 1, bytes);
        }
        --step;
    }
    if (sits_out) return {};
    // The remaining ranks renumbered 0 .. 2^k - 1: odd members of the pairs first.
    const std::int32_t renumbered = in_pair ? rank / 2 : rank - pairs;
    const std::int32_t peer = renumbered ^ (std::int32_t{1} << step);
    return exchange(peer < pairs ? 2 * peer + 1 : peer + pairs, bytes);
}

CollectiveStep bruck_step(std::int32_t ranks, std::int32_t rank, std::int32_t step, std::int64_t block_bytes) {
    const std::int64_t blocks = bruck_block_count(ranks, step);
    if (block_bytes > kLargestMessageBytes / blocks) {
        throw OptionError("Bruck's all-to-all on " + std::to_string(ranks) + " ranks joins " + std::to_string(blocks) +
                          " blocks of " + std::to_string(block_bytes) +
                          " bytes in one message: more than the 2^48 bytes a message may have");
    }
    return shift(ranks, rank, std::int32_t{1} << step, blocks * block_bytes);
}

std::int32_t ceil_log2(std::int32_t n) { return floor_log2(n) + (is_power_of_two(n) ? 0 : 1); }

/// Down the binomial tree; `scatter`: the blocks of the ranks below, else one.
CollectiveStep binomial_step(std::int32_t ranks, std::int32_t rank, std::int32_t step, std::int64_t block_bytes,
                             bool scatter) {
    const std::int32_t distance = std::int32_t{1} << (ceil_log2(ranks) - step - 1);
    const auto blocks_from = [&](std::int32_t first) {
        return scatter ? std::min(distance, ranks - first) : std::int32_t{1};
    };
    if (rank % (2 * distance) == 0 && rank + distance < ranks) {
        const std::int64_t blocks = blocks_from(rank + distance);
        if (block_bytes > kLargestMessageBytes / blocks) {
            throw OptionError("a scatter on " + std::to_string(ranks) + " ranks joins " + std::to_string(blocks) +
                              " blocks of " + std::to_string(block_bytes) +
                              " bytes in one message: more than the 2^48 bytes a message may have");
        }
        return send_only(rank + distance, blocks * block_bytes);
    }
    if (rank % (2 * distance) == distance) return receive_only(rank - distance, blocks_from(rank) * block_bytes);
    return {};
}

}  // namespace

const Table<CollectiveRow>& collective_algorithms() {
    static const Table<CollectiveRow> kRows(
        {"collective algorithm", "algorithms"},
        {
            {"recursive-doubling", "All-reduce: step k exchanges the vector with rank XOR 2^k.",
             CollectiveAlgorithm::kRecursiveDoubling},
            {"pairwise", "All-to-all: step i exchanges a block with rank XOR i, or sends to rank + i.",
             CollectiveAlgorithm::kPairwise},
            {"bruck", "All-to-all in log2(ranks) steps: step k sends joined blocks to rank + 2^k.",
             CollectiveAlgorithm::kBruck},
            {"binomial-broadcast", "Broadcast: ranks that have the vector pass it on, halving the distance each step.",
             CollectiveAlgorithm::kBinomialBroadcast},
            {"binomial-scatter", "Scatter: the same tree, each message with the blocks of all ranks below.",
             CollectiveAlgorithm::kBinomialScatter},
            {"ring", "All-gather: each step passes a block on to rank + 1.", CollectiveAlgorithm::kRing},
        });
    return kRows;
}

CollectiveAlgorithm collective_algorithm(std::string_view name) { return collective_algorithms().at(name).algorithm; }

std::int32_t collective_step_count(CollectiveAlgorithm algorithm, std::int32_t ranks) {
    if (ranks < 1 || ranks > kMostRanks) {
        throw OptionError("a collective has 1 to " + std::to_string(kMostRanks) + " ranks, not " +
                          std::to_string(ranks));
    }
    switch (algorithm) {
        case CollectiveAlgorithm::kRecursiveDoubling:
            return floor_log2(ranks) + (folded_pairs(ranks) > 0 ? 2 : 0);
        case CollectiveAlgorithm::kBruck:
        case CollectiveAlgorithm::kBinomialBroadcast:
        case CollectiveAlgorithm::kBinomialScatter:
            return ceil_log2(ranks);
        case CollectiveAlgorithm::kPairwise:
        case CollectiveAlgorithm::kRing:
            break;
    }
    return ranks - 1;
}

CollectiveStep collective_step(CollectiveAlgorithm algorithm, std::int32_t ranks, RankId rank, std::int32_t step,
                               std::int64_t block_bytes) {
    if (rank.value < 0 || rank.value >= ranks || step < 0 || step >= collective_step_count(algorithm, ranks)) {
        throw InternalError("collective on " + std::to_string(ranks) + " ranks has no step " + std::to_string(step) +
                            " of rank " + std::to_string(rank.value));
    }
    if (block_bytes < 0 || block_bytes > kLargestMessageBytes) {
        throw OptionError("message size " + std::to_string(block_bytes) + " is outside 0..2^48 bytes");
    }
    switch (algorithm) {
        case CollectiveAlgorithm::kRecursiveDoubling:
            return recursive_doubling_step(ranks, rank.value, step, block_bytes);
        case CollectiveAlgorithm::kPairwise:
            return is_power_of_two(ranks) ? exchange(rank.value ^ (step + 1), block_bytes)
                                          : shift(ranks, rank.value, step + 1, block_bytes);
        case CollectiveAlgorithm::kBruck:
            return bruck_step(ranks, rank.value, step, block_bytes);
        case CollectiveAlgorithm::kBinomialBroadcast:
        case CollectiveAlgorithm::kBinomialScatter:
            return binomial_step(ranks, rank.value, step, block_bytes,
                                 algorithm == CollectiveAlgorithm::kBinomialScatter);
        case CollectiveAlgorithm::kRing:
            break;
    }
    return shift(ranks, rank.value, 1, block_bytes);
}

std::string collective_step_label(CollectiveAlgorithm algorithm, std::int32_t ranks, std::int32_t step) {
    switch (algorithm) {
        case CollectiveAlgorithm::kRecursiveDoubling: {
            const bool folds = folded_pairs(ranks) > 0;
            if (folds && step == 0) return "fold";
            if (folds && step == floor_log2(ranks) + 1) return "unfold";
            return "doubling " + std::to_string(folds ? step : step + 1);
        }
        case CollectiveAlgorithm::kPairwise:
            return (is_power_of_two(ranks) ? "exchange with rank XOR " : "shift by ") + std::to_string(step + 1);
        case CollectiveAlgorithm::kBruck:
            return "shift by " + std::to_string(std::int64_t{1} << step);
        case CollectiveAlgorithm::kBinomialBroadcast:
        case CollectiveAlgorithm::kBinomialScatter:
            return "tree level " + std::to_string(step + 1);
        case CollectiveAlgorithm::kRing:
            break;
    }
    return "ring step " + std::to_string(step + 1);
}

std::int32_t bruck_block_count(std::int32_t ranks, std::int32_t step) {
    // Numbers in [0, ranks) with bit `step`: half of every full period of 2^(step+1), and what a last one has of them.
    const std::int64_t half = std::int64_t{1} << step;
    const std::int64_t rest = ranks % (2 * half);
    return static_cast<std::int32_t>(ranks / (2 * half) * half + std::max<std::int64_t>(0, rest - half));
}

}  // namespace haichi
