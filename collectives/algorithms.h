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

/// The operation's name in options and tables: "broadcast", "reduce-scatter-block", ...
std::string_view name_of(CollectiveKind collective);
/// The inverse of name_of(). Also accepts MPI's names, such as "bcast" and "reduce_scatter". Throws OptionError with a
/// did-you-mean hint.
CollectiveKind collective_named(std::string_view name);

/// `count` items distributed over `parts` parts. If they do not divide evenly, the first parts have one more item.
struct Shares {
    std::int64_t count = 0;
    int parts = 1;

    [[nodiscard]] std::int64_t size(int part) const { return count / parts + (part < count % parts ? 1 : 0); }
    [[nodiscard]] std::int64_t first(int part) const {
        return part * (count / parts) + std::min<std::int64_t>(part, count % parts);
    }
    /// The total size of parts [begin, end).
    [[nodiscard]] std::int64_t size(int begin, int end) const { return first(end) - first(begin); }
};

/// Counts or displacements of a call: an array of int or MPI_Count, or the nearly equal parts of Shares. The array is
/// not copied.
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

/// Roots of inter-communicators, as specified by the members of the root's group.
inline constexpr int kRootIsThis = -3;
inline constexpr int kRootIsAnother = -2;
/// A neighbour that does not exist (MPI_PROC_NULL).
inline constexpr int kNoNeighbor = -1;

class CollectiveSelection;

/// One member's arguments of a collective operation. The objects that it refers to must outlive the operation's steps.
struct CollectiveArguments {
    CollectiveKind collective = CollectiveKind::kBarrier;
    /// One block in operations with equal blocks (gather, all-to-all, ...), the vector in a reduction. With counts, the
    /// base address and the type of the blocks, or only the base address if each block has its own type.
    Buffer send;
    /// Like `send`. A broadcast has its data here, even at the root. In reduce_scatter_block, the count refers to one
    /// block.
    Buffer receive;
    /// MPI_IN_PLACE for the send buffer. In a scatter, only the root may specify it, for the receive buffer.
    bool in_place = false;
    int root = 0;  ///< or kRootIsThis, kRootIsAnother
    Counts send_counts;
    Counts send_offsets;  ///< in items; in bytes for all-to-all with types
    Counts receive_counts;
    Counts receive_offsets;
    /// If false, the counts are estimates. It is then unknown which blocks are empty, so empty blocks are sent, too.
    bool counts_are_known = true;
    std::span<const ItemType* const> send_types;
    std::span<const ItemType* const> receive_types;
    const Reduction* operation = nullptr;
    /// For neighbourhood collectives: ranks, or kNoNeighbor.
    std::span<const int> sources;
    std::span<const int> destinations;
    bool is_grid = false;  ///< the neighbours are pairs, down and up, in each dimension
    /// For an inter-communicator: whether the member is in the first group. Both groups agree which of them is the
    /// first.
    bool is_first_group = false;
    /// Selects the algorithms of operations that are parts of this one. Set by collective_steps().
    const CollectiveSelection* selection = nullptr;
};

/// The parameters of an algorithm.
struct Tuning {
    std::int64_t segment_bytes = 0;  ///< 0 for a single piece
    int fanout = 0;                  ///< chains of a chain, children of a k-nomial tree; 0 for the algorithm's default
    int most_requests = 0;           ///< messages in flight at one time; 0 if unlimited
};

/// An algorithm of one operation.
struct AlgorithmRow {
    std::string name;  ///< as in options and tables
    std::string sentence;
    Steps (*run)(Exchange& exchange, CollectiveArguments arguments, Tuning tuning);
    /// Open MPI's number in its rule files; 0 if it has none.
    int open_mpi = 0;
    /// True if the algorithm does not keep the order of the ranks, so that the operation must commute.
    bool must_commute = false;
    /// The only supported number of members; 0 for any number.
    int only_members = 0;
    /// True if the algorithm supports only equal blocks, and only numbers of members that are powers of two.
    bool only_power_of_two = false;
    /// A blocking call uses the machine's barrier network if it has a group for the communicator. Otherwise, `run` is
    /// used.
    bool by_hardware = false;
};

/// The algorithms of an operation inside one group.
const Table<AlgorithmRow>& algorithms(CollectiveKind collective);

/// The steps of a member with the selected algorithm. Returns empty steps if there is nothing to do.
Steps collective_steps(Exchange& exchange, const CollectiveArguments& arguments, const CollectiveSelection& selection);

}  // namespace haichi::collectives
