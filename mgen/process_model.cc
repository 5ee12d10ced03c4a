// Running the model, CPU time of ranks, barriers, and reports of waiting ranks.

#include "mgen/process_model.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/errors.h"
#include "mgen/waiting_text.h"

namespace haichi {

ProcessModel::ProcessModel(const Parameters& parameters, RankProgram& program)
    : program_(&program),
      options_(parameters.process),
      ranks_(parameters.node_of_rank.size()),
      engine_(
          *parameters.network, parameters.timing, *this,
          {.threads = parameters.threads,
           .partitions = parameters.partitions,
           .transport = parameters.transport,
           .least_events_for_threads = program.keeps_threads() ? 0 : PacketEngineOptions{}.least_events_for_threads,
           // A barrier notification travels to the home partition and back.
           .shortest_client_latency_ps =
               parameters.uses_barriers
                   ? (parameters.shortest_barrier_ps >= 0 ? parameters.shortest_barrier_ps : options_.barrier_ps) / 2
                   : PacketEngineOptions{}.shortest_client_latency_ps}),
      shared_(static_cast<std::size_t>(engine_.partition_count())),
      most_pairs_(kPairsOfRank * rank_count()) {
    const auto nodes = static_cast<std::size_t>(parameters.network->node_count());
    first_of_node_.assign(nodes + 1, 0);
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
        const NodeId node = parameters.node_of_rank[r];
        if (node.value < 0 || node.index() >= nodes || !parameters.network->is_usable(node)) {
            throw OptionError("rank " + std::to_string(r) + " cannot be on node " + std::to_string(node.value));
        }
        ranks_[r].node = node;
        ranks_[r].place = first_of_node_[node.index() + 1]++;
        if (options_.sends_one_by_one || options_.send_buffer_bytes > 0) {
            ranks_[r].send_queue = std::make_unique<SendQueue>();
        }
    }
    for (std::size_t n = 0; n < nodes; ++n) first_of_node_[n + 1] += first_of_node_[n];
    ranks_of_nodes_.resize(ranks_.size());
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
        ranks_of_nodes_[first_of_node_[ranks_[r].node.index()] + ranks_[r].place] = RankId(r);
    }
}

std::int32_t ProcessModel::add_group(std::vector<RankId> ranks, std::optional<std::int64_t> cost_ps) {
    RankGroup group;
    group.cost_ps = cost_ps.value_or(options_.barrier_ps);
    for (const RankId rank : ranks) {
        const NodeId node = rank_at(rank).node;
        const int partition = engine_.partition_of(node);
        auto part = std::ranges::lower_bound(group.parts, partition, {}, &RankGroup::Part::partition);
        if (part == group.parts.end() || part->partition != partition) {
            part = group.parts.insert(part, {.partition = partition, .node = node});
        }
        ++part->members;
    }
    group.ranks = std::move(ranks);
    const std::lock_guard<std::mutex> lock(groups_change_);
    groups_.push_back(std::move(group));
    return static_cast<std::int32_t>(groups_.size() - 1);
}

void ProcessModel::run(const std::function<bool()>& go_on, std::int64_t until_ps) {
    if (!std::exchange(has_started_, true)) {
        for (const Rank& rank : ranks_) engine_.call_at(rank.node, timer_data(rank.place, Timer::kCpu), 0);
    }
    bool is_stopped = false;
    do {
        engine_.run_while(
            [&] {
                forget_pairs();
                is_stopped = !go_on();
                return !is_stopped;
            },
            until_ps);
        if (is_stopped || !engine_.is_idle() || has_ended()) return;
    } while (look_again());
    throw InputError("the program is stuck at " + std::to_string(engine_.now_ps()) + " ps; " + waiting_ranks(),
                     program_->hint_when_stuck());
}

/// Called when nothing can happen any more. Ranks that only poll for messages may still stop polling and continue.
bool ProcessModel::look_again() {
    std::vector<RankId> waiting;
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
        if (ranks_[r].state == State::kWaiting) waiting.push_back(RankId(r));
    }
    if (!program_->may_look_again(waiting)) return false;
    for (const RankId id : waiting) {
        const Rank& rank = rank_at(id);
        if (may_resume(id)) engine_.call_at(rank.node, timer_data(rank.place, Timer::kCpu), engine_.now_ps());
    }
    return true;
}

bool ProcessModel::all_finished() const {
    return std::ranges::all_of(ranks_, [](const Rank& rank) { return rank.state == State::kFinished; });
}

bool ProcessModel::has_ended() const { return (program_->was_aborted() && engine_.is_idle()) || all_finished(); }

RankTimes ProcessModel::times(RankId id) const {
    const Rank& at = ranks_[id.index()];
    RankTimes times{at.compute_ps, at.call_ps, at.wait_ps, at.since_ps, at.state == State::kFinished};
    if (times.finished) return times;
    const std::int64_t rest_ps = engine_.now_ps() - at.since_ps;
    times.end_ps += rest_ps;
    switch (at.state) {
        case State::kComputing:
            times.compute_ps += rest_ps;
            break;
        case State::kCalling:
        case State::kCopying:
            times.call_ps += rest_ps;
            break;
        default:
            times.wait_ps += rest_ps;
    }
    return times;
}

// ---- The CPU of a rank ----------------------------------------------------------------------------------------------

void ProcessModel::enter(Rank& rank, State state, std::int64_t now_ps) {
    const std::int64_t passed_ps = now_ps - rank.since_ps;
    switch (rank.state) {
        case State::kComputing:
            rank.compute_ps += passed_ps;
            break;
        case State::kCalling:
        case State::kCopying:
            rank.call_ps += passed_ps;
            break;
        default:
            rank.wait_ps += passed_ps;
    }
    rank.state = state;
    rank.since_ps = now_ps;
}

/// Sets a timer and returns false if the action costs CPU time.
bool ProcessModel::spend(Rank& rank, State state, std::int64_t cost_ps, std::int64_t now_ps) {
    enter(rank, state, now_ps);
    if (cost_ps == 0) return true;
    engine_.call_at(rank.node, timer_data(rank.place, Timer::kCpu), later_ps(now_ps, cost_ps));
    return false;
}

std::int64_t ProcessModel::cost_ps(const Call& call) const {
    switch (call.kind) {
        case Call::Kind::kCompute:
        case Call::Kind::kSpend:
            return call.amount;
        case Call::Kind::kReceive:
        case Call::Kind::kWait:
            return options_.call_overhead_ps;
        case Call::Kind::kPut:
        case Call::Kind::kGet:
        case Call::Kind::kAtomic:
        case Call::Kind::kPoll:
            return options_.rdma_overhead_ps;
        case Call::Kind::kSend: {
            const std::int64_t overhead_ps = is_eager(call)
                                                 ? options_.eager_overhead_ps
                                                 : later_ps(options_.call_overhead_ps, options_.rendezvous_overhead_ps);
            if (!is_copied(call)) return overhead_ps;
            return later_ps(overhead_ps, copy_ps(call.amount, options_.memory_bandwidth_bytes_per_s));
        }
        case Call::Kind::kPark:
        case Call::Kind::kBarrier:
        case Call::Kind::kFinish:
            return 0;
    }
    return 0;
}

/// Continues a rank whose CPU is free.
void ProcessModel::advance(RankId id, std::int64_t now_ps) {
    Rank& rank = rank_at(id);
    do {
        rank.call = program_->next(id, now_ps);
        const bool computes = rank.call.kind == Call::Kind::kCompute;
        if (!spend(rank, computes ? State::kComputing : State::kCalling, cost_ps(rank.call), now_ps)) {
            if (!computes) answer_deferred(id, now_ps);
            return;
        }
        if (!computes) answer_deferred(id, now_ps);
    } while (perform(id, now_ps));
}

/// Performs the rank's call after the CPU time of the call has passed. Returns false if the CPU is not free afterwards.
bool ProcessModel::perform(RankId id, std::int64_t now_ps) {
    Rank& rank = rank_at(id);
    switch (rank.call.kind) {
        case Call::Kind::kCompute:
        case Call::Kind::kSpend:
            return true;
        case Call::Kind::kSend:
            start_send(id, now_ps);
            return true;
        case Call::Kind::kReceive:
            return start_receive(id, now_ps);
        case Call::Kind::kWait:
        case Call::Kind::kPark:
            if (may_resume(id)) return true;
            enter(rank, State::kWaiting, now_ps);
            return false;
        case Call::Kind::kPut:
        case Call::Kind::kGet:
        case Call::Kind::kAtomic:
            start_access(id, now_ps);
            return true;
        case Call::Kind::kPoll:
            if (rank.arrivals.take(rank.call.tag)) return true;
            enter(rank, State::kPolling, now_ps);
            return false;
        case Call::Kind::kBarrier:
            enter(rank, State::kInBarrier, now_ps);
            arrive_at_barrier(id, now_ps);
            return false;
        case Call::Kind::kFinish:
            enter(rank, State::kFinished, now_ps);
            return false;
    }
    return false;
}

void ProcessModel::timer(NodeId node, std::uint32_t data, std::int64_t now_ps) {
    const std::uint32_t number = data >> kTimerBits;
    const auto timer = static_cast<Timer>(data & ((1U << kTimerBits) - 1));
    if (timer == Timer::kArrival) {
        return arrive_at_home(number, now_ps - group_at(number).cost_ps / 2);
    }
    const RankId id = ranks_of_nodes_[first_of_node_[node.index()] + number];
    const State state = rank_at(id).state;
    if (state == State::kCopying) {
        end_copied_receive(id, now_ps);
    } else if (timer == Timer::kCpu && state != State::kReady && !perform(id, now_ps)) {
        return;
    }
    advance(id, now_ps);
}

void ProcessModel::resume_if_satisfied(RankId id, std::int64_t now_ps) {
    if (rank_at(id).state == State::kWaiting && may_resume(id)) advance(id, now_ps);
}

bool ProcessModel::may_resume(RankId id) { return program_->may_resume(id, rank_at(id).open_requests); }

/// Within a window, the ranks of a partition may arrive in any order of their times.
void ProcessModel::arrive_at_barrier(RankId id, std::int64_t now_ps) {
    const Rank& rank = rank_at(id);
    const auto number = static_cast<std::uint32_t>(rank.call.group);
    RankGroup& group = group_at(number);
    RankGroup::Part& part = group.part_of(engine_.partition_of(rank.node));
    part.last_ps = std::max(part.last_ps, now_ps);
    if (++part.arrived < part.members) return;
    part.arrived = 0;
    ++part.rounds;
    if (group.parts.size() == 1) return arrive_at_home(number, part.last_ps);
    engine_.call_across(rank.node, group.parts.front().node, timer_data(number, Timer::kArrival),
                        later_ps(part.last_ps, group.cost_ps / 2));
}

/// Called when all ranks of a partition have arrived.
void ProcessModel::arrive_at_home(std::uint32_t number, std::int64_t last_ps) {
    RankGroup& group = group_at(number);
    group.last_ps = std::max(group.last_ps, last_ps);
    if (++group.parts_arrived < group.parts.size()) return;
    group.parts_arrived = 0;
    ++group.released;
    const std::int64_t release_ps = later_ps(group.last_ps, group.cost_ps);
    for (const RankId member : group.ranks) {
        const Rank& to = rank_at(member);
        engine_.call_across(group.parts.front().node, to.node, timer_data(to.place, Timer::kRelease), release_ps);
    }
}

// ---- Reports of waiting ranks ---------------------------------------------------------------------------------------

std::string ProcessModel::waiting_ranks(std::size_t most) {
    std::string text;
    std::size_t count = 0;
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
        if (ranks_[r].state == State::kFinished) continue;
        if (++count <= most) text += "\n  " + what_it_waits_for(RankId(r));
    }
    text.insert(0, std::to_string(count) + (count == 1 ? " rank has" : " ranks have") + " not finished:");
    if (count > most) {
        text += "\n  and " + std::to_string(count - most) + (count - most == 1 ? " more rank" : " more ranks");
    }
    return text;
}

std::string ProcessModel::what_it_waits_for(RankId id) {
    const Rank& rank = rank_at(id);
    std::string text = "rank " + std::to_string(id.value) + program_->place(id);
    if (rank.state == State::kInBarrier) {
        const RankGroup& group = group_at(static_cast<std::uint32_t>(rank.call.group));
        return text + " waits in a barrier that " + std::to_string(group.waiting()) + " of " +
               std::to_string(group.ranks.size()) + " ranks have reached";
    }
    if (rank.state == State::kPolling) {
        return text + " polls for a put with tag " + std::to_string(rank.call.tag) + rank.arrivals.text();
    }
    if (rank.state != State::kWaiting) return text + " is running";
    text += " waits for";
    std::vector<std::string> requests;
    for (const PostedReceive& receive : rank.matching.posted()) {
        requests.push_back(receive_text(receive.source, receive.tag, receive.bytes));
    }
    EnvelopePool& pool = pool_of(id);
    for (std::uint32_t e = 0; e < pool.size(); ++e) {
        const Envelope& envelope = pool[e];
        const bool is_open_send =
            envelope.stage == Envelope::Stage::kQueued || envelope.stage == Envelope::Stage::kRequested ||
            envelope.stage == Envelope::Stage::kHeld || envelope.stage == Envelope::Stage::kAcknowledged;
        if (envelope.source != id || !is_open_send) continue;
        requests.push_back(send_text(envelope.destination, envelope.tag, envelope.bytes));
    }
    if (rank.open_requests == 0) return text + " a message, without an open request";
    return text + list_text(requests, rank.open_requests);
}

}  // namespace haichi
