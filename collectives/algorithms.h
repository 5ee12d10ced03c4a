#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/table.h"
#include "collectives/buffer.h"
#include "collectives/exchange.h"

namespace haichi::collectives {

enum class CollectiveKind : std::uint8_t {
    kBarrier,
    kBroadcast,
    kGather,
    kGatherv,
    kScatter,
    kScatterv,
    kAllgather,
    kAllgatherv,
    kAlltoall,
    kAlltoallv,
    kAlltoallw,
    kReduce,
    kAllreduce,
    kReduceScatter,
    kReduceScatterBlock,
    kScan,
    kExscan,
    kNeighborAllgather,
    kNeighborAllgatherv,
    kNeighborAlltoall,
    kNeighborAlltoallv,
    kNeighborAlltoallw,
};
inline constexpr int kCollectives = static_cast<int>(CollectiveKind::kNeighborAlltoallw) + 1;

/// "broadcast", "reduce-scatter-block", ...: as options and tables write it.
std::string_view name_of(CollectiveKind collective);
/// Also by MPI's own words: "bcast", "reduce_scatter". Throws OptionError with did-you-mean.
CollectiveKind collective_named(std::string_view name);

/// `count` items dealt to `parts` parts, the first ones one larger where they do not come out even.
struct Shares {
    std::int64_t count = 0;
    int parts = 1;

    [[nodiscard]] std::int64_t size(int part) const { return count / parts + (part < count % parts ? 1 : 0); }
    [[nodiscard]] std::int64_t first(int part) const {
        return part * (count / parts) + std::min<std::int64_t>(part, count % parts);
    }
    /// Of parts [begin, end).
    [[nodiscard]] std::int64_t size(int begin, int end) const { return first(end) - first(begin); }
};

/// An array of counts or displacements as a call has it: of int or of MPI_Count; or even shares. Not copied.
class Counts {
  public:
    Counts() = default;
    explicit Counts(const int* counts) : narrow_(counts) {}
    explicit Counts(const std::int64_t* counts) : wide_(counts) {}

    explicit Counts(const Shares* shares) : shares_(shares) {}

    [[nodiscard]] bool empty() const { return narrow_ == nullptr && wide_ == nullptr && shares_ == nullptr; }
    std::int64_t operator[](int i) const {
        if (narrow_ != nullptr) return narrow_[i];
        return wide_ != nullptr ? wide_[i] : shares_->size(i);
    }

  private:
    const int* narrow_ = nullptr;
    const std::int64_t* wide_ = nullptr;
    const Shares* shares_ = nullptr;
};

/// Roots of inter-communicators, as the members of the root's group name them.
inline constexpr int kRootIsThis = -3;
inline constexpr int kRootIsAnother = -2;
/// A neighbour that does not exist (MPI_PROC_NULL).
inline constexpr int kNoNeighbor = -1;

class CollectiveSelection;

/// What one member gives to a collective operation. What it points to outlives the operation's steps.
struct CollectiveArguments {
    CollectiveKind collective = CollectiveKind::kBarrier;
    /// Of all members: one block (gather, all-to-all, ...), or the vector of a reduction. With counts: their base
    /// and type, or the base alone where each block has a type of its own.
    Buffer send;
    /// The same. A broadcast has its data here, also at the root; in reduce_scatter_block its count is that of one
    /// block.
    Buffer receive;
    /// MPI_IN_PLACE for the send buffer; in a scatter, where only the root may say so, for the receive buffer.
    bool in_place = false;
    int root = 0;  ///< or kRootIsThis, kRootIsAnother
    Counts send_counts;
    Counts send_offsets;  ///< in items; of all-to-all with types in bytes
    Counts receive_counts;
    Counts receive_offsets;
    /// Else the counts are a guess, and so is which blocks are empty: those are sent, too.
    bool counts_are_known = true;
    std::span<const ItemType* const> send_types;
    std::span<const ItemType* const> receive_types;
    const Reduction* operation = nullptr;
    /// Of neighbourhood collectives: ranks, or kNoNeighbor.
    std::span<const int> sources;
    std::span<const int> destinations;
    bool is_grid = false;  ///< they are pairs of neighbours, down and up, of each dimension
    /// Inter-communicators: this group is the one that its members agreed to call the first.
    bool is_first_group = false;
    /// How operations that this one is made of are chosen. Set by collective_steps().
    const CollectiveSelection* selection = nullptr;
};

/// What an algorithm leaves open.
struct Tuning {
    std::int64_t segment_bytes = 0;  ///< 0: in one piece
    int fanout = 0;                  ///< chains of a chain, children of a k-nomial tree; 0: as the algorithm has it
    int most_requests = 0;           ///< messages under way at once; 0: any number
};

/// An algorithm of one operation.
struct AlgorithmRow {
    std::string name;  ///< as options and tables write it
    std::string sentence;
    Steps (*run)(Exchange& exchange, CollectiveArguments arguments, Tuning tuning);
    /// Open MPI's number of it, for its files of rules; 0: it has none.
    int open_mpi = 0;
    /// Operations that do not commute would be reduced in another order than that of the ranks.
    bool must_commute = false;
    /// The only number of members that it can do; 0: any.
    int only_members = 0;
    /// It can do equal blocks on a power of two of members, nothing else.
    bool only_power_of_two = false;
    /// A blocking call leaves it to the machine's barrier network, where that has a group for the communicator; `run`
    /// is what is done elsewhere.
    bool by_hardware = false;
};

/// The algorithms of an operation inside one group.
const Table<AlgorithmRow>& algorithms(CollectiveKind collective);

/// The steps of a member by the algorithm that the selection says; at once none where there is nothing to do.
Steps collective_steps(Exchange& exchange, const CollectiveArguments& arguments, const CollectiveSelection& selection);

}  // namespace haichi::collectives
