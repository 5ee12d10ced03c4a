#include "commlog/log/call_sequence_builder.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "base/errors.h"
#include "commlog/log/call_recorder.h"

namespace haichi {

namespace {

constexpr double kTicksPerSecond = 1e9;

const char* function_of(CollectiveOperation operation) {
    switch (operation) {
        case CollectiveOperation::kBarrier:
            return "MPI_Barrier";
        case CollectiveOperation::kBroadcast:
            return "MPI_Bcast";
        case CollectiveOperation::kReduce:
            return "MPI_Reduce";
        case CollectiveOperation::kAllreduce:
            return "MPI_Allreduce";
        case CollectiveOperation::kGather:
            return "MPI_Gather";
        case CollectiveOperation::kAllgather:
            return "MPI_Allgather";
        case CollectiveOperation::kScatter:
            return "MPI_Scatter";
        case CollectiveOperation::kAlltoall:
            return "MPI_Alltoall";
        case CollectiveOperation::kReduceScatter:
            return "MPI_Reduce_scatter";
        case CollectiveOperation::kScan:
            return "MPI_Scan";
        case CollectiveOperation::kAlltoallv:
            return "MPI_Alltoallv";
        default:
            return "others";
    }
}

void add(MessageStatistics& messages, std::uint64_t bytes, std::uint64_t count) {
    if (messages.count == 0 || bytes < messages.bytes_min) messages.bytes_min = bytes;
    messages.bytes_max = std::max(messages.bytes_max, bytes);
    messages.count += count;
    messages.bytes_total += count * bytes;
    if (bytes == 0) messages.empty += count;
    messages.classes[static_cast<std::size_t>(size_class(bytes))] += count;
}

}  // namespace

void CallSequenceBuilder::compute(double seconds) {
    gap_ += static_cast<std::uint64_t>(std::llround(seconds * kTicksPerSecond));
}

std::uint32_t CallSequenceBuilder::event(const EventKey& key, const Note& note) {
    const auto words = std::bit_cast<std::array<std::uint64_t, 4>>(key);
    const auto [known, is_new] =
        event_of_.try_emplace({words[0], words[1], words[2], words[3], gap_, note.received_bytes,
                               std::bit_cast<std::uint64_t>(note.function)},
                              static_cast<std::uint32_t>(calls_.events.size()));
    if (is_new) {
        LoggedEvent made{};
        made.key = key;
        made.gap_min = made.gap_max = gap_;
        made.bytes_min = made.bytes_max = key.bytes;
        calls_.events.push_back(made);
        notes_.push_back(note);
    }
    gap_ = 0;
    append(known->second);
    return known->second;
}

CallSequenceBuilder::Request CallSequenceBuilder::post(const EventKey& key, const Note& note) {
    flush();
    const std::uint32_t number = event(key, note);
    return {(key.flags & kBlocking) != 0 ? 0 : ++posts_, number, kNobody};
}

void CallSequenceBuilder::send(std::int32_t peer, std::int32_t tag, std::uint64_t bytes, std::uint32_t communicator) {
    (void)post({CallKind::kSend, kBlocking, 0, peer, tag, communicator, bytes, 0}, {"MPI_Send"});
}

void CallSequenceBuilder::receive(std::int32_t peer, std::int32_t tag, std::uint64_t bytes,
                                  std::uint32_t communicator) {
    (void)post({CallKind::kReceive, kBlocking, 0, peer, tag, communicator, 0, 0}, {"MPI_Recv", 1, bytes, true});
}

CallSequenceBuilder::Request CallSequenceBuilder::start_send(std::int32_t peer, std::int32_t tag, std::uint64_t bytes,
                                                             std::uint32_t communicator) {
    return post({CallKind::kSend, 0, 0, peer, tag, communicator, bytes, 0}, {"MPI_Isend"});
}

CallSequenceBuilder::Request CallSequenceBuilder::start_receive(std::int32_t peer, std::int32_t tag,
                                                                std::uint64_t bytes, std::uint32_t communicator) {
    return post({CallKind::kReceive, 0, 0, peer, tag, communicator, 0, 0}, {"MPI_Irecv", 1, bytes, true});
}

CallSequenceBuilder::Request CallSequenceBuilder::start_receive_from_any(std::int32_t peer, std::int32_t tag,
                                                                         std::uint64_t bytes,
                                                                         std::uint32_t communicator) {
    Request request =
        post({CallKind::kReceive, kAnySource, 0, kNobody, tag, communicator, 0, 0}, {"MPI_Irecv", 1, bytes, true});
    request.came_from = peer;
    return request;
}

void CallSequenceBuilder::wait(const std::vector<Request>& requests) {
    if (open_.empty()) {
        open_note_ = {requests.size() == 1 ? "MPI_Wait" : "MPI_Waitall", 0};
        open_gap_ = std::exchange(gap_, 0);
    }
    ++open_note_.calls;
    for (const Request& request : requests) {
        open_.push_back({static_cast<std::uint32_t>(posts_ - request.post + 1), request.came_from, 0, request.event});
    }
}

void CallSequenceBuilder::collective(CollectiveOperation operation, std::uint64_t bytes, std::uint64_t received_bytes,
                                     std::uint32_t communicator, std::int32_t root) {
    (void)post({CallKind::kCollective, kBlocking, static_cast<std::uint16_t>(operation), root, 0, communicator, bytes,
                received_bytes},
               {function_of(operation), 1, received_bytes, true});
}

/// Emits one event for the pending completions, as CallRecorder does when it closes a list.
void CallSequenceBuilder::flush() {
    if (open_.empty()) return;
    sort_completions(CallKind::kComplete, {open_.data(), open_.data() + open_.size()});
    std::uint64_t hash = 0;
    for (const Completion& one : open_) {
        hash += mixed(one.distance);
        if (one.source != kNobody) hash += hash_of_what_came(one.source, one.tag, one.event);
    }
    const std::uint64_t gap_behind = std::exchange(gap_, open_gap_);
    const std::size_t known = calls_.events.size();
    const std::uint32_t number = event({CallKind::kComplete, 0, 0, kNobody, 0, 0, open_.size(), hash}, open_note_);
    if (calls_.events.size() != known) {
        calls_.events[number].first_completion = static_cast<std::uint32_t>(calls_.completions.size());
        calls_.events[number].completions = static_cast<std::uint32_t>(open_.size());
        calls_.completions.insert(calls_.completions.end(), open_.begin(), open_.end());
    }
    gap_ = gap_behind;
    open_.clear();
}

std::uint64_t CallSequenceBuilder::begin_repeat() {
    flush();
    recorded_.emplace_back();
    return gap_;
}

std::vector<Symbol> CallSequenceBuilder::take_recorded() {
    flush();
    std::vector<Symbol> symbols = std::move(recorded_.back());
    recorded_.pop_back();
    return symbols;
}

Symbol CallSequenceBuilder::loop_over(const std::vector<Symbol>& symbols, std::uint64_t times) {
    const auto [body, is_new] = body_of_.try_emplace(symbols, static_cast<std::uint32_t>(calls_.bodies.size()));
    if (is_new) {
        const auto first = static_cast<std::uint32_t>(calls_.body.size());
        calls_.bodies.push_back({0, 0, first, static_cast<std::uint32_t>(symbols.size())});
        calls_.body.insert(calls_.body.end(), symbols.begin(), symbols.end());
    }
    calls_.loops.push_back({body->second, 0, times});
    return kLoopSymbol + static_cast<Symbol>(calls_.loops.size() - 1);
}

bool CallSequenceBuilder::end_repeat(std::uint64_t times, std::uint64_t gap_before) {
    const std::vector<Symbol> symbols = take_recorded();
    if (symbols.empty()) {
        gap_ = gap_before + times * (gap_ - gap_before);
        return false;
    }
    const bool is_steady = gap_ == gap_before;
    if (is_steady && times > 1) {
        append(loop_over(symbols, times));
        return false;
    }
    recorded_.back().insert(recorded_.back().end(), symbols.begin(), symbols.end());
    return times > 1;
}

void CallSequenceBuilder::end_others(std::uint64_t times, std::uint64_t gap_before) {
    const std::vector<Symbol> symbols = take_recorded();
    if (gap_ != gap_before) throw InternalError("the iterations of a loop differ");
    if (times > 1) {
        append(loop_over(symbols, times));
    } else {
        recorded_.back().insert(recorded_.back().end(), symbols.begin(), symbols.end());
    }
}

void CallSequenceBuilder::count_events() {
    std::vector<std::uint64_t> times_of_body(calls_.bodies.size(), 0);
    const auto count = [&](const Symbol* symbols, std::size_t length, std::uint64_t times) {
        for (std::size_t i = 0; i < length; ++i) {
            if (symbols[i] < kLoopSymbol) {
                calls_.events[symbols[i]].count += times;
                continue;
            }
            const Loop& loop = calls_.loops[symbols[i] - kLoopSymbol];
            calls_.bodies[loop.body].repetitions += times * loop.repetitions;
            times_of_body[loop.body] += times * loop.repetitions;
        }
    };
    count(calls_.sequence.data(), calls_.sequence.size(), 1);
    // Bodies are visited from last to first, because a body contains only loops over earlier bodies.
    for (std::size_t b = calls_.bodies.size(); b-- > 0;) {
        count(calls_.body.data() + calls_.bodies[b].first, calls_.bodies[b].length, times_of_body[b]);
    }
    for (LoggedEvent& event : calls_.events) {
        event.gap_total = event.count * event.gap_min;
        event.bytes_total = event.count * event.key.bytes;
    }
}

RankProfile CallSequenceBuilder::profile() const {
    RankProfile profile;
    std::map<std::string, FunctionProfile> functions;
    std::map<std::int32_t, PeerCounters> peers;
    std::uint64_t ticks = calls_.gap_behind;
    for (std::size_t e = 0; e < calls_.events.size(); ++e) {
        const LoggedEvent& event = calls_.events[e];
        const Note& note = notes_[e];
        ticks += event.gap_total;
        FunctionProfile& function = functions[note.function];
        function.calls += event.count * note.calls;
        if (event.key.kind == CallKind::kSend || event.key.kind == CallKind::kCollective) {
            add(function.sent, event.key.bytes, event.count);
        }
        if (note.receives) add(function.received, note.received_bytes, event.count);
        if (event.key.kind == CallKind::kSend) {
            peers[event.key.peer].sent_messages += event.count;
            peers[event.key.peer].sent_bytes += event.count * event.key.bytes;
        }
    }
    for (auto& [name, function] : functions) {
        function.name = name;
        profile.functions.push_back(std::move(function));
    }
    for (const auto& [peer, traffic] : peers) profile.peers.push_back({peer, traffic});
    profile.wall_seconds = static_cast<double>(ticks) / kTicksPerSecond;
    return profile;
}

RankLog CallSequenceBuilder::finish(std::int32_t rank) {
    flush();
    calls_.sequence = std::move(recorded_.back());
    calls_.ticks_per_second = kTicksPerSecond;
    calls_.gap_behind = gap_;
    count_events();
    RankLog log;
    log.rank = rank;
    log.communicators = {0};
    log.profile = profile();
    log.threads.push_back(std::move(calls_));
    return log;
}

}  // namespace haichi
