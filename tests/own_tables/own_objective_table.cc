// An objective that exists only here, and the table that contains it. A program linked with this file supports it
// everywhere (tests/own_tables/test_own_objective.py).

#include "mapper/anneal/objective_row.h"

namespace haichi {

namespace {

/// far-messages: the number of messages with routes of more than one hop.
class FarMessages {
  public:
    using Value = std::int64_t;
    static constexpr ObjectiveInfo kInfo{.name = "far-messages",
                                         .unit = "messages",
                                         .sentence = "number of messages with routes of more than one hop",
                                         .report_key = "far_messages"};

    FarMessages(const Problem& problem, const ObjectiveSpec&, const Mapping&) : problem_(&problem) {}

    void reset(const Mapping& mapping) { value_ = value_from_scratch(mapping); }
    Change propose(const Mapping& mapping, const Move& move) {
        value_before_ = value_;
        for_each_moved_message(*problem_, mapping, move, [&](const MovedMessage& m) {
            value_ += is_far(m.new_source, m.new_destination) - is_far(m.old_source, m.old_destination);
        });
        return {static_cast<double>(value_ - value_before_), 0};
    }
    void commit() {}
    void rollback() { value_ = value_before_; }

    [[nodiscard]] Value value() const { return value_; }
    [[nodiscard]] std::int64_t smoothing() const { return 0; }
    [[nodiscard]] Value value_from_scratch(const Mapping& mapping) const {
        Value sum = 0;
        for (const Message& m : problem_->workload().messages()) {
            if (m.crosses_network()) sum += is_far(mapping.node(m.source), mapping.node(m.destination));
        }
        return sum;
    }
    [[nodiscard]] std::int64_t smoothing_from_scratch(const Mapping&) const { return 0; }
    [[nodiscard]] std::optional<Value> lower_bound() const { return 0; }
    [[nodiscard]] double in_unit(Value value) const { return static_cast<double>(value); }
    void append_hot_ranks(const Mapping&, std::vector<RankId>&) const {}

  private:
    [[nodiscard]] int is_far(NodeId a, NodeId b) const { return problem_->network().hops(a, b) > 1 ? 1 : 0; }

    const Problem* problem_;
    Value value_ = 0;
    Value value_before_ = 0;
};

}  // namespace

const Table<ObjectiveRow>& objectives() {
    static const Table<ObjectiveRow> kTable = objective_table([] {
        std::vector<ObjectiveRow> rows = built_in_objectives();
        rows.push_back(objective_row<FarMessages>());
        return rows;
    }());
    return kTable;
}

}  // namespace haichi
