#include "objectives/predicted_time.h"

#include <algorithm>

namespace haichi {

PredictedTime::PredictedTime(const Problem& problem, const ObjectiveSpec&, const Mapping&)
    : problem_(&problem),
      messages_(std::make_shared<TimedMessages>(problem)),
      queues_(problem, messages_),
      clocks_(problem, *messages_),
      rank_count_(std::max<std::int64_t>(1, static_cast<std::int64_t>(problem.communicating_ranks().size()))),
      per_message_(1.0 /
                   (2.0 * static_cast<double>(rank_count_) * static_cast<double>(messages_->ticks_of_mean_message()))),
      smoothing_per_tick_(kQueuesInSmoothing / static_cast<double>(messages_->ticks_of_mean_message())) {
    const auto ranks = static_cast<std::size_t>(problem.rank_count());
    const std::size_t sets = problem.set_count();
    const std::size_t row_bytes = 2 * sizeof(std::int64_t) * std::max<std::size_t>(ranks, 1);
    while (sets / sets_per_checkpoint_ > std::max<std::size_t>(kClocksBudgetBytes / row_bytes, 1)) {
        sets_per_checkpoint_ *= 2;
    }
    checkpoints_.resize((sets + sets_per_checkpoint_ - 1) / sets_per_checkpoint_ + 1);
    clocks_here_.resize(ranks);
    clocks_next_.resize(ranks);
}

void PredictedTime::reset(const Mapping& mapping) {
    queues_.place(mapping.node_of_rank());
    for (Checkpoint& checkpoint : checkpoints_) {
        checkpoint.now.assign(clocks_here_.size(), 0);
        checkpoint.proposed.assign(clocks_here_.size(), 0);
        checkpoint.is_proposed = false;
    }
    for (std::size_t k = 0; k + 1 < checkpoints_.size(); ++k) {
        pass_checkpoint(k);
        checkpoints_[k + 1].now.swap(checkpoints_[k + 1].proposed);
    }
    queue_ = queues_.mean_ticks();
    value_ = combine(checkpoints_.back().now, queue_);
}

void PredictedTime::pass_checkpoint(std::size_t k) {
    const std::size_t first = k * sets_per_checkpoint_;
    const std::size_t end = std::min(first + sets_per_checkpoint_, problem_->set_count());
    for (std::size_t t = first; t < end; ++t) {
        const std::span<const std::int64_t> before = t == first ? std::span(checkpoints_[k].last()) : clocks_here_;
        const std::span<std::int64_t> after = t + 1 == end ? std::span(checkpoints_[k + 1].proposed) : clocks_next_;
        clocks_.pass(t, queues_, before, after);
        clocks_here_.swap(clocks_next_);
    }
}

PredictedTime::Value PredictedTime::combine(std::span<const std::int64_t> clocks, std::int64_t queue) const {
    std::int64_t largest = 0;
    std::int64_t sum = 0;
    for (const std::int64_t clock : clocks) {
        largest = std::max(largest, clock);
        sum += clock;
    }
    return rank_count_ * (largest + queue / 8) + sum;
}

bool PredictedTime::is_touched(std::size_t k) const {
    const std::size_t end = std::min((k + 1) * sets_per_checkpoint_, problem_->set_count());
    for (std::size_t t = k * sets_per_checkpoint_; t < end; ++t) {
        if (queues_.is_touched(t)) return true;
    }
    return false;
}

Change PredictedTime::propose(const Mapping&, const Move& move) {
    value_before_ = value_;
    queue_before_ = queue_;
    queues_.move(move);
    if (queues_.touched_sets().empty()) return {};
    for (std::size_t k = std::ranges::min(queues_.touched_sets()) / sets_per_checkpoint_; k + 1 < checkpoints_.size();
         ++k) {
        if (!checkpoints_[k].is_proposed && !is_touched(k)) continue;
        pass_checkpoint(k);
        Checkpoint& next = checkpoints_[k + 1];
        next.is_proposed = next.proposed != next.now;
        if (next.is_proposed) proposed_checkpoints_.push_back(k + 1);
    }
    queue_ = queues_.mean_ticks();
    value_ = combine(checkpoints_.back().last(), queue_);
    return {static_cast<double>(value_ - value_before_) * per_message_,
            static_cast<double>(queue_ - queue_before_) * smoothing_per_tick_};
}

void PredictedTime::commit() {
    for (const std::size_t k : proposed_checkpoints_) {
        checkpoints_[k].now.swap(checkpoints_[k].proposed);
        checkpoints_[k].is_proposed = false;
    }
    proposed_checkpoints_.clear();
}

void PredictedTime::rollback() {
    for (const std::size_t k : proposed_checkpoints_) checkpoints_[k].is_proposed = false;
    proposed_checkpoints_.clear();
    queues_.undo();
    value_ = value_before_;
    queue_ = queue_before_;
}

PredictedTime::Value PredictedTime::value_from_scratch(const Mapping& mapping) const {
    LinkQueues queues(*problem_, messages_);
    queues.place(mapping.node_of_rank());
    RankClocks clocks(*problem_, *messages_);
    std::vector<std::int64_t> here(static_cast<std::size_t>(problem_->rank_count()), 0);
    std::vector<std::int64_t> next(here);
    for (std::size_t t = 0; t < problem_->set_count(); ++t) {
        clocks.pass(t, queues, here, next);
        here.swap(next);
    }
    return combine(here, queues.mean_ticks());
}

std::int64_t PredictedTime::smoothing_from_scratch(const Mapping& mapping) const {
    LinkQueues queues(*problem_, messages_);
    queues.place(mapping.node_of_rank());
    return queues.mean_ticks();
}

std::optional<PredictedTime::Value> PredictedTime::lower_bound() const {
    std::vector<std::int64_t> here(static_cast<std::size_t>(problem_->rank_count()), 0);
    std::vector<std::int64_t> next(here);
    for (std::size_t t = 0; t < problem_->set_count(); ++t) {
        RankClocks::pass_at_least(t, *messages_, here, next);
        here.swap(next);
    }
    return combine(here, queues_.least_mean_ticks());
}

void PredictedTime::append_hot_ranks(const Mapping& mapping, std::vector<RankId>& ranks) const {
    std::vector<std::int64_t> load(static_cast<std::size_t>(problem_->network().link_count()), 0);
    std::vector<LinkId> scratch;
    for (std::size_t t = 0; t < problem_->set_count(); ++t) {
        std::int64_t most = 0;
        const auto for_each_route = [&](auto&& f) {
            for (const Message& m : problem_->workload().messages(t)) {
                if (!m.crosses_network()) continue;
                f(m, problem_->route(mapping.node(m.source), mapping.node(m.destination), scratch));
            }
        };
        for_each_route([&](const Message& m, std::span<const LinkId> route) {
            for (const LinkId link : route) {
                most = std::max(most, load[link.index()] += m.size_bytes * problem_->link_scale(link));
            }
        });
        for_each_route([&](const Message& m, std::span<const LinkId> route) {
            const bool is_hot = std::ranges::any_of(route, [&](LinkId l) {
                return load[l.index()] == most && load[l.index()] > m.size_bytes * problem_->link_scale(l);
            });
            if (!is_hot) return;
            ranks.push_back(m.source);
            ranks.push_back(m.destination);
        });
        for_each_route([&](const Message&, std::span<const LinkId> route) {
            for (const LinkId link : route) load[link.index()] = 0;
        });
    }
}

}  // namespace haichi
