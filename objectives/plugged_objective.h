#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "include/haichi/plugin.h"
#include "objectives/objective.h"

namespace haichi {

/// A job's messages and network in the form that plug-ins receive. The problem must outlive this object.
class PluggedProblem {
  public:
    explicit PluggedProblem(const Problem& problem);
    PluggedProblem(const PluggedProblem&) = delete;
    PluggedProblem& operator=(const PluggedProblem&) = delete;

    [[nodiscard]] const plugin::ProblemData& data() const { return data_; }

  private:
    std::vector<std::uint64_t> first_of_set_;
    std::vector<std::uint64_t> first_of_rank_;
    std::vector<std::int64_t> unavoidable_bytes_;
    std::vector<double> seconds_per_byte_;
    plugin::ProblemData data_{};
};

/// A user's objective as a table of functions. As an ObjectiveFunction, it returns the value of a placement. A search
/// extracts the table and uses it to evaluate moves. Copies share all data.
class PluggedObjective {
  public:
    using State = std::unique_ptr<void, void (*)(void*)>;

    /// `context` is the first argument of the table's `create`. It also keeps the code of the functions loaded.
    PluggedObjective(const plugin::ObjectiveTable& table, std::shared_ptr<const void> context, const Problem& problem)
        : table_(&table), context_(std::move(context)), problem_(std::make_shared<PluggedProblem>(problem)) {}

    /// Wraps a function. Uses its table of functions if it has one, otherwise a table that calls it for every move.
    static PluggedObjective of(const ObjectiveFunction& function, const Problem& problem);

    [[nodiscard]] const plugin::ObjectiveTable& table() const { return *table_; }
    [[nodiscard]] std::int32_t rank_count() const { return problem_->data().rank_count; }
    [[nodiscard]] State make(const Mapping& default_placement) const;
    /// The value of a placement, in the unit of the objective.
    double operator()(std::span<const NodeId> node_of_rank) const;

  private:
    const plugin::ObjectiveTable* table_;
    std::shared_ptr<const void> context_;
    std::shared_ptr<const PluggedProblem> problem_;
};

/// The array of a mapping in the form of plug-ins.
inline const plugin::Node* plugged_nodes(std::span<const NodeId> node_of_rank) {
    static_assert(sizeof(NodeId) == sizeof(plugin::Node));
    return node_of_rank.empty() ? nullptr : &node_of_rank.front().value;
}

}  // namespace haichi
