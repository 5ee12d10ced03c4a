#pragma once

#include <array>
#include <span>
#include <string>

#include "base/errors.h"
#include "objectives/plugged_objective.h"

namespace haichi {

/// A user's own objective: ObjectiveSpec::function, which may be a PluggedObjective.
class FunctionObjective {
  public:
    struct Value : plugin::Value {
        explicit operator unsigned __int128() const { return static_cast<unsigned __int128>(count); }
        friend auto operator<=>(const Value&, const Value&) = default;
        friend bool operator==(const Value&, const Value&) = default;
    };
    static constexpr ObjectiveInfo kInfo{"function", "values", "a user's own objective"};

    FunctionObjective(const Problem& problem, const ObjectiveSpec& spec, const Mapping& default_placement)
        : plugged_(PluggedObjective::of(spec.function, problem)),
          table_(&plugged_.table()),
          state_(plugged_.make(default_placement)) {}

    void reset(const Mapping& mapping) { table_->reset(state_.get(), nodes_of(mapping)); }
    Change propose(const Mapping& mapping, const Move& move) {
        std::array<plugin::Relocation, Move::kMost> relocations;
        for (std::size_t i = 0; i < move.size(); ++i) {
            relocations[i] = {move[i].rank.value, move[i].from_node.value, move[i].to_node.value};
        }
        const plugin::Change change = table_->propose(state_.get(), nodes_of(mapping), relocations.data(), move.size());
        return {change.value, change.smoothing};
    }
    void commit() { table_->commit(state_.get()); }
    void rollback() { table_->rollback(state_.get()); }

    [[nodiscard]] Value value() const { return {table_->value(state_.get())}; }
    [[nodiscard]] std::int64_t smoothing() const { return table_->smoothing(state_.get()); }
    [[nodiscard]] Value value_from_scratch(const Mapping& mapping) const {
        return {table_->value_from_scratch(state_.get(), nodes_of(mapping))};
    }
    [[nodiscard]] std::int64_t smoothing_from_scratch(const Mapping& mapping) const {
        return table_->smoothing_from_scratch(state_.get(), nodes_of(mapping));
    }
    [[nodiscard]] std::optional<Value> lower_bound() const {
        Value bound{};
        if (!table_->lower_bound(state_.get(), &bound)) return std::nullopt;
        return bound;
    }
    [[nodiscard]] double in_unit(Value value) const { return table_->in_unit(state_.get(), value); }
    void append_hot_ranks(const Mapping& mapping, std::vector<RankId>& ranks) const {
        const std::size_t before = ranks.size();
        table_->append_hot_ranks(state_.get(), nodes_of(mapping), &ranks, [](void* list, plugin::Rank rank) {
            static_cast<std::vector<RankId>*>(list)->emplace_back(rank);
        });
        for (const RankId rank : std::span(ranks).subspan(before)) {
            if (rank.value >= 0 && rank.value < plugged_.rank_count()) continue;
            throw InputError("append_hot_ranks() of the objective " + std::string(plugged_.table().info.name) +
                             " appended rank " + std::to_string(rank.value) + ", but the job has " +
                             std::to_string(plugged_.rank_count()) + " ranks");
        }
    }

  private:
    static const plugin::Node* nodes_of(const Mapping& mapping) { return plugged_nodes(mapping.node_of_rank()); }

    PluggedObjective plugged_;
    const plugin::ObjectiveTable* table_;
    PluggedObjective::State state_;
};

}  // namespace haichi
