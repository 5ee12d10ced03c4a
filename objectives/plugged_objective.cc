#include "objectives/plugged_objective.h"

#include <cmath>
#include <string>

#include "base/errors.h"

namespace haichi {

namespace {

static_assert(sizeof(Message) == sizeof(plugin::Message) &&
              offsetof(Message, destination) == offsetof(plugin::Message, destination) &&
              offsetof(Message, size_bytes) == offsetof(plugin::Message, size_bytes));
static_assert(sizeof(IncidentMessage) == sizeof(plugin::IncidentMessage) &&
              offsetof(IncidentMessage, set_and_direction) == offsetof(plugin::IncidentMessage, set_and_direction) &&
              offsetof(IncidentMessage, size_bytes) == offsetof(plugin::IncidentMessage, size_bytes));
static_assert(sizeof(LinkId) == sizeof(plugin::Link));

std::int32_t plugged_hops(const void* host, plugin::Node a, plugin::Node b) {
    return static_cast<const Problem*>(host)->hop_distance()(NodeId(a), NodeId(b));
}

const plugin::Link* plugged_route(const void* host, plugin::Node source, plugin::Node destination,
                                  std::uint64_t* count) {
    thread_local std::vector<LinkId> scratch;
    const auto links = static_cast<const Problem*>(host)->route(NodeId(source), NodeId(destination), scratch);
    *count = links.size();
    return links.empty() ? nullptr : &links.front().value;
}

/// A user's function of the mapping, such as a Python callable, called for every proposal. The function must return the
/// same value for the same mapping. It has no unit and no lower bound.
class NodeFunction {
  public:
    using Value = double;
    static constexpr plugin::ObjectiveInfo kInfo{"function", "1", "a function of the node of every rank"};

    NodeFunction(const plugin::Problem& problem, const plugin::Placement& default_placement, const void* function)
        : function_(static_cast<const ObjectiveFunction*>(function)) {
        reset(default_placement);
        const double usual = std::abs(value_);
        double ends = 0;
        for (plugin::Rank r = 0; r < problem.rank_count(); ++r) ends += static_cast<double>(problem.incident(r).size());
        energy_scale_ = usual > 0 ? ends / 2 / usual : 1;
    }

    void reset(const plugin::Placement& placement) {
        nodes_ = as_ids(placement);
        value_ = checked(nodes_);
    }
    plugin::Change propose(const plugin::Placement&, plugin::Move move) {
        pending_.assign(move.begin(), move.end());
        value_before_ = value_;
        for (const plugin::Relocation& r : move) nodes_[static_cast<std::size_t>(r.rank)] = NodeId(r.to_node);
        value_ = checked(nodes_);
        return {(value_ - value_before_) * energy_scale_, 0};
    }
    void rollback() {
        for (const plugin::Relocation& r : pending_) nodes_[static_cast<std::size_t>(r.rank)] = NodeId(r.from_node);
        value_ = value_before_;
    }
    [[nodiscard]] Value value() const { return value_; }
    [[nodiscard]] Value value_from_scratch(const plugin::Placement& placement) const {
        return checked(as_ids(placement));
    }

  private:
    static std::vector<NodeId> as_ids(const plugin::Placement& placement) {
        std::vector<NodeId> nodes;
        for (const plugin::Node node : placement.node_of_rank()) nodes.emplace_back(node);
        return nodes;
    }
    [[nodiscard]] double checked(std::span<const NodeId> nodes) const {
        const double value = (*function_)(nodes);
        if (!std::isfinite(value)) throw InputError("the objective function returned " + std::to_string(value));
        return value;
    }

    const ObjectiveFunction* function_;
    std::vector<NodeId> nodes_;
    /// Energy of one unit of value: the default placement's value corresponds to one unit per crossing message.
    double energy_scale_ = 1;
    Value value_ = 0;
    Value value_before_ = 0;
    std::vector<plugin::Relocation> pending_;
};

}  // namespace

PluggedProblem::PluggedProblem(const Problem& problem) {
    const Workload& workload = problem.workload();
    first_of_set_.push_back(0);
    for (std::size_t t = 0; t < problem.set_count(); ++t) {
        first_of_set_.push_back(workload.set(t).end);
        unavoidable_bytes_.push_back(problem.unavoidable_bytes(t));
    }
    first_of_rank_.push_back(0);
    for (std::int32_t r = 0; r < problem.rank_count(); ++r) {
        first_of_rank_.push_back(first_of_rank_.back() + problem.incident(RankId(r)).size());
    }
    for (std::int32_t link = 0; link < problem.network().link_count(); ++link) {
        seconds_per_byte_.push_back(static_cast<double>(problem.link_scale(LinkId(link))) / problem.scale_per_second());
    }
    data_.rank_count = problem.rank_count();
    data_.node_count = problem.node_count();
    data_.ranks_per_node = problem.ranks_per_node();
    data_.diameter = problem.network().diameter();
    data_.set_count = problem.set_count();
    data_.link_count = seconds_per_byte_.size();
    data_.mean_message_bytes = problem.mean_message_bytes();
    data_.messages = reinterpret_cast<const plugin::Message*>(workload.messages().data());
    data_.first_of_set = first_of_set_.data();
    if (problem.rank_count() > 0) {
        data_.incident = reinterpret_cast<const plugin::IncidentMessage*>(problem.incident(RankId(0)).data());
    }
    data_.first_of_rank = first_of_rank_.data();
    data_.unavoidable_bytes = unavoidable_bytes_.data();
    data_.seconds_per_byte = seconds_per_byte_.data();
    data_.hop_table = problem.hop_distance().table8();
    data_.host = &problem;
    data_.hops = plugged_hops;
    data_.route = plugged_route;
}

PluggedObjective PluggedObjective::of(const ObjectiveFunction& function, const Problem& problem) {
    if (const auto* own = function.target<PluggedObjective>()) return *own;
    return {plugin::table_of<NodeFunction>(), std::make_shared<ObjectiveFunction>(function), problem};
}

PluggedObjective::State PluggedObjective::make(const Mapping& default_placement) const {
    const plugin::Node* const nodes = plugged_nodes(default_placement.node_of_rank());
    return {table_->create(context_.get(), &problem_->data(), nodes), table_->destroy};
}

double PluggedObjective::operator()(std::span<const NodeId> node_of_rank) const {
    const plugin::Node* const nodes = plugged_nodes(node_of_rank);
    const State state(table_->create(context_.get(), &problem_->data(), nodes), table_->destroy);
    return table_->in_unit(state.get(), table_->value_from_scratch(state.get(), nodes));
}

}  // namespace haichi
