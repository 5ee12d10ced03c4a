#include "commlog/traces/tit_rank.h"

#include <algorithm>

#include "commlog/workload/workload.h"

namespace haichi {

void TitRank::read(std::string_view name, std::string_view rest, const TraceLines& lines) {
    lines_ = &lines;
    arguments_.clear();
    for (auto field = next_field(rest); !field.empty(); field = next_field(rest)) arguments_.push_back(field);
    bool nonblocking = false;
    const TitAction* const action = tit_action(name, nonblocking);
    if (action == nullptr)
        lines.fail("unknown action " + shown(name), "check that the file is a time-independent trace");
    if (action->verb != TitVerb::kTest && action->verb != TitVerb::kCompute && action->verb != TitVerb::kIgnored)
        end_test();
    if (action->function[0] != '\0') {
        const auto [function, is_new] = functions_.try_emplace(action, 0);
        if (is_new) function->second = traced_.function(action->function);
        traced_.in_function(function->second);
        traced_.count_call();
    }
    do_action(*action, nonblocking);
}

RankLog TitRank::finish(const std::string& place) {
    end_test();
    return traced_.finish(place);
}

void TitRank::do_action(const TitAction& action, bool nonblocking) {
    switch (action.verb) {
        case TitVerb::kInit:
            default_bytes_ = arguments_.empty() ? 1 : 8;
            break;
        case TitVerb::kCompute:
            traced_.compute(static_cast<std::uint64_t>(lines_->real(argument(0), "amount", kMostFlop)));
            break;
        case TitVerb::kSleep:
            traced_.compute(static_cast<std::uint64_t>(lines_->real(argument(0), "time", 1e9) * kFlopPerSecond));
            break;
        case TitVerb::kFinalize:
        case TitVerb::kIgnored:
            break;
        case TitVerb::kSend:
        case TitVerb::kIsend:
        case TitVerb::kRecv:
        case TitVerb::kIrecv:
            message(action.verb, action.function == std::string_view("MPI_Ssend") ? kSynchronous : 0);
            break;
        case TitVerb::kSendrecv:
            sendrecv();
            break;
        case TitVerb::kStart:
            // SMPI states the destination of sends and receives. The wait for a receive states its source.
            message(lines_->whole(argument(0), "rank", kNoRank, kMostTracedRanks - 1) == rank_ ? TitVerb::kIrecv
                                                                                               : TitVerb::kIsend,
                    0, true);
            break;
        case TitVerb::kWait:
            wait();
            break;
        case TitVerb::kWaitall:
            while (!oldest_.empty()) complete(oldest_.front());
            break;
        case TitVerb::kWaitany:
            if (!oldest_.empty()) complete(oldest_.front());
            break;
        case TitVerb::kTest:
            tested_ = arguments_.size() >= 3 ? std::optional<Key>(key()) : std::nullopt;
            break;
        case TitVerb::kCollective:
            collective(action, nonblocking);
            break;
    }
}

std::string_view TitRank::argument(std::size_t i) const {
    return i < arguments_.size() ? arguments_[i] : std::string_view();
}

std::int32_t TitRank::partner(std::string_view field) const {
    if (field.starts_with('p')) field.remove_prefix(1);  // old traces write "p1" for rank 1
    const std::int64_t value = lines_->whole(field, "rank", -1000, kMostTracedRanks - 1);
    if (value < 0 && value != kNoRank) lines_->fail("the rank must not be negative, found " + shown(field));
    if (value < 0) return kNobody;
    return job_->member(0, value);
}

std::uint64_t TitRank::type_bytes(std::string_view field) {
    if (field.empty()) return default_bytes_;
    const std::int64_t type = lines_->whole(field, "datatype", -1, 1 << 20);
    const std::uint64_t size = tit_type_bytes(type);
    if (size != 0) return size;
    ++untyped_;
    return 1;
}

std::uint64_t TitRank::bytes(std::string_view count, std::string_view type) {
    return sized(lines_->size(count, "size"), type_bytes(type));
}

std::uint64_t TitRank::sized(std::uint64_t count, std::uint64_t type) const {
    if (count > static_cast<std::uint64_t>(kLargestMessageBytes) / type) lines_->fail("a size of more than 2^48 bytes");
    return count * type;
}

void TitRank::message(TitVerb verb, std::uint8_t flags, bool from_whoever) {
    // Traces by SimGrid versions before 3.20 have no tags.
    const bool has_tag = arguments_.size() > 2;
    const std::int64_t tag = has_tag ? lines_->whole(argument(1), "tag", INT32_MIN, INT32_MAX) : 0;
    TracedMessage envelope{partner(argument(0)), static_cast<std::int32_t>(tag), 0,
                           bytes(argument(has_tag ? 2 : 1), argument(has_tag ? 3 : 2))};
    const bool receives = verb == TitVerb::kRecv || verb == TitVerb::kIrecv;
    const bool none = envelope.peer == kNobody || from_whoever;
    if (!receives) {
        if (envelope.peer == kNobody) return;
        if (verb == TitVerb::kSend) {
            traced_.send(envelope, flags);
        } else {
            post({rank_, envelope.peer, tag}, false, envelope, flags);
        }
        return;
    }
    if (tag == kAnyTagNumber) flags |= kAnyTag;
    // A blocking receive from MPI_PROC_NULL is not in the trace; other receives from it have a tag (see
    // docs/reference/traces.md).
    if (none && verb == TitVerb::kIrecv && tag != kAnyTagNumber && !from_whoever) {
        ++guessed_null_;
        return;
    }
    if (none) flags |= kAnySource;
    if (none) envelope.peer = kNobody;
    if ((flags & kAnyTag) != 0) envelope.tag = 0;
    if (verb == TitVerb::kRecv) {
        traced_.receive(envelope, flags);
    } else {
        post({none ? kNoRank : envelope.peer, rank_, tag}, true, envelope, flags);
    }
}

void TitRank::sendrecv() {
    // The arguments are the size to send, the destination, the size to receive, the source, and the two data types.
    const std::int32_t destination = partner(argument(1));
    const std::int32_t source = partner(argument(3));
    const std::uint64_t sent = bytes(argument(0), argument(4));
    const std::uint64_t received = bytes(argument(2), argument(5));
    const Key to{rank_, destination, 0};
    const Key from{source, rank_, 0};
    // MPI_Sendrecv has no tags in traces, so tags are not compared.
    const std::uint64_t receive =
        source == kNobody ? 0 : post(from, true, {source, 0, 0, received}, static_cast<std::uint8_t>(kAnyTag));
    const std::uint64_t send = destination == kNobody ? 0 : post(to, false, {destination, 0, 0, sent}, 0);
    if (receive != 0) complete(receive);
    if (send != 0) complete(send);
}

TitRank::Key TitRank::key() const {
    return {lines_->whole(argument(0), "source", -1000, kMostTracedRanks - 1),
            lines_->whole(argument(1), "destination", -1000, kMostTracedRanks - 1),
            lines_->whole(argument(2), "tag", INT32_MIN, INT32_MAX)};
}

std::uint64_t TitRank::post(const Key& key, bool receives, const TracedMessage& envelope, std::uint8_t flags) {
    const std::uint64_t request = ++last_request_;
    const bool done =
        receives ? traced_.start_receive(request, envelope, flags) : traced_.start_send(request, envelope, flags);
    if (!done) fail_open();
    remember(request, key);
    return request;
}

void TitRank::fail_open() const {
    lines_->fail("more than " + std::to_string(kMostOpenRequests) + " requests are open",
                 "check that the trace has the wait actions of these requests");
}

void TitRank::remember(std::uint64_t request, const Key& key) {
    by_key_[key].push_back(request);
    keys_.emplace(request, key);
    oldest_.push_back(request);
}

void TitRank::complete(std::uint64_t request, std::int32_t source, std::int32_t tag) {
    const auto key = keys_.find(request);
    const auto requests = by_key_.find(key->second);
    std::deque<std::uint64_t>& same = requests->second;
    // The request is usually the first or the last of up to a million requests.
    if (same.front() == request) {
        same.pop_front();
    } else if (same.back() == request) {
        same.pop_back();
    } else {
        same.erase(std::ranges::find(same, request));
    }
    if (same.empty()) by_key_.erase(requests);
    keys_.erase(key);
    traced_.complete(request, {source, tag, 0, 0});
    while (!oldest_.empty() && !keys_.contains(oldest_.front())) oldest_.pop_front();
    // A request that is never waited for would otherwise keep all later ones in the queue.
    if (oldest_.size() > 2 * keys_.size() + 64) {
        std::erase_if(oldest_, [this](std::uint64_t number) { return !keys_.contains(number); });
    }
}

void TitRank::wait() {
    if (arguments_.size() < 3) {  // old traces: the action waits for the last request
        if (!oldest_.empty()) complete(last_open());
        return;
    }
    wait(key());
}

void TitRank::wait(const Key& wanted) {
    auto found = by_key_.find(wanted);
    // The wait for a receive from any source states the actual source.
    if (found == by_key_.end()) found = by_key_.find({kNoRank, wanted[1], wanted[2]});
    if (found == by_key_.end()) found = by_key_.find({kNoRank, wanted[1], kAnyTagNumber});
    // The tag of a collective operation is chosen by SMPI.
    if (found == by_key_.end() && wanted[2] < 0) found = by_key_.find(kOfCollectives);
    if (found == by_key_.end()) return;  // an earlier test has completed the request
    const bool is_message = found->first != kOfCollectives && wanted[0] >= 0;
    complete(found->second.front(), is_message ? static_cast<std::int32_t>(wanted[0]) : kNobody,
             static_cast<std::int32_t>(wanted[2]));
}

std::uint64_t TitRank::last_open() {
    while (!keys_.contains(oldest_.back())) oldest_.pop_back();
    return oldest_.back();
}

void TitRank::end_test() {
    if (!tested_) return;
    const Key tested = *tested_;
    tested_.reset();
    wait(tested);
}

std::int32_t TitRank::root(std::string_view field) const {
    if (field.empty()) return 0;
    return job_->member(0, lines_->whole(field, "root", 0, kMostTracedRanks - 1));
}

std::uint64_t TitRank::sum(std::size_t first, std::size_t count) const {
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < count; ++i) {
        total += lines_->size(argument(first + i), "count");
        if (total > static_cast<std::uint64_t>(kLargestMessageBytes))
            lines_->fail("the counts add up to more than 2^48");
    }
    return total;
}

std::size_t TitRank::array_length(std::size_t required, std::size_t optional, std::size_t arrays) const {
    const std::size_t count = arguments_.size();
    const std::size_t ranks = ranks_();
    const std::size_t least = required + arrays * ranks;
    if (count >= least && count <= least + optional) return ranks;
    const std::size_t others = required + optional;
    if (count < others + arrays || (count - others) % arrays != 0) {
        lines_->fail("invalid number of arguments of the action: " + std::to_string(count) + ", but " +
                     std::to_string(ranks) + " ranks require " + std::to_string(least) + " to " +
                     std::to_string(least + optional));
    }
    return (count - others) / arrays;
}

void TitRank::allgatherv(TracedOperation& operation) {
    // After the counts, there may be a data type, displacements, or both. SMPI writes two data types.
    const std::size_t count = arguments_.size();
    const std::size_t ranks = ranks_();
    const bool has_displacements = count > ranks + 3 && (count == 2 * ranks + 1 || count == 2 * ranks + 2);
    const std::size_t n = has_displacements ? ranks : array_length(1, 2);
    const bool has_type = !has_displacements || count == 2 * ranks + 2;
    const std::string_view type = has_type ? argument(n + 1) : std::string_view();
    const std::string_view received_type = !has_displacements && count > n + 2 ? argument(n + 2) : type;
    operation.bytes = bytes(argument(0), type);
    operation.received_bytes = sized(sum(1, n), type_bytes(received_type));
}

void TitRank::collective(const TitAction& action, bool nonblocking) {
    TracedOperation operation{action.operation, 0, kNobody, 0, 0};
    switch (action.shape) {
        case TitShape::kNone:
            break;
        case TitShape::kOne:
            operation.bytes = bytes(argument(0), argument(2));
            operation.root = root(argument(1));
            operation.received_bytes = operation.root == rank_ ? 0 : operation.bytes;
            if (operation.root != rank_) operation.bytes = 0;
            break;
        case TitShape::kReduce: {
            const bool rooted = action.operation == CollectiveOperation::kReduce;
            if (rooted) operation.root = root(argument(2));
            operation.bytes = bytes(argument(0), argument(rooted ? 3 : 2));
            operation.received_bytes = rooted && operation.root != rank_ ? 0 : operation.bytes;
            break;
        }
        case TitShape::kPair:
            operation.bytes = bytes(argument(0), argument(2));
            operation.received_bytes = bytes(argument(1), argument(3));
            operation.block_sizes = action.operation == CollectiveOperation::kAlltoall;
            break;
        case TitShape::kRootedPair: {
            operation.root = root(argument(2));
            const bool gathers = action.operation == CollectiveOperation::kGather;
            const bool is_root = operation.root == rank_;
            if (gathers || is_root) operation.bytes = bytes(argument(0), argument(3));
            if (!gathers || is_root) operation.received_bytes = bytes(argument(1), argument(4));
            break;
        }
        case TitShape::kGatherv: {
            const std::size_t n = array_length(1, 3);
            operation.root = root(argument(n + 1));
            operation.bytes = bytes(argument(0), argument(n + 2));
            if (operation.root == rank_) operation.received_bytes = sized(sum(1, n), type_bytes(argument(n + 3)));
            break;
        }
        case TitShape::kAllgatherv:
            allgatherv(operation);
            break;
        case TitShape::kScatterv: {
            const std::size_t n = array_length(1, 3);
            operation.root = root(argument(n + 1));
            if (operation.root == rank_) operation.bytes = sized(sum(0, n), type_bytes(argument(n + 2)));
            operation.received_bytes = bytes(argument(n), argument(n + 3));
            break;
        }
        case TitShape::kAlltoallv: {
            const std::size_t n = array_length(2, 2, 2);
            const std::string_view type = argument(2 * n + 2);
            const std::string_view received_type = argument(2 * n + 3);
            operation.bytes = sized(sum(1, n), type_bytes(type));
            operation.received_bytes = sized(sum(n + 2, n), type_bytes(received_type.empty() ? type : received_type));
            break;
        }
        case TitShape::kScatter: {
            // SMPI writes no counts for MPI_Reduce_scatter_block.
            const bool has_counts = arguments_.size() != 2 || ranks_() == 1;
            if (!has_counts) job_->leave_out("MPI_Reduce_scatter_block", 1);
            const std::size_t n = has_counts ? array_length(1, 1) : 0;
            operation.bytes = sized(sum(0, n), type_bytes(argument(n + 1)));
            if (static_cast<std::size_t>(rank_) < n) {
                operation.received_bytes = bytes(argument(static_cast<std::size_t>(rank_)), argument(n + 1));
            }
            break;
        }
    }
    if (!nonblocking) {
        traced_.collective(operation);
        return;
    }
    const std::uint64_t request = ++last_request_;
    if (!traced_.start_collective(request, operation)) fail_open();
    remember(request, kOfCollectives);
}

}  // namespace haichi
