#include "commlog/traces/traced_rank.h"

#include <algorithm>

#include "commlog/log/rank_record.h"

namespace haichi {

namespace {

constexpr std::size_t kMostTracedPeers = std::size_t{1} << 20;

}  // namespace

TracedRank::TracedRank(std::int32_t rank, double ticks_per_second, const std::vector<std::uint32_t>& communicators)
    : rank_(rank), ticks_per_second_(ticks_per_second), memory_(fresh_memory()), recorder_(memory_.get()) {
    (void)local_communicator(0);  // entry 0 is MPI_COMM_WORLD
    for (const std::uint32_t communicator : communicators) (void)local_communicator(communicator);
}

std::size_t TracedRank::function(std::string_view name) {
    const auto [at, is_new] = function_of_name_.try_emplace(std::string(name), functions_.size());
    if (!is_new) return at->second;
    if (functions_.size() + 1 < kMostFunctions) {
        functions_.push_back({at->first, {}});
    } else {
        function_of_name_.erase(at);
        if (functions_.size() < kMostFunctions) functions_.push_back({"others", {}});
        return functions_.size() - 1;
    }
    return functions_.size() - 1;
}

void TracedRank::count_call(std::uint64_t ticks) { functions_[current_].counters.add_call(ticks); }

std::uint32_t TracedRank::local_communicator(std::uint32_t communicator) {
    const auto found = local_.find(communicator);
    if (found != local_.end()) return found->second;
    if (communicators_.size() == kMostCommunicators) return kUnknownCommunicator;
    const auto index = static_cast<std::uint32_t>(communicators_.size());
    communicators_.push_back(communicator);
    local_.emplace(communicator, index);
    return index;
}

PeerCounters* TracedRank::peer(std::int32_t rank, std::uint64_t bytes) {
    if (peers_.size() < kMostTracedPeers || peers_.contains(rank)) return &peers_[rank];
    ++lost_messages_;
    lost_bytes_ += bytes;
    return nullptr;
}

void TracedRank::count_sent(const TracedMessage& message) {
    functions_[current_].counters.sent.add(message.bytes);
    if (PeerCounters* const counters = peer(message.peer, message.bytes)) {
        ++counters->sent_messages;
        counters->sent_bytes += message.bytes;
    }
}

void TracedRank::count_received(std::size_t function, const TracedMessage& came) {
    functions_[function].counters.received.add(came.bytes);
    if (came.peer == kNobody) {
        ++lost_messages_;
        lost_bytes_ += came.bytes;
        return;
    }
    if (PeerCounters* const counters = peer(came.peer, came.bytes)) {
        ++counters->received_messages;
        counters->received_bytes += came.bytes;
    }
}

void TracedRank::send(const TracedMessage& message, std::uint8_t flags) {
    count_sent(message);
    recorder_.send(message.peer, message.tag, local_communicator(message.communicator), message.bytes,
                   static_cast<std::uint8_t>(flags | kBlocking));
}

void TracedRank::receive(const TracedMessage& came, std::uint8_t flags) {
    count_received(current_, came);
    flags |= kBlocking;
    const std::uint32_t communicator = local_communicator(came.communicator);
    if ((flags & (kAnySource | kAnyTag)) == 0) {
        recorder_.receive(came.peer, came.tag, communicator, flags);
    } else {
        recorder_.receive((flags & kAnySource) != 0 ? kNobody : came.peer, (flags & kAnyTag) != 0 ? 0 : came.tag,
                          communicator, flags, came.peer, came.tag);
    }
}

bool TracedRank::open(std::uint64_t request, const OpenRequest& opened) {
    if (open_.size() >= kMostOpenRequests && !open_.contains(request)) return false;
    open_.insert_or_assign(request, opened);
    return true;
}

bool TracedRank::start_send(std::uint64_t request, const TracedMessage& message, std::uint8_t flags) {
    count_sent(message);
    const std::uint64_t number =
        recorder_.send(message.peer, message.tag, local_communicator(message.communicator), message.bytes, flags);
    return open(request, {number, recorder_.last_event(), static_cast<std::uint32_t>(current_), flags, false, message});
}

bool TracedRank::start_receive(std::uint64_t request, const TracedMessage& wanted, std::uint8_t flags) {
    const std::uint64_t number =
        recorder_.receive((flags & kAnySource) != 0 ? kNobody : wanted.peer, (flags & kAnyTag) != 0 ? 0 : wanted.tag,
                          local_communicator(wanted.communicator), flags);
    return open(request, {number, recorder_.last_event(), static_cast<std::uint32_t>(current_), flags, true, wanted});
}

static std::uint8_t flags_of(const TracedOperation& operation) { return operation.block_sizes ? kBlockSize : 0; }

void TracedRank::collective(const TracedOperation& operation) {
    FunctionCounters& counters = functions_[current_].counters;
    counters.sent.add(operation.bytes);
    counters.received.add(operation.received_bytes);
    recorder_.collective(operation.operation, local_communicator(operation.communicator), operation.root,
                         operation.bytes, operation.received_bytes, flags_of(operation) | kBlocking);
}

bool TracedRank::start_collective(std::uint64_t request, const TracedOperation& operation) {
    FunctionCounters& counters = functions_[current_].counters;
    counters.sent.add(operation.bytes);
    counters.received.add(operation.received_bytes);
    const std::uint64_t number =
        recorder_.collective(operation.operation, local_communicator(operation.communicator), operation.root,
                             operation.bytes, operation.received_bytes, flags_of(operation));
    return open(request, {number, recorder_.last_event(), static_cast<std::uint32_t>(current_), 0, false, {}});
}

void TracedRank::one_sided(std::int32_t target, bool gets, std::uint64_t bytes) {
    OneSidedCounters& counters = targets_[target];
    ++(gets ? counters.got_operations : counters.put_operations);
    (gets ? counters.got_bytes : counters.put_bytes) += bytes;
}

bool TracedRank::complete(std::uint64_t request, const TracedMessage& came, bool bytes_known) {
    const auto found = open_.find(request);
    if (found == open_.end()) return false;
    const OpenRequest& opened = found->second;
    if (opened.receives) {
        TracedMessage got = opened.wanted;
        if ((opened.flags & kAnySource) != 0) got.peer = came.peer;
        if ((opened.flags & kAnyTag) != 0) got.tag = came.tag;
        if (bytes_known) got.bytes = came.bytes;
        count_received(opened.function, got);
        const bool is_open = (opened.flags & (kAnySource | kAnyTag)) != 0 && got.peer != kNobody;
        recorder_.complete(opened.number, opened.event, is_open ? got.peer : kNobody, is_open ? got.tag : 0);
    } else {
        recorder_.complete(opened.number, opened.event);
    }
    open_.erase(found);
    return true;
}

RankLog TracedRank::finish(const std::string& place) {
    RankLog log;
    log.rank = rank_;
    log.threads.push_back(read_calls(*memory_, ticks_per_second_, place));
    memory_.reset();
    log.communicators = communicators_;
    RankProfile& profile = log.profile;
    for (const Function& f : functions_) {
        if (f.counters.calls == 0 && f.counters.sent.count == 0 && f.counters.received.count == 0) continue;
        const FunctionCounters& c = f.counters;
        profile.functions.push_back({f.name, c.calls, static_cast<double>(c.ticks_total) / ticks_per_second_,
                                     static_cast<double>(c.ticks_min) / ticks_per_second_,
                                     static_cast<double>(c.ticks_max) / ticks_per_second_, statistics_of(c.sent),
                                     statistics_of(c.received)});
        profile.mpi_seconds += profile.functions.back().seconds_total;
    }
    std::ranges::sort(profile.functions, {}, &FunctionProfile::name);
    for (const auto& [peer, traffic] : peers_) profile.peers.push_back({peer, traffic});
    std::ranges::sort(profile.peers, {}, &PeerTraffic::peer);
    for (const auto& [target, traffic] : targets_) profile.targets.push_back({target, traffic});
    std::ranges::sort(profile.targets, {}, &OneSidedTraffic::target);
    profile.wall_seconds = static_cast<double>(wall_ticks_) / ticks_per_second_;
    profile.lost_messages = lost_messages_;
    profile.lost_bytes = lost_bytes_;
    return log;
}

}  // namespace haichi
