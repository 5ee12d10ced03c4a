#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

#include "commlog/workload/workload.h"

namespace haichi {

/// An access of one rank to the memory of another, which the NICs perform alone (RDMA). It has sizes only, like a
/// message.
struct RemoteAccess {
    enum class Kind : std::uint8_t { kPut, kGet, kAtomic };

    Kind kind = Kind::kPut;
    bool is_counted = false;  ///< a put whose arrival Call::poll() may consume
    RankId origin;
    RankId target;
    std::int32_t tag = 0;
    std::uint32_t context = 0;      ///< for use by the program
    std::uint32_t request = 0;      ///< the origin's own number
    std::int64_t bytes = 0;         ///< sent to the target, as data of a put or operands of an atomic operation
    std::int64_t answer_bytes = 0;  ///< returned, as data of a get or result of an atomic operation
    std::int64_t gap_ps = 0;        ///< pause after each packet of the access's messages, as in SendOptions
    std::int32_t nic = 0;
};

/// The time at which the target's NIC answers an access.
enum class TargetAnswer : std::uint8_t {
    kNow,
    kLater  ///< when the program calls ProcessModel::answer_access()
};

/// The number of puts, by tag, that have arrived at a rank and have not been polled. Memory is proportional to the
/// number of different tags.
class Arrivals {
  public:
    void add(std::int32_t tag) {
        if (!counts_) counts_ = std::make_unique<std::unordered_map<std::int32_t, std::uint32_t>>();
        ++(*counts_)[tag];
    }
    /// Takes one arrival; returns false if there is none.
    bool take(std::int32_t tag) {
        if (!counts_) return false;
        const auto found = counts_->find(tag);
        if (found == counts_->end()) return false;
        if (--found->second == 0) counts_->erase(found);
        return true;
    }
    /// A text such as ", while 2 with tag 5 are there" for the lowest tags; empty if there are no arrivals.
    [[nodiscard]] std::string text() const;
    [[nodiscard]] std::size_t memory_bytes() const {
        constexpr std::size_t kNodeBytes = 32;  // a node of the map and its bucket
        return counts_ ? sizeof(*counts_) + counts_->size() * kNodeBytes : 0;
    }

  private:
    std::unique_ptr<std::unordered_map<std::int32_t, std::uint32_t>> counts_;
};

}  // namespace haichi
