#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

#include "commlog/workload/workload.h"

namespace haichi {

/// What one rank does in the memory of another, by network interfaces alone (RDMA). Sizes only, as messages.
struct RemoteAccess {
    enum class Kind : std::uint8_t { kPut, kGet, kAtomic };

    Kind kind = Kind::kPut;
    bool is_counted = false;  ///< a put whose arrival Call::poll() may consume
    RankId origin;
    RankId target;
    std::int32_t tag = 0;
    std::uint32_t context = 0;      ///< the program's own
    std::uint32_t request = 0;      ///< the origin's own number
    std::int64_t bytes = 0;         ///< to the target: the data of a put, the operands of an atomic operation
    std::int64_t answer_bytes = 0;  ///< back: the data of a get, the result of an atomic operation
    std::int64_t gap_ps = 0;        ///< of the messages, as their NIC
    std::int32_t nic = 0;
};

/// When the target's NIC answers an access that has been done.
enum class TargetAnswer : std::uint8_t {
    kNow,
    kLater  ///< when the program says so: ProcessModel::answer_access()
};

/// Puts that have arrived at a rank and have not been polled, by tag. Memory is that of the different tags.
class Arrivals {
  public:
    void add(std::int32_t tag) {
        if (!counts_) counts_ = std::make_unique<std::unordered_map<std::int32_t, std::uint32_t>>();
        ++(*counts_)[tag];
    }
    /// One of them; false: none is there.
    bool take(std::int32_t tag) {
        if (!counts_) return false;
        const auto found = counts_->find(tag);
        if (found == counts_->end()) return false;
        if (--found->second == 0) counts_->erase(found);
        return true;
    }
    /// ", while 2 with tag 5 are there": the lowest tags, or nothing.
    [[nodiscard]] std::string text() const;
    [[nodiscard]] std::size_t memory_bytes() const {
        constexpr std::size_t kNodeBytes = 32;  // of a node of the map, and its bucket
        return counts_ ? sizeof(*counts_) + counts_->size() * kNodeBytes : 0;
    }

  private:
    std::unique_ptr<std::unordered_map<std::int32_t, std::uint32_t>> counts_;
};

}  // namespace haichi
