#pragma once

#include "commlog/profiler/requests.h"
#include "commlog/profiler/thread_state.h"

namespace haichi::profiler {

/// What the wrappers tell of the calls that have succeeded. Each says count_call first. `function` is the number of the
/// function called; counts, ranks and tags are as the program states them.

struct SendArguments {
    std::int64_t count;
    MPI_Datatype type;
    int peer, tag;
};
struct ReceiveArguments {
    int peer, tag;
};

/// What a process contributes to a collective operation and gets from it; kNothing: it does not take part in that.
inline constexpr std::uint64_t kNothing = ~std::uint64_t{0};
struct CollectiveSizes {
    std::uint64_t sent, received;
    std::int32_t detail = 0;  ///< CollectiveDetail
};

Communicator& look_up_communicator(Thread& t, MPI_Comm handle);
inline Communicator& communicator(Thread& t, MPI_Comm handle) {
    if (t.epoch == handle_epoch.load(std::memory_order_relaxed) && t.last_communicator != nullptr &&
        t.last_communicator_handle == handle) [[likely]]
        return *t.last_communicator;
    return look_up_communicator(t, handle);
}
/// The index that count_call wants, of a call's communicator where the call has succeeded.
inline std::uint32_t index_of(Thread& t, MPI_Comm handle, int result) {
    return result == MPI_SUCCESS ? communicator(t, handle).index : kNoCommunicator;
}
std::uint64_t size_of(Thread& t, MPI_Datatype type);
inline std::uint64_t bytes_of(Thread& t, std::int64_t count, MPI_Datatype type) {
    return count > 0 ? static_cast<std::uint64_t>(count) * size_of(t, type) : 0;
}

/// A message that has come, from world rank `peer`, to a receive that `function` has posted at `site`.
void count_received(Thread& t, std::uint32_t function, std::int32_t peer, std::uint64_t bytes, CallSite& site);
/// Data moved to or from the memory of world rank `target`; kNothing: not in this direction.
void count_one_sided(Thread& t, std::uint32_t function, std::int32_t target, const CollectiveSizes& sizes);

void blocking_send(Thread& t, std::uint32_t function, const SendArguments& send, MPI_Comm comm, std::uint8_t flags);
void blocking_receive(Thread& t, std::uint32_t function, const ReceiveArguments& receive, MPI_Comm comm,
                      const void* status);
void send_and_receive(Thread& t, std::uint32_t function, const SendArguments& send, const ReceiveArguments& receive,
                      MPI_Comm comm, const void* status);

/// `where` is the program's variable of the request.
void post_send(Thread& t, std::uint32_t function, const SendArguments& send, MPI_Comm comm, MPI_Request request,
               const void* where, std::uint8_t flags);
void post_receive(Thread& t, std::uint32_t function, const ReceiveArguments& receive, MPI_Comm comm,
                  MPI_Request request, const void* where);
void post_send_and_receive(Thread& t, std::uint32_t function, const SendArguments& send,
                           const ReceiveArguments& receive, MPI_Comm comm, MPI_Request request, const void* where);
void prepare_send(Thread& t, std::uint32_t function, const SendArguments& send, MPI_Comm comm, MPI_Request request,
                  std::uint8_t flags);
void prepare_receive(Thread& t, std::uint32_t function, const ReceiveArguments& receive, MPI_Comm comm,
                     MPI_Request request);
/// A request of which nothing is counted; only its handle may be one that several share.
void post_other(Thread& t, MPI_Request request, const void* where);

/// MPI_Start and each request of MPI_Startall.
void start(Thread& t, std::uint32_t function, MPI_Request request);

/// A message found by a matching probe, and its receive.
void found_message(Thread& t, const ReceiveArguments& probe, MPI_Comm comm, MPI_Message message);
/// The entry of the message before its receive; its place is freed.
bool take_message(Thread& t, MPI_Message message, RequestEntry& entry);
void receive_message(Thread& t, std::uint32_t function, const RequestEntry& message, const void* status);
void post_message(Thread& t, std::uint32_t function, const RequestEntry& message, MPI_Request request,
                  const void* where);

void blocking_collective(Thread& t, std::uint32_t function, CollectiveOperation operation, MPI_Comm comm, int root,
                         const CollectiveSizes& sizes);
void post_collective(Thread& t, std::uint32_t function, CollectiveOperation operation, MPI_Comm comm, int root,
                     const CollectiveSizes& sizes, MPI_Request request, const void* where);
void prepare_collective(Thread& t, std::uint32_t function, CollectiveOperation operation, MPI_Comm comm, int root,
                        const CollectiveSizes& sizes, MPI_Request request);
/// A communicator that exists when its request is completed (MPI_Comm_idup).
void post_communicator(Thread& t, std::uint32_t function, MPI_Comm parent, const void* made, bool is_fortran,
                       MPI_Request request, const void* where);

/// Before a request is freed: what is known of it is forgotten.
void free_request(Thread& t, MPI_Request request, const void* where);

}  // namespace haichi::profiler
