#pragma once

#include <vector>

#include "objectives/collisions.h"
#include "objectives/objective.h"
#include "objectives/set_loads.h"

namespace haichi {

/// tac3-bytes: sum over sets of the largest link load in bytes / B, the collision cost for messages of unequal sizes.
/// Unit seconds per iteration. Equals tac3 on sets of equal sizes.
class Tac3Bytes {
  public:
    using Value = std::int64_t;  ///< scaled bytes: seconds * problem.scale_per_second()
    static constexpr ObjectiveInfo kInfo{"tac3-bytes", "seconds",
                                         "sum over sets of the largest link load in bytes / bandwidth"};

    Tac3Bytes(const Problem& problem, const ObjectiveSpec& spec, const Mapping& default_placement);

    void reset(const Mapping& mapping);
    Change propose(const Mapping& mapping, const Move& move);
    void commit() {}
    void rollback();

    [[nodiscard]] Value value() const { return value_; }
    [[nodiscard]] std::int64_t companion() const { return collisions_.excess(); }
    [[nodiscard]] Value value_from_scratch(const Mapping& mapping) const;
    [[nodiscard]] std::int64_t companion_from_scratch(const Mapping& mapping) const;
    /// Sum over sets of the larger of: the message that no mapping keeps inside a node; with one rank per node, what a
    /// rank sends or receives in the set, shared by the links of its node.
    [[nodiscard]] std::optional<Value> lower_bound() const;
    [[nodiscard]] double in_unit(Value value) const {
        return static_cast<double>(value) / problem_->scale_per_second();
    }
    void append_hot_ranks(const Mapping& mapping, std::vector<RankId>& ranks) const;

  private:
    struct Touched {
        std::size_t set = 0;
        std::int64_t cost_before = 0;
    };

    void route_message(std::size_t set, NodeId s, NodeId d, std::int64_t size_bytes, bool add);
    std::int64_t set_cost(std::size_t t);
    [[nodiscard]] std::int64_t scaled_load(std::size_t t, LinkId link) const;

    const Problem* problem_;
    Collisions collisions_;
    std::vector<std::int32_t> mixed_number_;  ///< index of a set of mixed sizes in mixed_loads_, or -1
    SetLoads mixed_loads_;                    ///< scaled bytes
    double per_message_;
    std::vector<std::int64_t> set_bound_;
    std::vector<std::int64_t> set_cost_;
    Value value_ = 0;

    std::vector<MovedMessage> pending_;
    std::vector<Touched> touched_;
    std::vector<std::uint8_t> is_touched_;
    std::vector<LinkId> scratch_;
    Value value_before_ = 0;
};

}  // namespace haichi
