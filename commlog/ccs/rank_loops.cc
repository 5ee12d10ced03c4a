#include "commlog/ccs/rank_loops.h"

#include <algorithm>
#include <limits>

#include "commlog/log/logged_events.h"

namespace haichi {

namespace {

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();

void add_count(ChannelCounts& counts, const Channel& channel, std::int64_t times) {
    std::int64_t& count = counts[channel];
    count = count > kLargest - times ? kLargest : count + times;
}

}  // namespace

std::int64_t saturated_product(std::int64_t a, std::int64_t b) {
    std::int64_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? kLargest : product;
}

bool is_expanded(const JobLog& job, std::uint32_t communicator, CollectiveScope scope) {
    if (scope == CollectiveScope::kNone) return false;
    const LoggedCommunicator& of = job.communicators[communicator];
    if (of.is_intercommunicator() || of.members.size() < 2) return false;
    return scope == CollectiveScope::kAll || of.members.size() < static_cast<std::size_t>(job.rank_count);
}

RankLoops::RankLoops(const JobLog& job, const UntaggedPairs& untagged, std::size_t index, std::size_t thread,
                     CollectiveScope scope)
    : job_(&job),
      untagged_(&untagged),
      log_(&job.ranks[index]),
      index_(index),
      scope_(scope),
      calls_(&job.ranks[index].threads[thread]) {
    traffic_.resize(calls_->bodies.size());
    inner_.resize(calls_->bodies.size());
    // The inner loops of a body precede the first loop over that body, so their bodies are already complete.
    std::vector<bool> done(calls_->bodies.size(), false);
    for (const Loop& loop : calls_->loops) {
        if (done[loop.body]) continue;
        done[loop.body] = true;
        by_first_loop_.push_back(loop.body);
        const LoopBody& body = calls_->bodies[loop.body];
        for (const Symbol symbol : std::span(calls_->body).subspan(body.first, body.length)) {
            add_symbol(traffic_[loop.body], symbol, 1);
            if (symbol >= kLoopSymbol) inner_[loop.body].push_back(calls_->loops[symbol - kLoopSymbol].body);
        }
        std::ranges::sort(inner_[loop.body]);
        inner_[loop.body].erase(std::unique(inner_[loop.body].begin(), inner_[loop.body].end()),
                                inner_[loop.body].end());
    }
    count_executions();
}

void RankLoops::count_executions() {
    const CallSequence& calls = *calls_;
    executions_.assign(calls.bodies.size(), 0);
    if (calls.lost_symbols > 0) {  // the positions of some loops are unknown
        for (std::size_t b = 0; b < calls.bodies.size(); ++b) {
            executions_[b] = static_cast<std::int64_t>(
                std::min<std::uint64_t>(calls.bodies[b].repetitions, static_cast<std::uint64_t>(kLargest)));
        }
        return;
    }
    // The log may contain some iterations of a loop as single events before or after the loop. Loops inside such
    // iterations are counted at their own positions.
    std::vector<std::int64_t> in_loops(calls.bodies.size(), 0);
    const auto add = [](std::int64_t& sum, std::int64_t more) { sum = sum > kLargest - more ? kLargest : sum + more; };
    const auto count_in = [&](std::span<const Symbol> symbols, std::int64_t times) {
        for (std::size_t i = 0; i < symbols.size(); ++i) {
            if (symbols[i] < kLoopSymbol) continue;
            const Loop& loop = calls.loops[symbols[i] - kLoopSymbol];
            const std::int64_t events = traffic_[loop.body].events;
            const auto repetitions = static_cast<std::int64_t>(
                std::min<std::uint64_t>(loop.repetitions, static_cast<std::uint64_t>(kLargest / 2)));
            add(in_loops[loop.body], saturated_product(times, repetitions));
            if (events == 0) continue;
            const std::int64_t beside = (events_before(symbols, i) + events_behind(symbols, i)) / events;
            add(executions_[loop.body], saturated_product(times, beside));
        }
    };
    count_in(calls.sequence, 1);
    // In this order, the count of each body is complete before it is used.
    for (std::size_t i = by_first_loop_.size(); i-- > 0;) {
        const LoopBody& body = calls.bodies[by_first_loop_[i]];
        count_in(std::span(calls.body).subspan(body.first, body.length), in_loops[by_first_loop_[i]]);
    }
    for (std::size_t b = 0; b < executions_.size(); ++b) add(executions_[b], in_loops[b]);
}

void RankLoops::unroll(Symbol symbol, bool backwards, std::size_t most, std::vector<Symbol>& events) const {
    if (events.size() >= most) return;
    if (symbol < kLoopSymbol) {
        events.push_back(symbol);
        return;
    }
    const Loop& loop = calls_->loops[symbol - kLoopSymbol];
    const LoopBody& body = calls_->bodies[loop.body];
    for (std::uint64_t r = 0; r < loop.repetitions && events.size() < most; ++r) {
        for (std::uint32_t i = 0; i < body.length; ++i) {
            unroll(calls_->body[body.first + (backwards ? body.length - 1 - i : i)], backwards, most, events);
        }
    }
}

std::int64_t RankLoops::matching(std::span<const Symbol> symbols, std::size_t loop, bool backwards) const {
    constexpr std::int64_t kLongestBody = 4096;
    const std::uint32_t body = calls_->loops[symbols[loop] - kLoopSymbol].body;
    const std::int64_t length = traffic_[body].events;
    if (length == 0 || length > kLongestBody) return 0;
    std::vector<Symbol> repetition;
    const LoopBody& of = calls_->bodies[body];
    for (std::uint32_t i = 0; i < of.length; ++i) {
        unroll(calls_->body[of.first + (backwards ? of.length - 1 - i : i)], backwards,
               static_cast<std::size_t>(length), repetition);
    }
    const std::size_t most = 2 * repetition.size();
    std::vector<Symbol> beside;
    if (backwards) {
        for (std::size_t i = loop; i-- > 0 && beside.size() < most;) unroll(symbols[i], true, most, beside);
    } else {
        for (std::size_t i = loop + 1; i < symbols.size() && beside.size() < most; ++i)
            unroll(symbols[i], false, most, beside);
    }
    std::size_t equal = 0;
    while (equal < beside.size() && beside[equal] == repetition[equal % repetition.size()]) ++equal;
    return static_cast<std::int64_t>(equal);
}

std::int64_t RankLoops::events_before(std::span<const Symbol> symbols, std::size_t loop) const {
    return matching(symbols, loop, true);
}

std::int64_t RankLoops::events_behind(std::span<const Symbol> symbols, std::size_t loop) const {
    return matching(symbols, loop, false);
}

std::vector<bool> RankLoops::bodies_around(std::size_t inner) const {
    std::vector<bool> around(inner_.size(), false);
    for (const std::uint32_t body : by_first_loop_) {
        around[body] = std::ranges::any_of(inner_[body], [&](std::uint32_t b) { return b == inner || around[b]; });
    }
    return around;
}

std::uint32_t RankLoops::communicator(std::uint32_t in_log) const { return communicator_of(*log_, in_log); }

BodyTraffic RankLoops::whole() const {
    constexpr std::uint64_t kMost = std::uint64_t{1} << 62;
    BodyTraffic all;
    for (const LoggedEvent& event : calls_->events) {
        if (event.count > 0) add(all, event, static_cast<std::int64_t>(std::min(event.count, kMost)));
    }
    return all;
}

Channel RankLoops::channel_to(std::int32_t peer, const EventKey& send) const {
    const std::uint32_t of = communicator(send.communicator);
    return {log_->rank, peer, of, untagged_->contains(log_->rank, peer, of) ? kAllTags : send.tag};
}

Channel RankLoops::channel_from(std::int32_t source, const EventKey& receive, std::int32_t came) const {
    const std::uint32_t of = communicator(receive.communicator);
    if (untagged_->contains(source, log_->rank, of)) return {source, log_->rank, of, kAllTags};
    return {source, log_->rank, of, (receive.flags & kAnyTag) != 0 ? came : receive.tag};
}

std::vector<RankLoops> loops_of_threads(const JobLog& job, const UntaggedPairs& untagged, CollectiveScope scope) {
    std::vector<RankLoops> loops;
    loops.reserve(job.ranks.size());
    for (std::size_t r = 0; r < job.ranks.size(); ++r) {
        for (std::size_t t = 0; t < job.ranks[r].threads.size(); ++t) {
            if (communicates(job.ranks[r].threads[t])) loops.emplace_back(job, untagged, r, t, scope);
        }
    }
    return loops;
}

void RankLoops::add(BodyTraffic& traffic, const LoggedEvent& event, std::int64_t times) const {
    const EventKey& key = event.key;
    const std::int32_t own = log_->rank;
    const auto receive = [&](std::int32_t source, const EventKey& post, std::int32_t came) {
        if (source >= 0) add_count(traffic.receives, channel_from(source, post, came), times);
    };
    traffic.events = traffic.events > kLargest - times ? kLargest : traffic.events + times;
    switch (key.kind) {
        case CallKind::kSend:
            if (key.peer < 0) break;
            add_count(traffic.sends, channel_to(key.peer, key), times);
            if (key.peer == own) break;
            traffic.bytes += static_cast<double>(mean_bytes(event)) * static_cast<double>(times);
            traffic.messages += static_cast<double>(times);
            break;
        case CallKind::kReceive:
            if ((key.flags & (kAnySource | kAnyTag)) == 0) receive(key.peer, key, 0);
            break;
        case CallKind::kComplete:
        case CallKind::kReceiveAny:
            for (std::uint32_t i = 0; i < event.completions; ++i) {
                const Completion& came = calls_->completions[event.first_completion + i];
                const EventKey& post = key.kind == CallKind::kReceiveAny ? key : calls_->events[came.event].key;
                if ((post.flags & (kAnySource | kAnyTag)) == 0) continue;
                receive(came.source, post, came.tag);
            }
            break;
        case CallKind::kCollective: {
            const std::uint32_t of = communicator(key.communicator);
            if (job_->communicators[of].members.size() < 2) break;
            add_count(traffic.collectives, {kNobody, kNobody, of, 0}, times);
            if (is_expanded(*job_, of, scope_)) {
                const std::size_t members = job_->communicators[of].members.size();
                traffic.bytes += static_cast<double>(contributed_bytes(event, members)) * static_cast<double>(times);
                traffic.messages += static_cast<double>(times);
            }
            break;
        }
    }
}

void RankLoops::add_symbol(BodyTraffic& traffic, Symbol symbol, std::int64_t times) const {
    if (symbol < kLoopSymbol) {
        add(traffic, calls_->events[symbol], times);
        return;
    }
    const Loop& loop = calls_->loops[symbol - kLoopSymbol];
    const auto repetitions =
        static_cast<std::int64_t>(std::min<std::uint64_t>(loop.repetitions, static_cast<std::uint64_t>(kLargest)));
    const std::int64_t all = saturated_product(times, repetitions);
    const BodyTraffic& body = traffic_[loop.body];
    for (const auto& [channel, count] : body.sends) add_count(traffic.sends, channel, saturated_product(count, all));
    for (const auto& [channel, count] : body.receives) {
        add_count(traffic.receives, channel, saturated_product(count, all));
    }
    for (const auto& [channel, count] : body.collectives) {
        add_count(traffic.collectives, channel, saturated_product(count, all));
    }
    traffic.bytes += body.bytes * static_cast<double>(all);
    traffic.messages += body.messages * static_cast<double>(all);
    const std::int64_t events = saturated_product(body.events, all);
    traffic.events = traffic.events > kLargest - events ? kLargest : traffic.events + events;
}

}  // namespace haichi
