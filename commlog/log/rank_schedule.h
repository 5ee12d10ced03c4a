#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "commlog/log/call_log_memory.h"

namespace haichi {

/// One operation of a schedule: a send, a receive, or a computation.
struct ScheduledOperation {
    enum class Kind : std::uint8_t { kSend, kReceive, kCompute };

    Kind kind = Kind::kCompute;
    std::uint8_t flags = 0;       ///< CallFlags
    std::int16_t nic = -1;        ///< NIC of a send; -1 if not stated
    std::int32_t peer = kNobody;  ///< kNobody means any source
    std::int32_t tag = 0;
    std::uint64_t amount = 0;  ///< bytes of a message, or ticks of a computation
};

/// A rank's schedule with dependencies instead of a total order. An operation may start when the operations that it
/// depends on are complete or, for some dependencies, have started.
class RankSchedule {
  public:
    struct Dependency {
        std::uint32_t earlier = 0;
        std::uint32_t later = 0;
        bool started_is_enough = false;
    };
    /// An operation that waits for an earlier one.
    struct Later {
        std::uint32_t operation : 31;
        std::uint32_t started_is_enough : 1;
    };

    /// All indices must be in range, and dependencies must have no cycles.
    RankSchedule(std::vector<ScheduledOperation> operations, std::span<const Dependency> dependencies,
                 double ticks_per_second)
        : operations_(std::move(operations)),
          first_later_(operations_.size() + 1, 0),
          later_(dependencies.size()),
          ticks_per_second_(ticks_per_second) {
        for (const Dependency& d : dependencies) ++first_later_[d.earlier + 1];
        for (std::size_t i = 1; i < first_later_.size(); ++i) first_later_[i] += first_later_[i - 1];
        std::vector<std::uint32_t> next(first_later_.begin(), first_later_.end() - 1);
        for (const Dependency& d : dependencies) {
            later_[next[d.earlier]++] = {d.later & 0x7fffffffU, d.started_is_enough ? 1U : 0U};
        }
    }

    [[nodiscard]] const std::vector<ScheduledOperation>& operations() const { return operations_; }
    [[nodiscard]] std::span<const Later> later_than(std::uint32_t operation) const {
        return std::span(later_).subspan(first_later_[operation],
                                         first_later_[operation + 1] - first_later_[operation]);
    }
    [[nodiscard]] double ticks_per_second() const { return ticks_per_second_; }

  private:
    std::vector<ScheduledOperation> operations_;
    std::vector<std::uint32_t> first_later_;
    std::vector<Later> later_;
    double ticks_per_second_;
};

}  // namespace haichi
