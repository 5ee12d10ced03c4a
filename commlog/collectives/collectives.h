#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/table.h"
#include "commlog/workload/workload.h"

namespace haichi {

/// Point-to-point algorithms of collective operations, as pure functions of (algorithm, ranks, rank, step). What they
/// are called with as `block_bytes` is stated with each.
enum class CollectiveAlgorithm {
    /// All-reduce (Thakur, Rabenseifner, Gropp 2005, "Reduce and allreduce"): step k exchanges the whole vector with
    /// rank XOR 2^k.
    /// Other numbers of ranks than powers of two fold as MPICH does: with r = ranks - 2^floor(log2 ranks), the even
    /// ranks below 2r first give their vector to the odd neighbour and sit out, and get the result back in a last step.
    /// block_bytes: the vector.
    kRecursiveDoubling,
    /// All-to-all (Thakur et al. 2005, "All-to-all", long messages): ranks - 1 steps i = 1, 2, ...; a power of two:
    /// exchange with rank XOR i;
    /// else send to rank + i, receive from rank - i (mod ranks). block_bytes: what each rank sends to each.
    kPairwise,
    /// All-to-all (Bruck, Ho, Kipnis, Upfal, Weathersby 1997; Thakur et al. 2005, short messages): ceil(log2 ranks)
    /// steps; in step k rank sends to rank + 2^k, in one message, the blocks whose distance to go has bit k set.
    /// block_bytes: what each rank sends to each.
    kBruck,
    /// All-gather (Thakur et al. 2005, "Allgather"): ranks - 1 steps; each passes the block it got last to rank + 1.
    /// block_bytes: what each rank contributes.
    kRing,
    /// Broadcast from rank 0 down a binomial tree (Thakur et al. 2005, "Broadcast", short messages): with m = ceil(log2
    /// ranks), in step k the multiples of 2^(m-k) send the vector to rank + 2^(m-k-1). Backwards, and with the ends of
    /// every message exchanged, it is a reduction to rank 0. block_bytes: the vector.
    kBinomialBroadcast,
    /// Scatter from rank 0 down the same tree: a message carries the blocks of all ranks below it. Backwards a gather.
    /// block_bytes: what each rank gets.
    kBinomialScatter,
};

/// What one rank does in one step. An invalid id means that it does not send, or does not receive; the bytes are then
/// 0.
struct CollectiveStep {
    RankId send_to;
    RankId receive_from;
    std::int64_t send_bytes = 0;
    std::int64_t receive_bytes = 0;

    friend bool operator==(const CollectiveStep&, const CollectiveStep&) = default;
};

struct CollectiveRow {
    std::string name;  ///< as written in options
    std::string sentence;
    CollectiveAlgorithm algorithm;
};

/// All algorithms: the one list that options, help and tests go by.
const Table<CollectiveRow>& collective_algorithms();
/// Throws OptionError, with did-you-mean, for other names.
CollectiveAlgorithm collective_algorithm(std::string_view name);

/// Number of steps on `ranks` ranks (1 to kMostRanks); 0 for one rank. O(1).
std::int32_t collective_step_count(CollectiveAlgorithm algorithm, std::int32_t ranks);

/// What `rank` does in `step`, both counted from 0. O(1). Throws OptionError when a message would be larger than
/// 2^48 bytes (Bruck joins blocks) and InternalError for a rank or step that does not exist.
CollectiveStep collective_step(CollectiveAlgorithm algorithm, std::int32_t ranks, RankId rank, std::int32_t step,
                               std::int64_t block_bytes);

/// "fold", "doubling 2", "shift by 4", ...: what a step does, for labels.
std::string collective_step_label(CollectiveAlgorithm algorithm, std::int32_t ranks, std::int32_t step);

/// Bruck: whether the block that starts out `distance` ranks (mod ranks) before its destination moves in `step`.
constexpr bool bruck_moves(std::int32_t distance, std::int32_t step) { return (distance >> step & 1) != 0; }
/// Bruck: the number of blocks a rank sends in `step`: the distances in [0, ranks) with bit `step` set. O(1).
std::int32_t bruck_block_count(std::int32_t ranks, std::int32_t step);

}  // namespace haichi
