#pragma once

#include <cstdint>
#include <vector>

#include "objectives/objective.h"

namespace haichi {

/// max-hops (dilation): the largest number of hops of any message's route, all sets together. Unit hops. A move costs
/// O(messages of the moved ranks), because messages are counted by route length.
class MaxHops {
  public:
    using Value = std::int64_t;
    static constexpr ObjectiveInfo kInfo{.name = "max-hops",
                                         .unit = "hops",
                                         .sentence = "max over messages of hops(route), all sets together (dilation)",
                                         .report_key = "max_hops",
                                         .usual_next = "hop-bytes"};

    MaxHops(const Problem& problem, const ObjectiveSpec&, const Mapping&);

    void reset(const Mapping& mapping);
    Change propose(const Mapping& mapping, const Move& move);
    void commit() {}
    void rollback();

    [[nodiscard]] Value value() const { return largest_; }
    /// Sum over messages of the square of the hops above the lower bound. The square gives the longest routes the most
    /// weight, so the term distinguishes placements with equal largest length. It is 0 exactly at the bound.
    [[nodiscard]] std::int64_t smoothing() const { return excess_; }
    [[nodiscard]] Value value_from_scratch(const Mapping& mapping) const;
    [[nodiscard]] std::int64_t smoothing_from_scratch(const Mapping& mapping) const;
    /// The partners of a rank with p partners need p slots, of which the farthest is at least as far as the p-th
    /// nearest slot.
    [[nodiscard]] std::optional<Value> lower_bound() const { return floor_; }
    [[nodiscard]] double in_unit(Value value) const { return static_cast<double>(value); }
    /// Appends both ends of the messages with the longest routes.
    void append_hot_ranks(const Mapping& mapping, std::vector<RankId>& ranks) const;

  private:
    void count(std::int32_t hops, std::int64_t change);
    /// Finds largest_ after counts have fallen.
    void settle();
    [[nodiscard]] std::int64_t excess_of(std::int64_t hops) const {
        const std::int64_t above = hops > floor_ ? hops - floor_ : 0;
        return above * above;
    }

    struct MovedLength {
        std::int32_t before = 0;
        std::int32_t after = 0;
    };

    const Problem* problem_;
    std::int64_t floor_;
    std::vector<std::int64_t> messages_of_length_;  ///< by hops
    std::int64_t largest_ = 0;
    std::int64_t largest_before_ = 0;
    std::int64_t excess_ = 0;
    std::vector<MovedLength> pending_;
};

}  // namespace haichi
