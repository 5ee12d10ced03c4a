#pragma once

#include <cstdint>

#include "collectives/algorithms.h"

namespace haichi::collectives {

/// A collective operation of one member without its data, as a log states it. Bytes are those of MPI's arguments: what
/// the member contributes, and what it gets, with all blocks together.
struct SizedCall {
    CollectiveKind collective = CollectiveKind::kBarrier;
    int root = 0;
    std::int64_t sent = 0;
    std::int64_t received = 0;
    std::int64_t item_bytes = 0;  ///< of the type; 0: not known
    bool commutes = true;
    bool is_user_defined = false;  ///< the operation of the reduction
    bool in_place = false;         ///< of an all-to-all
    bool counts_are_known = true;  ///< as CollectiveArguments

    friend bool operator==(const SizedCall&, const SizedCall&) = default;
};

/// The size that the members of a call have in common, on which the choice of an algorithm and its messages depend: of
/// the vector, of one block, or of all blocks together.
std::int64_t common_bytes(const SizedCall& call, int members);

/// The same call where members state different common sizes, and agree on this one. What need not be the same, as in
/// an all-to-all, remains the member's own.
SizedCall with_common_bytes(SizedCall call, int members, std::int64_t bytes);

/// The arguments of a call for an exchange that moves no data. Blocks of different sizes are even shares: a log has
/// their sums. Throws UnsupportedError for more than 2^48 bytes.
class SizedArguments {
  public:
    SizedArguments(const SizedCall& call, int members);
    SizedArguments(const SizedArguments&) = delete;
    SizedArguments& operator=(const SizedArguments&) = delete;

    [[nodiscard]] const CollectiveArguments& arguments() const { return arguments_; }

  private:
    [[nodiscard]] Buffer items(std::int64_t bytes);
    void deal_sent(std::int64_t bytes, int members);
    void deal_received(std::int64_t bytes, int members);

    ItemType type_;
    Reduction reduction_;
    Shares sent_;
    Shares received_;
    CollectiveArguments arguments_;
};

}  // namespace haichi::collectives
