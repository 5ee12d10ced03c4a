#include "objectives/tac3_overlap.h"

#include <algorithm>

namespace haichi {

Tac3Overlap::Tac3Overlap(const Problem& problem, const ObjectiveSpec&, const Mapping&)
    : problem_(&problem), free_run_(problem), collisions_(problem) {}

void Tac3Overlap::add(const MovedMessage& m, NodeId source, NodeId destination) {
    collisions_.add(m.set, problem_->route(source, destination, scratch_));
}

void Tac3Overlap::remove(const MovedMessage& m, NodeId source, NodeId destination) {
    collisions_.remove(m.set, problem_->route(source, destination, scratch_));
}

void Tac3Overlap::reset(const Mapping& mapping) {
    nodes_.assign(mapping.node_of_rank().begin(), mapping.node_of_rank().end());
    collisions_.clear();
    for (std::size_t t = 0; t < problem_->set_count(); ++t) {
        for (const Message& m : problem_->workload().messages(t)) {
            if (!m.crosses_network()) continue;
            collisions_.add(t, problem_->route(mapping.node(m.source), mapping.node(m.destination), scratch_));
        }
    }
    value_ = free_run_.run(nodes_);
}

Change Tac3Overlap::propose(const Mapping& mapping, const Move& move) {
    const std::int64_t excess = collisions_.excess();
    value_before_ = value_;
    pending_ = move;
    pending_messages_.clear();
    for_each_moved_message(*problem_, mapping, move, [&](const MovedMessage& m) {
        pending_messages_.push_back(m);
        remove(m, m.old_source, m.old_destination);
        add(m, m.new_source, m.new_destination);
    });
    for (const Relocation& moved : move) nodes_[moved.rank.index()] = moved.to_node;
    if (!pending_messages_.empty()) value_ = free_run_.run(nodes_);
    const auto mean_messages = static_cast<double>(free_run_.ticks_of_mean_message() * FreeRun::kIterations);
    return {static_cast<double>(value_ - value_before_) / mean_messages,
            static_cast<double>(collisions_.excess() - excess) / problem_->mean_message_bytes()};
}

void Tac3Overlap::rollback() {
    for (const MovedMessage& m : pending_messages_) {
        remove(m, m.new_source, m.new_destination);
        add(m, m.old_source, m.old_destination);
    }
    for (const Relocation& moved : pending_) nodes_[moved.rank.index()] = moved.from_node;
    value_ = value_before_;
}

void Tac3Overlap::append_hot_ranks(const Mapping& mapping, std::vector<RankId>& ranks) const {
    std::vector<LinkId> scratch;
    for (std::size_t t = 0; t < problem_->set_count(); ++t) {
        for (const Message& m : problem_->workload().messages(t)) {
            if (!m.crosses_network()) continue;
            const auto links = problem_->route(mapping.node(m.source), mapping.node(m.destination), scratch);
            if (!std::ranges::any_of(links, [&](LinkId l) { return collisions_.count(t, l) > 1; })) continue;
            ranks.push_back(m.source);
            ranks.push_back(m.destination);
        }
    }
}

}  // namespace haichi
