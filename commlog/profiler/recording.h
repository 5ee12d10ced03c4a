#pragma once

#include "commlog/profiler/requests.h"
#include "commlog/profiler/thread_state.h"

namespace haichi::profiler {

/// Functions by which wrappers record successful calls. Each wrapper must first call count_call(). `function` is the
/// index of the MPI function. Counts, ranks and tags have the values that the program passed.

struct SendArguments {
    std::int64_t count;
    MPI_Datatype type;
    int peer, tag;
};
struct ReceiveArguments {
    int peer, tag;
};

/// The bytes that a process contributes to a collective operation and receives from it. kNothing means that the process
/// has no part in this direction.
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
/// Returns the index of the communicator for count_call(), or kNoCommunicator for a failed call.
inline std::uint32_t index_of(Thread& t, MPI_Comm handle, int result) {
    return result == MPI_SUCCESS ? communicator(t, handle).index : kNoCommunicator;
}
std::uint64_t size_of(Thread& t, MPI_Datatype type);
inline std::uint64_t bytes_of(Thread& t, std::int64_t count, MPI_Datatype type) {
    return count > 0 ? static_cast<std::uint64_t>(count) * size_of(t, type) : 0;
}

/// Counts a message that was received from rank `peer` in MPI_COMM_WORLD. `function` is the function that posted the
/// receive, and `site` its call site.
void count_received(Thread& t, std::uint32_t function, std::int32_t peer, std::uint64_t bytes, CallSite& site);
/// Counts data that were moved to or from the memory of rank `target` in MPI_COMM_WORLD. kNothing means that no data
/// were moved in this direction.
void count_one_sided(Thread& t, std::uint32_t function, std::int32_t target, const CollectiveSizes& sizes);

void blocking_send(Thread& t, std::uint32_t function, const SendArguments& send, MPI_Comm comm, std::uint8_t flags);
void blocking_receive(Thread& t, std::uint32_t function, const ReceiveArguments& receive, MPI_Comm comm,
                      const void* status);
void send_and_receive(Thread& t, std::uint32_t function, const SendArguments& send, const ReceiveArguments& receive,
                      MPI_Comm comm, const void* status);

/// `where` is the address of the program's request variable.
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
/// Records a request whose data are not counted. The request's handle may be a shared one.
void post_other(Thread& t, MPI_Request request, const void* where);

/// Records MPI_Start, or one request of MPI_Startall.
void start(Thread& t, std::uint32_t function, MPI_Request request);

/// Records a message found by MPI_Mprobe or MPI_Improbe; its receive follows.
void found_message(Thread& t, const ReceiveArguments& probe, MPI_Comm comm, MPI_Message message);
/// Returns the entry of a message before it is received, and frees the entry's slot.
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
/// Records a communicator that does not exist before its request completes (MPI_Comm_idup).
void post_communicator(Thread& t, std::uint32_t function, MPI_Comm parent, const void* made, bool is_fortran,
                       MPI_Request request, const void* where);

/// Removes the entry of a request that is about to be freed.
void free_request(Thread& t, MPI_Request request, const void* where);

}  // namespace haichi::profiler
