#include "commlog/profiler/recording.h"

#include <new>

#include "commlog/profiler/completions.h"

namespace haichi::profiler {

RequestTable requests;

namespace {

bool is_counted(std::uint32_t function) { return profiler.keeps_profile && profiler.selected[function] != 0; }

/// Returns the slot of a peer in a large MPI_COMM_WORLD, or null if the table is full.
PeerSlot* peer_slot(ThreadMemory& m, std::int32_t peer) {
    const auto key = static_cast<std::uint32_t>(peer) + 1;
    std::uint32_t at = key * 0x9e3779b1U >> 18;
    static_assert(kPeerSlots == 1U << 14);
    for (int tries = 0; tries < 64; ++tries, at = (at + 1) & (kPeerSlots - 1)) {
        PeerSlot& slot = m.peers.hashed[at];
        if (slot.peer_and_1 == 0) slot.peer_and_1 = key;
        if (slot.peer_and_1 == key) return &slot;
    }
    return nullptr;
}

/// Returns the counters of a peer, or null if the table is full or there is no such peer.
PeerCounters* peer_counters(ThreadMemory& m, std::int32_t peer) {
    if (peer < 0) return peer == kOutside ? &m.outside : nullptr;
    if (profiler.dense_peers) return &m.peers.dense.traffic[peer];
    PeerSlot* const slot = peer_slot(m, peer);
    return slot == nullptr ? nullptr : &slot->traffic;
}

OneSidedCounters* one_sided_counters(ThreadMemory& m, std::int32_t peer) {
    if (peer < 0) return nullptr;
    if (profiler.dense_peers) return &m.peers.dense.one_sided[peer];
    PeerSlot* const slot = peer_slot(m, peer);
    return slot == nullptr ? nullptr : &slot->one_sided;
}

void count_sent(Thread& t, std::uint32_t function, std::int32_t peer, std::uint64_t bytes) {
    if (!is_counted(function)) return;
    ThreadMemory& m = *t.memory;
    m.functions[function].sent.add(bytes);
    t.site->sent_bytes += bytes;
    if (PeerCounters* const counters = peer_counters(m, peer); counters != nullptr) {
        ++counters->sent_messages;
        counters->sent_bytes += bytes;
    } else {
        ++m.lost_peers;
        m.lost_bytes += bytes;
    }
}

/// Adds the request to the table and returns its entry. If the table is full, counts the lost request and returns null.
RequestEntry* enter_request(std::uint64_t handle, const RequestEntry& entry) {
    // An entry with this handle is left over from an operation whose completion the profiler did not see.
    if (const std::uint32_t old = requests.find(handle); old != RequestTable::kNone) requests.remove(old);
    const std::uint32_t slot = requests.enter(handle, profiler.has_many_threads);
    if (slot == RequestTable::kNone) {
        std::atomic_ref(profiler.memory->header.lost_requests).fetch_add(1, std::memory_order_relaxed);
        return nullptr;
    }
    requests[slot] = entry;
    if (profiler.has_many_threads) requests.publish(slot, handle);
    return &requests[slot];
}

void enter_shared(Thread& t, const void* where, std::uint64_t post, std::uint32_t event) {
    if (t.shared_count == kMostSharedPosts) {
        std::atomic_ref(profiler.memory->header.lost_requests).fetch_add(1, std::memory_order_relaxed);
        return;
    }
    t.shared[(t.shared_first + t.shared_count++) & (kMostSharedPosts - 1)] = {where, post, event, true};
}

void enter_posted(Thread& t, MPI_Request request, const void* where, const RequestEntry& entry) {
    const std::uint64_t handle = number_of(request);
    if (is_shared(handle)) [[unlikely]] {
        if (t.recorder) enter_shared(t, where, entry.post, entry.event);
        return;
    }
    if (request != handles.no_request) enter_request(handle, entry);
}

struct Post {
    std::uint64_t number;
    std::uint32_t event;
};

Post log_send(Thread& t, std::int32_t peer, int tag, std::uint32_t communicator_index, std::uint64_t bytes,
              std::uint8_t flags) {
    if (!t.recorder) return {0, 0};
    const std::uint64_t number = t.recorder->send(peer, tag, communicator_index, bytes, flags);
    return {number, t.recorder->last_event()};
}

std::uint8_t flags_of(const ReceiveArguments& receive) {
    return static_cast<std::uint8_t>((receive.peer == MPI_ANY_SOURCE ? kAnySource : 0) |
                                     (receive.tag == MPI_ANY_TAG ? kAnyTag : 0));
}

Post log_receive(Thread& t, const Communicator& c, const ReceiveArguments& receive) {
    if (!t.recorder) return {0, 0};
    const std::uint8_t flags = flags_of(receive);
    const std::int32_t peer = (flags & kAnySource) != 0 ? kNobody : c.world_rank(receive.peer);
    const std::uint64_t number = t.recorder->receive(peer, (flags & kAnyTag) != 0 ? 0 : receive.tag, c.index, flags);
    return {number, t.recorder->last_event()};
}

std::int32_t world_root(const Communicator& c, int root) {
    if (root == kNobody) return kNobody;
    // In an intercommunicator, the root passes MPI_ROOT, and the other processes of its group pass MPI_PROC_NULL.
    if (root == MPI_PROC_NULL) return kNobody;
    if (root == MPI_ROOT) return profiler.memory->header.rank;
    return c.world_rank(root);
}

void count_collective(Thread& t, std::uint32_t function, const CollectiveSizes& sizes) {
    if (!is_counted(function)) return;
    FunctionCounters& counters = t.memory->functions[function];
    if (sizes.sent != kNothing) {
        counters.sent.add(sizes.sent);
        t.site->sent_bytes += sizes.sent;
    }
    if (sizes.received != kNothing) {
        counters.received.add(sizes.received);
        t.site->received_bytes += sizes.received;
    }
}

Post log_collective(Thread& t, CollectiveOperation operation, const Communicator& c, std::int32_t root,
                    const CollectiveSizes& sizes, std::uint8_t flags) {
    if (!t.recorder) return {0, 0};
    const std::uint64_t number =
        t.recorder->collective(operation, c.index, root, sizes.sent == kNothing ? 0 : sizes.sent,
                               sizes.received == kNothing ? 0 : sizes.received, flags, sizes.detail);
    return {number, t.recorder->last_event()};
}

}  // namespace

Communicator& look_up_communicator(Thread& t, MPI_Comm handle) {
    Communicator& found = communicator(handle);
    t.epoch = handle_epoch.load(std::memory_order_relaxed);
    t.last_communicator_handle = handle;
    t.last_communicator = &found;
    t.last_type_size = kNothing;
    return found;
}

std::uint64_t size_of(Thread& t, MPI_Datatype type) {
#if defined(MPICH_VERSION)
    // The handle of a built-in type contains the type's size. This is part of MPICH's binary interface, as defined in
    // mpi.h.
    if ((static_cast<std::uint32_t>(type) & 0xff000000U) == 0x4c000000U) [[likely]]
        return (static_cast<std::uint32_t>(type) & 0xff00U) >> 8;
#endif
    const std::uint32_t epoch = handle_epoch.load(std::memory_order_relaxed);
    if (t.epoch != epoch) [[unlikely]] {
        t.epoch = epoch;
        t.last_communicator = nullptr;
        t.last_type_size = kNothing;
    }
    if (t.last_type_size != kNothing && t.last_type == type) [[likely]]
        return t.last_type_size;
    MPI_Count size = 0;
    if (real.Type_size_x(type, &size) != MPI_SUCCESS || size < 0) size = 0;
    t.last_type = type;
    t.last_type_size = static_cast<std::uint64_t>(size);
    return t.last_type_size;
}

void blocking_send(Thread& t, std::uint32_t function, const SendArguments& send, MPI_Comm comm, std::uint8_t flags) {
    if (send.peer == MPI_PROC_NULL) return;
    const Communicator& c = communicator(t, comm);
    const std::uint64_t bytes = bytes_of(t, send.count, send.type);
    const std::int32_t peer = c.world_rank(send.peer);
    count_sent(t, function, peer, bytes);
    log_send(t, peer, send.tag, c.index, bytes, static_cast<std::uint8_t>(flags | kBlocking));
}

void count_received(Thread& t, std::uint32_t function, std::int32_t peer, std::uint64_t bytes, CallSite& site) {
    if (!is_counted(function)) return;
    ThreadMemory& m = *t.memory;
    m.functions[function].received.add(bytes);
    site.received_bytes += bytes;
    if (PeerCounters* const counters = peer_counters(m, peer); counters != nullptr) {
        ++counters->received_messages;
        counters->received_bytes += bytes;
    } else {
        ++m.lost_peers;
        m.lost_bytes += bytes;
    }
}

void count_one_sided(Thread& t, std::uint32_t function, std::int32_t target, const CollectiveSizes& sizes) {
    if (!is_counted(function)) return;
    count_collective(t, function, sizes);
    OneSidedCounters* const counters = one_sided_counters(*t.memory, target);
    if (counters == nullptr) return;
    if (sizes.sent != kNothing) {
        ++counters->put_operations;
        counters->put_bytes += sizes.sent;
    }
    if (sizes.received != kNothing) {
        ++counters->got_operations;
        counters->got_bytes += sizes.received;
    }
}

void blocking_receive(Thread& t, std::uint32_t function, const ReceiveArguments& receive, MPI_Comm comm,
                      const void* status) {
    if (receive.peer == MPI_PROC_NULL) return;
    const Communicator& c = communicator(t, comm);
    const StatusView came = view(status);
    const std::int32_t source = c.world_rank(came.source);
    count_received(t, function, source, came.bytes, *t.site);
    if (!t.recorder) return;
    const std::uint8_t flags = flags_of(receive);
    const bool any_source = (flags & kAnySource) != 0;
    const bool any_tag = (flags & kAnyTag) != 0;
    t.recorder->receive(any_source ? kNobody : source, any_tag ? 0 : receive.tag, c.index,
                        static_cast<std::uint8_t>(flags | kBlocking), source, came.tag);
}

void send_and_receive(Thread& t, std::uint32_t function, const SendArguments& send, const ReceiveArguments& receive,
                      MPI_Comm comm, const void* status) {
    const Communicator& c = communicator(t, comm);
    Post received{0, 0};
    Post sent{0, 0};
    if (receive.peer != MPI_PROC_NULL) received = log_receive(t, c, receive);
    if (send.peer != MPI_PROC_NULL) {
        const std::uint64_t bytes = bytes_of(t, send.count, send.type);
        const std::int32_t peer = c.world_rank(send.peer);
        count_sent(t, function, peer, bytes);
        sent = log_send(t, peer, send.tag, c.index, bytes, 0);
    }
    if (receive.peer != MPI_PROC_NULL) {
        const StatusView came = view(status);
        const std::int32_t source = c.world_rank(came.source);
        count_received(t, function, source, came.bytes, *t.site);
        const bool was_open = flags_of(receive) != 0;
        if (received.number != 0) {
            t.recorder->complete(received.number, received.event, was_open ? source : kNobody, was_open ? came.tag : 0);
        }
    }
    if (sent.number != 0) t.recorder->complete(sent.number, sent.event);
}

void post_send(Thread& t, std::uint32_t function, const SendArguments& send, MPI_Comm comm, MPI_Request request,
               const void* where, std::uint8_t flags) {
    if (send.peer == MPI_PROC_NULL) return post_other(t, request, where);
    const Communicator& c = communicator(t, comm);
    const std::uint64_t bytes = bytes_of(t, send.count, send.type);
    const std::int32_t peer = c.world_rank(send.peer);
    count_sent(t, function, peer, bytes);
    // If there is no log, a send needs no entry.
    if (!t.recorder) return;
    const Post post = log_send(t, peer, send.tag, c.index, bytes, flags);
    enter_posted(
        t, request, where,
        {post.number, 0, 0, post.event, 0, send.peer, send.tag, c.position, static_cast<std::uint16_t>(function), 0,
         RequestKind::kSend, kActive, flags, static_cast<std::uint8_t>(t.number), site_number(t)});
}

void post_receive(Thread& t, std::uint32_t function, const ReceiveArguments& receive, MPI_Comm comm,
                  MPI_Request request, const void* where) {
    if (receive.peer == MPI_PROC_NULL) return post_other(t, request, where);
    const Communicator& c = communicator(t, comm);
    const Post post = log_receive(t, c, receive);
    enter_posted(
        t, request, where,
        {post.number, 0, 0, post.event, 0, receive.peer, receive.tag, c.position, static_cast<std::uint16_t>(function),
         0, RequestKind::kReceive, kActive, flags_of(receive), static_cast<std::uint8_t>(t.number), site_number(t)});
}

void post_send_and_receive(Thread& t, std::uint32_t function, const SendArguments& send,
                           const ReceiveArguments& receive, MPI_Comm comm, MPI_Request request, const void* where) {
    if (send.peer == MPI_PROC_NULL) return post_receive(t, function, receive, comm, request, where);
    if (receive.peer == MPI_PROC_NULL) return post_send(t, function, send, comm, request, where, 0);
    const Communicator& c = communicator(t, comm);
    const Post received = log_receive(t, c, receive);
    const std::uint64_t bytes = bytes_of(t, send.count, send.type);
    const std::int32_t peer = c.world_rank(send.peer);
    count_sent(t, function, peer, bytes);
    const Post sent = log_send(t, peer, send.tag, c.index, bytes, 0);
    enter_posted(t, request, where,
                 {received.number, 0, sent.number, received.event, sent.event, receive.peer, receive.tag, c.position,
                  static_cast<std::uint16_t>(function), 0, RequestKind::kSendAndReceive, kActive, flags_of(receive),
                  static_cast<std::uint8_t>(t.number), site_number(t)});
}

void prepare_send(Thread& t, std::uint32_t function, const SendArguments& send, MPI_Comm comm, MPI_Request request,
                  std::uint8_t flags) {
    if (send.peer == MPI_PROC_NULL) return;
    const Communicator& c = communicator(t, comm);
    enter_request(number_of(request), {0, bytes_of(t, send.count, send.type), 0, 0, 0, send.peer, send.tag, c.position,
                                       static_cast<std::uint16_t>(function), 0, RequestKind::kSend, kPersistent, flags,
                                       static_cast<std::uint8_t>(t.number), site_number(t)});
}

void prepare_receive(Thread& t, std::uint32_t function, const ReceiveArguments& receive, MPI_Comm comm,
                     MPI_Request request) {
    if (receive.peer == MPI_PROC_NULL) return;
    const Communicator& c = communicator(t, comm);
    enter_request(number_of(request), {0, 0, 0, 0, 0, receive.peer, receive.tag, c.position,
                                       static_cast<std::uint16_t>(function), 0, RequestKind::kReceive, kPersistent,
                                       flags_of(receive), static_cast<std::uint8_t>(t.number), site_number(t)});
}

void post_other(Thread& t, MPI_Request request, const void* where) {
    if (t.recorder && is_shared(number_of(request))) enter_shared(t, where, 0, 0);
}

void start(Thread& t, std::uint32_t function, MPI_Request request) {
    const std::uint32_t slot = requests.find(number_of(request));
    if (slot == RequestTable::kNone) return;
    RequestEntry& entry = requests[slot];
    if ((entry.flags & kPersistent) == 0) return;
    const Communicator& c = communicator_at(entry.communicator);
    Post post{0, 0};
    if (entry.kind == RequestKind::kSend) {
        const std::int32_t peer = c.world_rank(entry.peer);
        count_sent(t, function, peer, entry.bytes);
        post = log_send(t, peer, entry.tag, c.index, entry.bytes, entry.log_flags);
    } else if (entry.kind == RequestKind::kReceive) {
        post = log_receive(t, c, {entry.peer, entry.tag});
    } else if (entry.kind == RequestKind::kCollective) {
        const CollectiveSizes sizes{entry.bytes, entry.received, entry.tag};
        count_collective(t, function, sizes);
        post = log_collective(t, static_cast<CollectiveOperation>(entry.operation), c, world_root(c, entry.peer), sizes,
                              0);
    }
    entry.post = post.number;
    entry.event = post.event;
    entry.function = static_cast<std::uint16_t>(function);
    entry.thread = static_cast<std::uint8_t>(t.number);
    entry.site = site_number(t);
    entry.flags |= kActive;
}

void found_message(Thread& t, const ReceiveArguments& probe, MPI_Comm comm, MPI_Message message) {
    if (probe.peer == MPI_PROC_NULL) return;
    const Communicator& c = communicator(t, comm);
    enter_request(number_of(message), {0, 0, 0, 0, 0, probe.peer, probe.tag, c.position, 0, 0, RequestKind::kMessage, 0,
                                       flags_of(probe), static_cast<std::uint8_t>(t.number), site_number(t)});
}

bool take_message(Thread&, MPI_Message message, RequestEntry& entry) {
    const std::uint32_t slot = requests.find(number_of(message));
    if (slot == RequestTable::kNone || requests[slot].kind != RequestKind::kMessage) return false;
    entry = requests[slot];
    requests.remove(slot);
    return true;
}

void receive_message(Thread& t, std::uint32_t function, const RequestEntry& message, const void* status) {
    const Communicator& c = communicator_at(message.communicator);
    const StatusView came = view(status);
    const std::int32_t source = c.world_rank(came.source);
    count_received(t, function, source, came.bytes, *t.site);
    if (!t.recorder) return;
    const bool any_source = (message.log_flags & kAnySource) != 0;
    const bool any_tag = (message.log_flags & kAnyTag) != 0;
    t.recorder->receive(any_source ? kNobody : source, any_tag ? 0 : message.tag, c.index,
                        static_cast<std::uint8_t>(message.log_flags | kBlocking), source, came.tag);
}

void post_message(Thread& t, std::uint32_t function, const RequestEntry& message, MPI_Request request,
                  const void* where) {
    const Communicator& c = communicator_at(message.communicator);
    const Post post = log_receive(t, c, {message.peer, message.tag});
    RequestEntry entry = message;
    entry.kind = RequestKind::kReceive;
    entry.flags = kActive;
    entry.post = post.number;
    entry.event = post.event;
    entry.function = static_cast<std::uint16_t>(function);
    entry.thread = static_cast<std::uint8_t>(t.number);
    entry.site = site_number(t);
    enter_posted(t, request, where, entry);
}

void blocking_collective(Thread& t, std::uint32_t function, CollectiveOperation operation, MPI_Comm comm, int root,
                         const CollectiveSizes& sizes) {
    const Communicator& c = communicator(t, comm);
    count_collective(t, function, sizes);
    log_collective(t, operation, c, world_root(c, root), sizes, kBlocking);
}

void post_collective(Thread& t, std::uint32_t function, CollectiveOperation operation, MPI_Comm comm, int root,
                     const CollectiveSizes& sizes, MPI_Request request, const void* where) {
    const Communicator& c = communicator(t, comm);
    count_collective(t, function, sizes);
    if (!t.recorder) return;
    const Post post = log_collective(t, operation, c, world_root(c, root), sizes, 0);
    enter_posted(t, request, where,
                 {post.number, 0, 0, post.event, 0, root, 0, c.position, static_cast<std::uint16_t>(function),
                  static_cast<std::uint16_t>(operation), RequestKind::kCollective, kActive, 0,
                  static_cast<std::uint8_t>(t.number), site_number(t)});
}

void prepare_collective(Thread& t, std::uint32_t function, CollectiveOperation operation, MPI_Comm comm, int root,
                        const CollectiveSizes& sizes, MPI_Request request) {
    const Communicator& c = communicator(t, comm);
    enter_request(number_of(request),
                  {0, sizes.sent, sizes.received, 0, 0, root, sizes.detail, c.position,
                   static_cast<std::uint16_t>(function), static_cast<std::uint16_t>(operation),
                   RequestKind::kCollective, kPersistent, 0, static_cast<std::uint8_t>(t.number), site_number(t)});
}

void post_communicator(Thread& t, std::uint32_t function, MPI_Comm parent, const void* made, bool is_fortran,
                       MPI_Request request, const void* where) {
    const Communicator& c = communicator(t, parent);
    const Post post = log_collective(t, CollectiveOperation::kOther, c, kNobody,
                                     {kNothing, kNothing, static_cast<std::int32_t>(OtherDetail::kAgrees)}, 0);
    enter_posted(
        t, request, where,
        {post.number, static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(made)), 0, post.event, 0, kNobody, 0,
         c.position, static_cast<std::uint16_t>(function), static_cast<std::uint16_t>(CollectiveOperation::kOther),
         RequestKind::kNewCommunicator, static_cast<std::uint8_t>(kActive | (is_fortran ? kFortran : 0)), 0,
         static_cast<std::uint8_t>(t.number), site_number(t)});
}

void free_request(Thread& t, MPI_Request request, const void* where) {
    const std::uint64_t handle = number_of(request);
    SharedPost shared;
    if (is_shared(handle)) {
        if (t.recorder) take_shared(t, where, shared);
        return;
    }
    if (const std::uint32_t slot = requests.find(handle); slot != RequestTable::kNone) requests.remove(slot);
}

}  // namespace haichi::profiler
