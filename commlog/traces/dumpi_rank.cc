#include "commlog/traces/dumpi_rank.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <vector>

#include "commlog/workload/workload.h"

namespace haichi {

namespace {

/// DUMPI stores MPI_PROC_NULL as -2, which dumpi2ascii prints as "-2 (MPI_ROOT)".
constexpr std::int64_t kAnyRank = -1;
constexpr std::int64_t kFirstRequest = 2;  ///< smaller numbers are MPI_REQUEST_NULL and an error value
/// Request numbers for calls that complete immediately; no request in a trace has these numbers.
constexpr std::uint64_t kOwnSend = std::uint64_t{1} << 40, kOwnReceive = kOwnSend + 1;

/// Sizes of the predefined data types, indexed by DUMPI's number; 0 if unknown. Basic types: error, null, char, signed
/// char, unsigned char, byte, wchar, short (2), int (2), long (2), float, double, long double, long long (3). Others:
/// packed, lb, ub, and pairs.
constexpr std::array<std::uint64_t, 28> kTypeBytes = {0, 0,  1, 1, 1, 1, 4, 2, 2, 4,  4,  8, 8, 4,
                                                      8, 16, 8, 8, 8, 1, 0, 0, 8, 12, 12, 6, 8, 20};

struct Collective {
    const char* name;
    CollectiveOperation operation;
};
constexpr auto kCollectives = std::to_array<Collective>({
    {"MPI_Barrier", CollectiveOperation::kBarrier},
    {"MPI_Bcast", CollectiveOperation::kBroadcast},
    {"MPI_Gather", CollectiveOperation::kGather},
    {"MPI_Gatherv", CollectiveOperation::kGather},
    {"MPI_Scatter", CollectiveOperation::kScatter},
    {"MPI_Scatterv", CollectiveOperation::kScatter},
    {"MPI_Allgather", CollectiveOperation::kAllgather},
    {"MPI_Allgatherv", CollectiveOperation::kAllgather},
    {"MPI_Alltoall", CollectiveOperation::kAlltoall},
    {"MPI_Alltoallv", CollectiveOperation::kAlltoall},
    {"MPI_Reduce", CollectiveOperation::kReduce},
    {"MPI_Allreduce", CollectiveOperation::kAllreduce},
    {"MPI_Reduce_scatter", CollectiveOperation::kReduceScatter},
    {"MPI_Reduce_scatter_block", CollectiveOperation::kReduceScatter},
    {"MPI_Scan", CollectiveOperation::kScan},
    {"MPI_Exscan", CollectiveOperation::kScan},
});

constexpr auto kOneSided =
    std::to_array<std::string_view>({"Put", "Get", "Accumulate", "Get_accumulate", "Rput", "Rget", "Raccumulate",
                                     "Rget_accumulate", "Fetch_and_op", "Compare_and_swap"});

/// Returns true if a call that haichi does not convert moves data between ranks. `name` is the function's name without
/// "MPI_".
bool moves_data(std::string_view name) {
    if (std::ranges::find(kOneSided, name) != kOneSided.end()) return true;
    if (name == "Alltoallw" || name == "Ialltoallw" || name == "Mrecv" || name == "Imrecv") return true;
    if (name.starts_with("Neighbor_") || name.starts_with("Ineighbor_")) return true;
    return name.starts_with('I') && std::ranges::any_of(kCollectives, [name](const Collective& collective) {
               const std::string_view blocking = std::string_view(collective.name).substr(4);
               return name.substr(1, 1) == std::string(1, static_cast<char>(blocking.front() - 'A' + 'a')) &&
                      name.substr(2) == blocking.substr(1);
           });
}

}  // namespace

DumpiRank::DumpiRank(std::int32_t rank, TracedJob* job, DumpiCommunicators* communicators)
    : rank_(rank), job_(job), communicators_(communicators), traced_(rank, 1e9) {
    communicators_->begin_rank(rank);
}

void DumpiRank::read(const DumpiCall& call) {
    call_ = &call;
    if (last_ != 0 && call.entered() > last_) traced_.compute(call.entered() - last_);
    if (first_ == 0) first_ = call.entered();
    last_ = std::max(last_, call.returned());
    traced_.in_function(traced_.function(call.name()));
    traced_.count_call(call.returned() - call.entered());
    do_call();
    communicators_->made(call);
}

RankLog DumpiRank::finish(const std::string& place) {
    traced_.set_wall_ticks(last_ - first_);
    return traced_.finish(place);
}

void DumpiRank::do_call() {
    const std::string_view name = std::string_view(call_->name()).substr(4);  // the function's name without "MPI_"
    if (name.starts_with("Type_")) return type_call(name);
    if (name == "Sendrecv" || name == "Sendrecv_replace") return sendrecv();
    if (name.ends_with("_init") && (name.ends_with("send_init") || name == "Send_init" || name == "Recv_init")) {
        return init();
    }
    if (name == "Send" || name == "Bsend" || name == "Ssend" || name == "Rsend") {
        return send(name == "Ssend" ? kSynchronous : 0, false);
    }
    if (name == "Isend" || name == "Ibsend" || name == "Issend" || name == "Irsend") {
        return send(name == "Issend" ? kSynchronous : 0, true);
    }
    if (name == "Recv" || name == "Irecv") return receive(name == "Irecv");
    if (name == "Start" || name == "Startall") return start();
    if (name.starts_with("Wait") || name.starts_with("Test")) return complete(name);
    if (name == "Request_free") {
        const auto request = static_cast<std::uint64_t>(call_->whole("request"));
        traced_.forget(request);
        persistent_.erase(request);
        communicator_of_request_.erase(request);
        return;
    }
    if (DumpiCommunicators::makes(*call_)) {
        const std::uint32_t old = communicator_of(DumpiCommunicators::old_handle(*call_));
        traced_.collective({CollectiveOperation::kOther, old, kNobody, 0, 0});
        return;
    }
    const auto* const found = std::ranges::find(kCollectives, std::string_view(call_->name()),
                                                [](const Collective& c) { return std::string_view(c.name); });
    if (found != kCollectives.end()) return collective(found->operation, name);
    if (moves_data(name)) job_->leave_out(call_->name(), 1);
}

std::uint32_t DumpiRank::communicator_of(std::int64_t handle) {
    if (handle != DumpiCommunicators::kSelf) return communicators_->of_handle(handle);
    if (self_ == 0) self_ = job_->add_communicator({rank_});
    return self_;
}

std::uint64_t DumpiRank::type_bytes(std::int64_t type) {
    if (type >= 0 && static_cast<std::size_t>(type) < kTypeBytes.size()) {
        return kTypeBytes[static_cast<std::size_t>(type)];
    }
    const auto found = types_.find(type);
    if (found != types_.end()) return found->second;
    ++untyped_;
    return 1;
}

std::uint64_t DumpiRank::checked(std::int64_t count, std::uint64_t bytes) const {
    const auto n = static_cast<std::uint64_t>(std::max<std::int64_t>(count, 0));
    if (bytes != 0 && n > static_cast<std::uint64_t>(kLargestMessageBytes) / bytes) {
        call_->fail("a size of more than 2^48 bytes");
    }
    return n * bytes;
}

std::uint64_t DumpiRank::bytes(const char* count, const char* type) {
    return checked(call_->whole(count), type_bytes(call_->whole(type)));
}

std::uint64_t DumpiRank::sum_bytes(const char* counts, const char* type) {
    std::int64_t sum = 0;
    for (const std::int64_t count : call_->numbers(counts)) {
        sum += std::clamp<std::int64_t>(count, 0, std::int64_t{1} << 31);
    }
    return checked(sum, type_bytes(call_->whole(type)));
}

TracedMessage DumpiRank::envelope(std::int64_t peer, const char* tag, std::uint64_t size) {
    const std::uint32_t comm = communicator();
    return {peer < 0 ? kNobody : job_->member(comm, peer), static_cast<std::int32_t>(call_->whole(tag)), comm, size};
}

void DumpiRank::send(std::uint8_t flags, bool starts) {
    const std::int64_t peer = call_->whole("dest");
    if (peer < 0) return;
    const auto e = envelope(peer, "tag", bytes("count", "datatype"));
    if (!starts) {
        traced_.send(e, flags);
    } else if (!traced_.start_send(request(), e, flags)) {
        fail_open();
    }
}

void DumpiRank::fail_open() const {
    call_->fail("more than " + std::to_string(kMostOpenRequests) + " requests are open");
}

std::pair<TracedMessage, std::uint8_t> DumpiRank::wanted(std::int64_t peer, const char* tag, std::uint64_t size) {
    auto e = envelope(peer, tag, size);
    std::uint8_t flags = peer == kAnyRank ? kAnySource : 0;
    if (e.tag == kAnyRank) {  // MPI_ANY_TAG is also -1
        flags |= kAnyTag;
        e.tag = 0;
    }
    return {e, flags};
}

void DumpiRank::came(TracedMessage& e, std::uint8_t flags, const DumpiStatus& status) {
    if ((flags & kAnySource) != 0) e.peer = status.source < 0 ? kNobody : job_->member(e.communicator, status.source);
    if ((flags & kAnyTag) != 0) e.tag = static_cast<std::int32_t>(status.tag);
    if (status.bytes >= 0) e.bytes = static_cast<std::uint64_t>(status.bytes);
}

void DumpiRank::receive(bool starts) {
    const std::int64_t peer = call_->whole("source");
    if (peer < kAnyRank) return;
    auto [e, flags] = wanted(peer, "tag", bytes("count", "datatype"));
    if (starts) {
        remember(request(), e.communicator);
        if (!traced_.start_receive(request(), e, flags)) fail_open();
        return;
    }
    if (const auto statuses = call_->statuses("status"); !statuses.empty()) came(e, flags, statuses.front());
    traced_.receive(e, flags);
}

void DumpiRank::remember(std::uint64_t request, std::uint32_t comm) {
    if (communicator_of_request_.size() >= 2 * kMostOpenRequests) fail_open();
    communicator_of_request_[request] = comm;
}

void DumpiRank::sendrecv() {
    const bool replaces = call_->name() == "MPI_Sendrecv_replace";
    const char* const send_count = replaces ? "count" : "sendcount";
    const char* const send_type = replaces ? "datatype" : "sendtype";
    const std::int64_t source = call_->whole("source");
    const std::int64_t destination = call_->whole("dest");
    TracedMessage e;
    std::uint8_t flags = 0;
    if (source >= kAnyRank) {
        std::tie(e, flags) =
            wanted(source, "recvtag", replaces ? bytes("count", "datatype") : bytes("recvcount", "recvtype"));
        (void)traced_.start_receive(kOwnReceive, e, flags);
    }
    if (destination >= 0) {
        (void)traced_.start_send(kOwnSend, envelope(destination, "sendtag", bytes(send_count, send_type)));
    }
    if (source >= kAnyRank) {
        const auto statuses = call_->statuses("status");
        if (!statuses.empty()) came(e, flags, statuses.front());
        traced_.complete(kOwnReceive, e, !statuses.empty());
    }
    if (destination >= 0) traced_.complete(kOwnSend);
}

void DumpiRank::init() {
    Persistent p;
    p.receives = call_->name() == "MPI_Recv_init";
    const std::int64_t peer = call_->whole(p.receives ? "source" : "dest");
    if (persistent_.size() >= kMostOpenRequests) fail_open();
    if (p.receives ? peer < kAnyRank : peer < 0) {
        persistent_.erase(request());  // partner MPI_PROC_NULL: starting the request has no effect
        return;
    }
    const std::uint64_t size = bytes("count", "datatype");
    if (p.receives) {
        std::tie(p.envelope, p.flags) = wanted(peer, "tag", size);
    } else {
        p.envelope = envelope(peer, "tag", size);
        if (call_->name() == "MPI_Ssend_init") p.flags = kSynchronous;
    }
    persistent_[request()] = p;
}

void DumpiRank::start() {
    std::vector<std::int64_t> requests = call_->numbers("requests");
    if (requests.empty()) requests = call_->numbers("request");
    for (const std::int64_t number : requests) {
        const auto id = static_cast<std::uint64_t>(number);
        const auto found = persistent_.find(id);
        if (found == persistent_.end()) continue;
        const Persistent& p = found->second;
        if (p.receives) remember(id, p.envelope.communicator);
        if (!(p.receives ? traced_.start_receive(id, p.envelope, p.flags)
                         : traced_.start_send(id, p.envelope, p.flags))) {
            fail_open();
        }
    }
}

void DumpiRank::complete_one(std::int64_t number, const DumpiStatus* status) {
    if (number < kFirstRequest) return;
    const auto id = static_cast<std::uint64_t>(number);
    if (status != nullptr && status->cancelled > 0) {
        traced_.forget(id);
        communicator_of_request_.erase(id);
        return;
    }
    TracedMessage e;
    if (status != nullptr) {
        const auto comm = communicator_of_request_.find(id);
        if (comm != communicator_of_request_.end() && status->source >= 0) {
            e.peer = job_->member(comm->second, status->source);
        }
        e.tag = static_cast<std::int32_t>(status->tag);
        e.bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(status->bytes, 0));
    }
    // Requests with MPI_PROC_NULL and inactive persistent requests are never open.
    traced_.complete(id, e, status != nullptr);
    communicator_of_request_.erase(id);
}

void DumpiRank::complete(std::string_view name) {
    if (name == "Test_cancelled") return;
    const bool tests = name.starts_with("Test");
    if (tests && name != "Testsome" && call_->whole("flag") == 0) return;
    if (name == "Wait" || name == "Test") {
        const auto requests = call_->numbers("request");
        const auto statuses = call_->statuses("status");
        if (!requests.empty()) complete_one(requests.front(), statuses.empty() ? nullptr : &statuses.front());
        return;
    }
    const std::vector<std::int64_t> requests = call_->numbers("requests");
    if (name == "Waitall" || name == "Testall") {
        const auto statuses = call_->statuses("statuses");
        for (std::size_t i = 0; i < requests.size(); ++i) {
            complete_one(requests[i], i < statuses.size() ? &statuses[i] : nullptr);
        }
        return;
    }
    std::vector<std::int64_t> indices;
    std::vector<DumpiStatus> statuses;
    if (name == "Waitany" || name == "Testany") {
        indices = {call_->whole("index")};
        statuses = call_->statuses("status");
    } else {
        indices = call_->numbers("indices");
        statuses = call_->statuses("statuses");
    }
    for (std::size_t i = 0; i < indices.size(); ++i) {
        // A negative index is MPI_UNDEFINED: none of the requests was active.
        if (indices[i] < 0 || static_cast<std::uint64_t>(indices[i]) >= requests.size()) continue;
        complete_one(requests[static_cast<std::size_t>(indices[i])], i < statuses.size() ? &statuses[i] : nullptr);
    }
}

void DumpiRank::type_call(std::string_view name) {
    if (name == "Type_size" && call_->has("size")) {
        set_type(call_->whole("datatype"), static_cast<std::uint64_t>(call_->whole("size", 0)));
        return;
    }
    if (!call_->has("newtype")) return;
    const std::int64_t type = call_->whole("newtype");
    std::uint64_t size = 0;
    if (call_->has("oldtypes")) {
        const auto lengths = call_->numbers("lengths");
        const auto types = call_->numbers("oldtypes");
        for (std::size_t i = 0; i < std::min(lengths.size(), types.size()); ++i) {
            size += checked(std::clamp<std::int64_t>(lengths[i], 0, INT32_MAX), type_bytes(types[i]));
            if (size > static_cast<std::uint64_t>(kLargestMessageBytes)) call_->fail("a type of more than 2^48 bytes");
        }
        set_type(type, size);
        return;
    }
    if (!call_->has("oldtype")) return;
    const std::uint64_t old = type_bytes(call_->whole("oldtype"));
    if (call_->has("subsizes")) {
        size = old;
        for (const std::int64_t n : call_->numbers("subsizes"))
            size = checked(std::clamp<std::int64_t>(n, 0, INT32_MAX), size);
    } else if (call_->has("lengths")) {
        size = sum_bytes("lengths", "oldtype");
    } else if (call_->has("blocklength")) {
        size = checked(call_->whole("count"), checked(call_->whole("blocklength"), old));
    } else if (call_->has("count")) {
        size = checked(call_->whole("count"), old);
    } else {
        size = old;  // MPI_Type_dup or MPI_Type_create_resized
    }
    set_type(type, size);
}

void DumpiRank::set_type(std::int64_t type, std::uint64_t size) {
    if (types_.size() >= kMostOpenRequests && !types_.contains(type)) call_->fail("more than 2^20 datatypes");
    types_[type] = size;
}

void DumpiRank::collective(CollectiveOperation kind, std::string_view name) {
    const std::uint32_t comm = communicator();
    TracedOperation o{kind, comm, kNobody, 0, 0};
    bool is_root = false;
    if (call_->has("root")) {
        const std::int64_t root = call_->whole("root");
        o.root = root < 0 ? kNobody : job_->member(comm, root);
        is_root = o.root == rank_;
    }
    if (call_->has("count")) {
        const std::uint64_t size = bytes("count", "datatype");
        const bool broadcasts = kind == CollectiveOperation::kBroadcast;
        const bool rooted = broadcasts || kind == CollectiveOperation::kReduce;
        o.bytes = broadcasts && !is_root ? 0 : size;
        o.received_bytes = rooted && is_root == broadcasts ? 0 : size;
    } else if (name == "Reduce_scatter") {
        o.bytes = sum_bytes("recvcounts", "datatype");
    } else if (kind != CollectiveOperation::kBarrier) {
        const bool scatters = kind == CollectiveOperation::kScatter;
        const bool gathers = kind == CollectiveOperation::kGather;
        o.block_sizes = kind == CollectiveOperation::kAlltoall && !call_->has("sendcounts");
        if (!scatters || is_root) o.bytes = side("sendcount", "sendcounts", "sendtype");
        if (!gathers || is_root) o.received_bytes = side("recvcount", "recvcounts", "recvtype");
    }
    traced_.collective(o);
}

std::uint64_t DumpiRank::side(const char* count, const char* counts, const char* type) {
    return call_->has(counts) ? sum_bytes(counts, type) : call_->has(count) ? bytes(count, type) : 0;
}

}  // namespace haichi
