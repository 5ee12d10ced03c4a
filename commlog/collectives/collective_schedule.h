#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "commlog/collectives/collectives.h"

namespace haichi {

/// A run of steps of one algorithm.
struct CollectiveStage {
    CollectiveAlgorithm algorithm;
    std::int64_t block_bytes = 0;
    bool backwards = false;  ///< last step first, and every message the other way
    bool doubles = false;    ///< step k carries 2^k blocks: all-gather by recursive doubling
};

/// The messages of one collective operation as a pure function of (member, step): what a member sends and receives in
/// its step, before it begins the next one. Members are numbered as the communicator numbers them.
class CollectiveSchedule {
  public:
    CollectiveSchedule() = default;
    /// `root`, a member, is rank 0 of the algorithms.
    CollectiveSchedule(std::vector<CollectiveStage> stages, std::int32_t members, std::int32_t root = 0);

    /// A barrier in ceil(log2 members) steps: in step k a member tells member + 2^k (Hensgen, Finkel, Manber 1988, the
    /// dissemination barrier). Its messages have 0 bytes.
    static CollectiveSchedule dissemination(std::int32_t members);

    [[nodiscard]] std::int32_t member_count() const { return members_; }
    [[nodiscard]] std::int32_t step_count() const { return steps_; }
    /// O(1). Throws what collective_step() throws.
    [[nodiscard]] CollectiveStep step(std::int32_t member, std::int32_t step) const;
    /// "doubling 2", "shift by 4", ...
    [[nodiscard]] std::string label(std::int32_t step) const;

  private:
    struct Place {
        const CollectiveStage* stage = nullptr;
        std::int32_t step = 0;  ///< of the algorithm
    };
    [[nodiscard]] Place place_of(std::int32_t step) const;

    std::vector<CollectiveStage> stages_;
    std::int32_t members_ = 1;
    std::int32_t root_ = 0;
    std::int32_t steps_ = 0;
};

}  // namespace haichi
