#pragma once

#include <cstdint>

#include "collectives/algorithms.h"

namespace haichi::collectives {

/// One member's call of a collective operation without its data, as a log states it. Bytes are as in MPI's arguments:
/// the member's contribution, and the data it gets, with all blocks together.
struct SizedCall {
    CollectiveKind collective = CollectiveKind::kBarrier;
    int root = 0;
    std::int64_t sent = 0;
    std::int64_t received = 0;
    std::int64_t item_bytes = 0;  ///< size of the type; 0 if unknown
    bool commutes = true;
    bool is_user_defined = false;  ///< whether the program defines the reduction's operation
    bool in_place = false;         ///< for an all-to-all
    bool counts_are_known = true;  ///< see CollectiveArguments

    friend bool operator==(const SizedCall&, const SizedCall&) = default;
};

/// The size on which the members of a call agree. The choice of an algorithm and its messages depend on it. It is the
/// size of the vector, of one block, or of all blocks together.
std::int64_t common_bytes(const SizedCall& call, int members);

/// The call of a member if common_bytes() differs between members, which then agree on `bytes`. Sizes that may differ,
/// as in an all-to-all, remain the member's own.
SizedCall with_common_bytes(SizedCall call, int members, std::int64_t bytes);

/// The arguments of a call for an exchange that moves no data. Blocks of different sizes become even shares, because a
/// log has only their sums. Throws UnsupportedError for more than 2^48 bytes.
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
