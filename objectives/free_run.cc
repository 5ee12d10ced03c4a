#include "objectives/free_run.h"

#include <algorithm>

namespace haichi {

FreeRun::FreeRun(const Problem& problem)
    : problem_(&problem), flows_on_link_(static_cast<std::size_t>(problem.network().link_count())) {
    choose_ticks();
    for (std::size_t t = 0; t < problem.set_count(); ++t) {
        for (const Message& m : problem.workload().messages(t)) {
            if (!m.crosses_network()) continue;
            Flow flow;
            flow.source = m.source;
            flow.destination = m.destination;
            flow.set = t;
            const auto ticks =
                static_cast<unsigned __int128>(m.size_bytes) * static_cast<std::uint64_t>(ticks_of_largest_);
            const auto largest = static_cast<std::uint64_t>(largest_bytes_);
            flow.size_ticks = static_cast<std::int64_t>((ticks + largest - 1) / largest);
            flows_.push_back(std::move(flow));
        }
    }
    index_steps();
}

void FreeRun::choose_ticks() {
    for (std::size_t t = 0; t < problem_->set_count(); ++t) {
        largest_bytes_ = std::max(largest_bytes_, problem_->set_largest_bytes(t));
    }
    std::int64_t largest_scale = 1;
    for (std::size_t c = 0; c < problem_->class_count(); ++c) {
        largest_scale = std::max(largest_scale, problem_->class_scale(c));
    }
    // Some link is always busy with what is left, so the run ends before all routes have been passed one by one.
    const auto passages = static_cast<__int128>(problem_->workload().crossing_message_count() + 1) *
                          (problem_->network().longest_route() + 1) * kIterations;
    constexpr __int128 kLatest = __int128{1} << 61;
    while (ticks_of_largest_ > 1 && passages * largest_scale * ticks_of_largest_ > kLatest) ticks_of_largest_ /= 2;
    const double mean = problem_->mean_message_bytes() / static_cast<double>(largest_bytes_);
    mean_ticks_ = static_cast<std::int64_t>(mean * static_cast<double>(ticks_of_largest_)) * problem_->smallest_scale();
    mean_ticks_ = std::max<std::int64_t>(mean_ticks_, 1);
    gap_ticks_ = mean_ticks_ / kGapsPerMessage;
}

void FreeRun::index_steps() {
    std::vector<std::vector<std::uint32_t>> of_rank(static_cast<std::size_t>(problem_->rank_count()));
    for (std::uint32_t i = 0; i < flows_.size(); ++i) {
        of_rank[flows_[i].source.index()].push_back(i);
        of_rank[flows_[i].destination.index()].push_back(i);
    }
    for (const auto& flows : of_rank) {
        Rank rank;
        rank.first_step = steps_.size();
        for (std::size_t k = 0; k < flows.size(); ++k) {
            if (k == 0 || flows_[flows[k]].set != flows_[flows[k - 1]].set) steps_.push_back({flow_of_step_.size(), 0});
            flow_of_step_.push_back(flows[k]);
            ++steps_.back().count;
        }
        rank.steps = steps_.size() - rank.first_step;
        ranks_.push_back(rank);
    }
}

std::int64_t FreeRun::run(std::span<const NodeId> node_of_rank) {
    for (Flow& flow : flows_) {
        const auto route =
            problem_->route(node_of_rank[flow.source.index()], node_of_rank[flow.destination.index()], scratch_);
        flow.route.assign(route.begin(), route.end());
        flow.ends_missing = 2;
        flow.slowness = 0;
        flow.plan = 0;
    }
    for (Rank& rank : ranks_) {
        rank.now = 0;
        enter_step(rank, 0);
    }
    std::int64_t now = 0;
    while (!events_.empty()) {
        const Event event = events_.top();
        events_.pop();
        if (event.plan != flows_[event.flow].plan) continue;
        now = event.time;
        if (flows_[event.flow].slowness == 0) {
            begin(event.flow, now);
        } else {
            end(event.flow, now);
        }
    }
    return now;
}

void FreeRun::enter_step(Rank& rank, std::int64_t now) {
    if (rank.now == rank.steps * static_cast<std::size_t>(kIterations)) return;
    const Step& step = steps_[rank.first_step + rank.now % rank.steps];
    rank.open = step.count;
    for (std::size_t k = step.first; k < step.first + step.count; ++k) {
        const std::uint32_t i = flow_of_step_[k];
        Flow& flow = flows_[i];
        if (--flow.ends_missing > 0) continue;
        flow.ends_missing = 2;  // of the next iteration
        plan(i, flow.route.empty() ? now : now + gap_ticks_);
    }
}

void FreeRun::begin(std::uint32_t i, std::int64_t now) {
    Flow& flow = flows_[i];
    flow.left_ticks = flow.route.empty() ? 0 : flow.size_ticks;
    flow.slowness = 1;
    flow.updated = now;
    for (const LinkId link : flow.route) flows_on_link_[link.index()].push_back(i);
    plan(i, now + flow.left_ticks);
    change_pace(flow.route, now);
}

void FreeRun::end(std::uint32_t i, std::int64_t now) {
    Flow& flow = flows_[i];
    flow.slowness = 0;
    ++flow.plan;
    for (const LinkId link : flow.route) {
        auto& flows = flows_on_link_[link.index()];
        *std::ranges::find(flows, i) = flows.back();
        flows.pop_back();
    }
    change_pace(flow.route, now);
    for (const RankId id : {flow.source, flow.destination}) {
        Rank& rank = ranks_[id.index()];
        if (--rank.open > 0) continue;
        ++rank.now;
        enter_step(rank, now);
    }
}

void FreeRun::change_pace(const std::vector<LinkId>& route, std::int64_t now) {
    for (const LinkId changed : route) {
        for (const std::uint32_t i : flows_on_link_[changed.index()]) {
            Flow& flow = flows_[i];
            std::int64_t slowness = 0;
            for (const LinkId link : flow.route) {
                const auto sharing = static_cast<std::int64_t>(flows_on_link_[link.index()].size());
                slowness = std::max(slowness, sharing * problem_->link_scale(link));
            }
            if (slowness == flow.slowness) continue;
            // Rounded down, so that nothing arrives before it can.
            flow.left_ticks -= (now - flow.updated) / flow.slowness;
            flow.updated = now;
            flow.slowness = slowness;
            plan(i, now + flow.left_ticks * slowness);
        }
    }
}

void FreeRun::plan(std::uint32_t i, std::int64_t time) { events_.push({time, i, ++flows_[i].plan}); }

std::int64_t FreeRun::lower_bound() const {
    const std::int64_t scale = problem_->smallest_scale();
    std::int64_t bound = 0;
    if (problem_->ranks_per_node() == 1) {
        for (const Rank& rank : ranks_) {
            std::int64_t ticks = 0;
            for (std::size_t s = rank.first_step; s < rank.first_step + rank.steps; ++s) {
                std::int64_t largest = 0;
                for (std::size_t k = steps_[s].first; k < steps_[s].first + steps_[s].count; ++k) {
                    largest = std::max(largest, flows_[flow_of_step_[k]].size_ticks);
                }
                ticks += gap_ticks_ + largest * scale;
            }
            bound = std::max(bound, ticks);
        }
        return bound * kIterations;
    }
    // Partners may share a node; but of every set some message may have to cross a link.
    for (std::size_t t = 0; t < problem_->set_count(); ++t) {
        const std::int64_t bytes = problem_->unavoidable_bytes(t);
        if (bytes == 0) continue;
        const auto ticks = static_cast<unsigned __int128>(bytes) * static_cast<std::uint64_t>(ticks_of_largest_);
        const auto size = static_cast<std::int64_t>(ticks / static_cast<std::uint64_t>(largest_bytes_));
        bound = std::max(bound, gap_ticks_ + size * scale);
    }
    return bound * kIterations;
}

double FreeRun::seconds(std::int64_t ticks) const {
    const double bytes = static_cast<double>(ticks) / static_cast<double>(ticks_of_largest_ * kIterations) *
                         static_cast<double>(largest_bytes_);
    return bytes / problem_->scale_per_second();
}

}  // namespace haichi
