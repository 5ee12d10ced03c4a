#include "mgen/replay/call_replay.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/errors.h"
#include "base/random.h"
#include "commlog/log/job_totals.h"
#include "commlog/log/logged_collective.h"
#include "commlog/log/logged_events.h"
#include "mgen/process_options.h"
#include "mgen/replay/call_replay_rank.h"

namespace haichi {

namespace {

constexpr const char* kHint = "use §form sets, which simulates the communication sets of the main loop";

/// The calls of a rank's only communicating thread. Throws UnsupportedError if the log lacks some of them.
const CallSequence* thread_of(const RankLog& rank) {
    const std::string name = "rank " + std::to_string(rank.rank);
    const CallSequence* found = nullptr;
    for (const CallSequence& calls : rank.threads) {
        if (!communicates(calls)) continue;
        if (found != nullptr) {
            throw UnsupportedError(
                name + " communicates from several threads, but logs do not record the order of threads", kHint);
        }
        found = &calls;
    }
    if (found == nullptr) return nullptr;
    if (found->lost_events + found->lost_symbols + found->lost_completions > 0) {
        throw UnsupportedError("the log of " + name + " lost calls because its tables were full", kHint);
    }
    return found;
}

/// Throws UnsupportedError unless the log contains every rank up to its end.
void check_whole(const JobLog& job) {
    if (!job.has_calls) {
        throw UnsupportedError("the log does not contain the order of messages", kHint);
    }
    if (job.ranks.size() != static_cast<std::size_t>(job.rank_count)) {
        throw UnsupportedError(
            "the log has " + std::to_string(job.ranks.size()) + " of the " + std::to_string(job.rank_count) + " ranks",
            kHint);
    }
    for (const RankLog& rank : job.ranks) {
        if (rank.state == RankState::kFinished) continue;
        if (rank.threads.empty()) {
            throw UnsupportedError(
                "the trace of rank " + std::to_string(rank.rank) + " is missing",
                "put the traces of all " + std::to_string(job.rank_count) + " ranks into one directory, or " + kHint);
        }
        throw UnsupportedError(
            "the log of rank " + std::to_string(rank.rank) + " is incomplete: it ends before the rank ended", kHint);
    }
}

}  // namespace

CallReplay::CallReplay(const JobLog& job, const CallReplayOptions& options)
    : job_(&job), untagged_(job), options_(options) {
    check_whole(job);
    options_.algorithms = selection_for(job, options_.algorithms);
    for (const RankLog& rank : job.ranks) threads_.push_back(thread_of(rank));
    if (std::ranges::all_of(threads_, [](const CallSequence* calls) { return calls == nullptr; })) {
        throw UnsupportedError("the log has no communication calls", kHint);
    }
    agreement_.emplace(job, threads_);
    for (const LoggedCommunicator& of : job.communicators) {
        communicators_.push_back({.is_whole = is_whole(of)});
    }
    std::vector<bool> has_barriers(job.communicators.size(), false);
    static const CallSequence kNoCalls;
    for (std::size_t r = 0; r < threads_.size(); ++r) {
        const CallSequence& calls = threads_[r] == nullptr ? kNoCalls : *threads_[r];
        ranks_.push_back(std::make_unique<Rank>(calls));
        for (const LoggedEvent& event : calls.events) {
            if (event.key.kind != CallKind::kCollective || event.count == 0) continue;
            if (is_barrier(static_cast<CollectiveOperation>(event.key.operation))) {
                has_barriers[communicator_of(job.ranks[r], event.key.communicator)] = true;
            }
        }
    }
    std::int32_t groups = 0;
    for (std::size_t c = 0; c < has_barriers.size(); ++c) {
        const bool has_group = options_.has_barrier_network && has_barriers[c] && communicators_[c].is_whole &&
                               job.communicators[c].members.size() > 1;
        if (has_group) communicators_[c].group = groups++;
    }
}

CallReplay::~CallReplay() = default;

std::vector<std::vector<RankId>> CallReplay::barrier_groups() const {
    std::vector<std::vector<RankId>> groups;
    for (std::size_t c = 0; c < communicators_.size(); ++c) {
        if (communicators_[c].group < 0) continue;
        std::vector<RankId>& group = groups.emplace_back();
        for (const std::int32_t member : job_->communicators[c].members) group.emplace_back(member);
    }
    return groups;
}

std::span<const ReplayGapRow> replay_gap_rows() {
    static constexpr std::array<ReplayGapRow, 9> kRows = {{
        {"outside_messages", "messages to or from processes outside the job are left out",
         &ReplayGaps::outside_messages},
        {"never_completed", "receives that the program never completed are left out", &ReplayGaps::never_completed},
        {"neighborhood_collectives",
         "neighbourhood collectives are left out because the log does not contain the neighbours",
         &ReplayGaps::neighborhood_collectives},
        {"other_collectives", "collectives of inter-communicators and of communicators with unknown ranks are left out",
         &ReplayGaps::other_collectives},
        {"one_sided_operations", "one-sided operations are left out because the log does not contain their order",
         &ReplayGaps::one_sided_operations},
        {"one_sided_bytes", "bytes of one-sided operations are left out", &ReplayGaps::one_sided_bytes},
        {"unknown_calls", "calls are left out because haichi does not know their messages", &ReplayGaps::unknown_calls},
        {"mean_sizes", "messages have the mean size of their call site, which sent several sizes",
         &ReplayGaps::mean_sizes},
        {"unknown_sources", "receives accept any source because the log does not contain the actual source",
         &ReplayGaps::unknown_sources},
    }};
    return kRows;
}

ReplayGaps CallReplay::gaps() const {
    ReplayGaps sum;
    for (const auto& rank : ranks_) {
        for (const ReplayGapRow& row : replay_gap_rows()) sum.*row.count += rank->gaps.*row.count;
    }
    const OneSidedCounters one_sided = one_sided_total(*job_);
    sum.one_sided_operations = static_cast<std::int64_t>(one_sided.put_operations + one_sided.got_operations);
    sum.one_sided_bytes = static_cast<std::int64_t>(one_sided.put_bytes + one_sided.got_bytes);
    sum.unknown_calls = static_cast<std::int64_t>(job_->left_out_calls);
    return sum;
}

std::uint64_t CallReplay::calls() const {
    std::uint64_t sum = 0;
    for (const auto& rank : ranks_) sum += rank->calls;
    return sum;
}

// ---- The next call of a rank
// -----------------------------------------------------------------------------------------

bool CallReplay::may_resume(RankId id, std::uint32_t /*open_requests*/) {
    const Rank& rank = *ranks_[id.index()];
    return rank.awaited == 0 || rank.ready_tasks > 0;
}

Call CallReplay::next(RankId id, std::int64_t) {
    Rank& rank = *ranks_[id.index()];
    for (;;) {
        if (rank.queued < rank.queue.size()) return rank.queue[rank.queued++];
        rank.queue.clear();
        rank.queued = 0;
        if (rank.ready_tasks > 0) {
            do_ready_steps(rank);
            continue;
        }
        if (rank.awaited > 0) return Call::park();
        if (rank.has_ended) return Call::finish();
        if (!rank.has_call) {
            rank.call = rank.stream.next();
            if (rank.call.event == nullptr) {
                if (const std::optional<Call> call = end(id, rank)) return *call;
                continue;
            }
            ++rank.calls;
            rank.has_call = true;
            if (const std::int64_t time_ps = compute_ps(id, rank); time_ps > 0) return Call::compute(time_ps);
        }
        rank.has_call = false;
        if (const std::optional<Call> call = begin(id, rank)) return *call;
    }
}

std::int64_t CallReplay::compute_ps(RankId id, const Rank& rank) const {
    const LoggedEvent& event = *rank.call.event;
    const ReplayedComputing& computing = options_.computing;
    if (event.gap_total == 0 || event.count == 0 || computing.rule == ReplayedComputing::Rule::kNone) return 0;
    double ticks = static_cast<double>(event.gap_total) / static_cast<double>(event.count);
    const auto least = static_cast<double>(event.gap_min);
    const auto greatest = static_cast<double>(event.gap_max);
    if (computing.rule == ReplayedComputing::Rule::kDrawn && least < ticks && ticks < greatest) {
        // Draws uniformly below or above the mean, with probabilities that preserve the mean.
        Random random(computing.seed, std::uint64_t(id.value) << 40 ^ rank.calls);
        const bool is_below = random.unit() < (greatest - ticks) / (greatest - least);
        const double u = random.unit();
        ticks = is_below ? least + u * (ticks - least) : ticks + u * (greatest - ticks);
    }
    return computing_ps(id, ticks);
}

std::int64_t CallReplay::computing_ps(RankId id, double ticks) const {
    constexpr double kPsPerS = 1e12;
    const double time_ps = ticks / threads_[id.index()]->ticks_per_second * options_.computing.factor * kPsPerS;
    if (time_ps > static_cast<double>(kLongestSimulationPs)) {
        throw InputError(fmt::format("rank {} computes for {:g} s between two calls: too long to simulate", id.value,
                                     time_ps / kPsPerS),
                         "reduce the computation time to at most 26 days");
    }
    return std::llround(time_ps);
}

std::optional<Call> CallReplay::end(RankId id, Rank& rank) {
    if (!std::exchange(rank.has_computed_behind, true) && threads_[id.index()] != nullptr &&
        options_.computing.rule != ReplayedComputing::Rule::kNone) {
        const auto ticks = static_cast<double>(threads_[id.index()]->gap_behind);
        if (const std::int64_t time_ps = computing_ps(id, ticks); time_ps > 0) return Call::compute(time_ps);
    }
    // Other ranks depend on this rank's collectives, even if it never waits for them.
    rank.has_ended = true;
    for (const auto& task : rank.tasks) {
        if (task != nullptr && rank.posts.await(task->post())) ++rank.awaited;
    }
    return std::nullopt;
}

std::optional<Call> CallReplay::begin(RankId id, Rank& rank) {
    switch (rank.call.event->key.kind) {
        case CallKind::kSend:
            return begin_send(id, rank);
        case CallKind::kReceive:
            return begin_receive(id, rank);
        case CallKind::kReceiveAny:
            begin_receives_from_any(id, rank);
            return std::nullopt;
        case CallKind::kCollective:
            return begin_collective(id, rank);
        case CallKind::kComplete:
            for (const Completion& completion : rank.call.completions) {
                if (rank.posts.await(rank.stream.post_of(completion))) ++rank.awaited;
            }
            return Call::wait();
    }
    return std::nullopt;
}

// ---- Messages -------------------------------------------------------------------------------------------------------

/// Counts a message whose call site has several sizes in the log. Such a message is replayed with the mean size.
void CallReplay::note_mean_size(Rank& rank) {
    const LoggedEvent& event = *rank.call.event;
    if ((event.key.flags & kVariableSize) != 0 && event.bytes_min != event.bytes_max) ++rank.gaps.mean_sizes;
}

std::optional<Call> CallReplay::begin_send(RankId id, Rank& rank) {
    const EventKey& key = rank.call.event->key;
    const bool is_blocking = (key.flags & kBlocking) != 0;
    const bool is_outside = key.peer < 0;
    if (!is_blocking) rank.posts.post(!is_outside);
    if (is_outside) {
        ++rank.gaps.outside_messages;
        return std::nullopt;
    }
    if (is_blocking) ++rank.awaited;
    SendOptions options;
    if ((key.flags & kSynchronous) != 0) options.protocol = Protocol::kRendezvous;
    const std::uint32_t request =
        is_blocking ? kBlockingRequest : static_cast<std::uint32_t>(rank.call.post) & OpenPosts::kLowBits;
    const std::uint32_t communicator = communicator_of(job_->ranks[id.index()], key.communicator);
    const std::int32_t tag = tag_of(id.value, key.peer, communicator, key.tag);
    note_mean_size(rank);
    return Call::send(RankId(key.peer), mean_bytes(*rank.call.event), tag, options, request)
        .in(context_of(communicator, false));
}

std::optional<Call> CallReplay::begin_receive(RankId id, Rank& rank) {
    const EventKey& key = rank.call.event->key;
    const bool is_blocking = (key.flags & kBlocking) != 0;
    const Completion& came = rank.call.came;
    const bool is_known = rank.call.fate == RequestFate::kCompleted && came.source != kNobody;
    std::int32_t source = (key.flags & kAnySource) == 0 ? key.peer : is_known ? came.source : kNobody;
    const std::uint32_t communicator = communicator_of(job_->ranks[id.index()], key.communicator);
    std::int32_t tag = (key.flags & kAnyTag) == 0 ? key.tag : is_known ? came.tag : Call::kAnyTag;
    tag = source == kNobody && (key.flags & kVariableTag) != 0 ? Call::kAnyTag
                                                               : tag_of(source, id.value, communicator, tag);
    const bool is_left_out = source == kOutside || (!is_blocking && rank.call.fate == RequestFate::kNever);
    if (!is_blocking) rank.posts.post(!is_left_out);
    if (is_left_out) {
        ++(source == kOutside ? rank.gaps.outside_messages : rank.gaps.never_completed);
        return std::nullopt;
    }
    if (source == kNobody) ++rank.gaps.unknown_sources;
    if (is_blocking) ++rank.awaited;
    const std::uint32_t request =
        is_blocking ? kBlockingRequest : static_cast<std::uint32_t>(rank.call.post) & OpenPosts::kLowBits;
    return Call::receive(source >= 0 ? RankId(source) : RankId(), mean_bytes(*rank.call.event), tag, request)
        .in(context_of(communicator, false));
}

/// The order of arrival is unknown, so all receives are posted and then awaited.
void CallReplay::begin_receives_from_any(RankId id, Rank& rank) {
    const EventKey& key = rank.call.event->key;
    for (const Completion& came : rank.call.completions) {
        if (came.source == kOutside) {
            ++rank.gaps.outside_messages;
            continue;
        }
        if (came.source == kNobody) ++rank.gaps.unknown_sources;
        ++rank.awaited;
        const std::uint32_t communicator = communicator_of(job_->ranks[id.index()], key.communicator);
        std::int32_t tag = (key.flags & kAnyTag) == 0 ? key.tag : came.tag;
        tag = tag_of(came.source, id.value, communicator, tag);
        const bool is_unknown = came.source == kNobody && (key.flags & (kAnyTag | kVariableTag)) != 0;
        rank.queue.push_back(Call::receive(came.source >= 0 ? RankId(came.source) : RankId(),
                                           mean_bytes(*rank.call.event), is_unknown ? Call::kAnyTag : tag,
                                           kBlockingRequest)
                                 .in(context_of(communicator, false)));
    }
}

void CallReplay::completed(RankId id, std::uint32_t request, const CompletedRequest&, std::int64_t) {
    Rank& rank = *ranks_[id.index()];
    if ((request & kTaskRequest) != 0) {
        if (rank.tasks[(request & ~kTaskRequest) >> 16]->completed_request(request)) ++rank.ready_tasks;
    } else if (request == kBlockingRequest) {
        --rank.awaited;
    } else {
        end_request(rank, rank.posts.number_of(request));
    }
}

void CallReplay::end_request(Rank& rank, std::uint64_t post) {
    if (rank.posts.close(post)) --rank.awaited;
}

}  // namespace haichi
