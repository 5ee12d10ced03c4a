#pragma once

#include <vector>

#include "objectives/collisions.h"
#include "objectives/free_run.h"
#include "objectives/metrics.h"
#include "objectives/objective.h"

namespace haichi {

/// tac3-overlap: seconds per iteration when there is no barrier between sets, so that sets slide into each other. The
/// formula is a procedure, FreeRun: ranks go from set to set on their own, concurrent messages of any sets share the
/// links of their routes; time of kIterations / kIterations. On 200 placements of CG on 64 ranks its rank correlation
/// with the packet simulator's time without barriers is 0.85, that of tac3 0.72 (docs/concepts.md).
///
/// A change costs a full run of the procedure: one or two thousand evaluations a second on 64 ranks; tac3 makes
/// millions. The companion is tac3's excess, kept message by message.
class Tac3Overlap {
  public:
    using Value = std::int64_t;  ///< ticks of FreeRun::run()
    static constexpr ObjectiveInfo kInfo{
        .name = "tac3-overlap",
        .unit = "seconds",
        .sentence =
            "time of an iteration without barriers: ranks go from set to set, concurrent messages share links "
            "evenly",
        .most_messages = 100'000};

    Tac3Overlap(const Problem& problem, const ObjectiveSpec&, const Mapping&);

    void reset(const Mapping& mapping);
    Change propose(const Mapping& mapping, const Move& move);
    void commit() {}
    void rollback();

    [[nodiscard]] Value value() const { return value_; }
    [[nodiscard]] std::int64_t companion() const { return collisions_.excess(); }
    [[nodiscard]] Value value_from_scratch(const Mapping& mapping) const {
        return FreeRun(*problem_).run(mapping.node_of_rank());
    }
    [[nodiscard]] std::int64_t companion_from_scratch(const Mapping& mapping) const {
        return measure(*problem_, mapping).excess_bytes;
    }
    [[nodiscard]] std::optional<Value> lower_bound() const { return free_run_.lower_bound(); }
    [[nodiscard]] double in_unit(Value value) const { return free_run_.seconds(value); }
    /// Ranks whose messages share a link within their set: where ranks begin to drift apart.
    void append_hot_ranks(const Mapping& mapping, std::vector<RankId>& ranks) const;

  private:
    void add(const MovedMessage& m, NodeId source, NodeId destination);
    void remove(const MovedMessage& m, NodeId source, NodeId destination);

    const Problem* problem_;
    FreeRun free_run_;
    Collisions collisions_;
    std::vector<NodeId> nodes_;
    Value value_ = 0;
    Value value_before_ = 0;
    Move pending_;
    std::vector<MovedMessage> pending_messages_;
    std::vector<LinkId> scratch_;
};

}  // namespace haichi
