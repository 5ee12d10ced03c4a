#pragma once

#include <cstddef>

#include "commlog/profiler/recording.h"

namespace haichi::profiler {

/// Handles that the MPI shares among all operations that complete immediately or have MPI_PROC_NULL.
extern std::uint64_t shared_handles[2];
void find_shared_handles();

inline bool is_shared(std::uint64_t handle) { return handle == shared_handles[0] || handle == shared_handles[1]; }

/// Finds the post of a shared handle that is in the variable `where`: the post of this variable, or otherwise the
/// oldest post. Returns false if there is none.
bool take_shared(Thread& t, const void* where, SharedPost& post);

/// The state of a request before a call that may complete it: its slot in the table, or one of the following.
inline constexpr std::uint32_t kNotKnown = RequestTable::kNone;
inline constexpr std::uint32_t kShared = RequestTable::kNone - 1;

std::uint32_t look_up(Thread& t, MPI_Request request);

/// Returns true if the request needs a status, because only the status describes the received message.
inline bool wants_status(std::uint32_t slot) {
    return slot < kShared &&
           (requests[slot].kind == RequestKind::kReceive || requests[slot].kind == RequestKind::kSendAndReceive);
}

/// Completes the request. `status` may be null if wants_status() is false. `where` is the address of the program's
/// request variable.
void finish(Thread& t, std::uint32_t slot, const void* where, const void* status);

/// Handles a request that the call did not complete.
inline void leave_open(std::uint32_t slot) {
    if (profiler.has_many_threads && slot < kShared) requests.give_back(slot);
}

/// The program's array of requests: their handles for the profiler, and the address of each variable.
struct RequestArray {
    const MPI_Request* handles;
    const std::byte* where;
    std::size_t stride;
    std::uint32_t count;

    [[nodiscard]] const void* place(std::uint32_t i) const { return where + i * stride; }
};

RequestArray c_requests(int count, const MPI_Request* requests);
/// Converts Fortran handles to C handles in the thread's memory. The array is empty if there is no memory.
RequestArray fortran_requests(Thread& t, const MPI_Fint* count, const MPI_Fint* requests);

/// Handles a call that completes all requests of an array, or none of them. The call must write statuses if
/// wants_statuses() is true.
class AllRequests {
  public:
    AllRequests(Thread& t, const RequestArray& array);
    [[nodiscard]] bool wants_statuses() const { return wants_statuses_; }
    /// Memory for statuses, for use if the program ignores them.
    [[nodiscard]] MPI_Status* statuses() const { return thread_->statuses; }
    /// `statuses` may be null if wants_statuses() is false.
    void finish(const void* statuses);
    void leave_open();
    /// Call it if the MPI call returned MPI_ERR_IN_STATUS or another error.
    void fail(bool is_in_status, const void* statuses);

  private:
    Thread* thread_;
    RequestArray array_;
    bool wants_statuses_ = false;
};

/// Handles a call that completes some requests of an array.
class SomeRequests {
  public:
    SomeRequests(Thread& t, const RequestArray& array);
    [[nodiscard]] MPI_Status* statuses() const { return thread_->statuses; }
    /// Completes the request at index `place`; indices must ascend.
    void finish(std::uint32_t place, const void* status);
    /// Completes several requests of one call. `indices` are counted from `from`, and each index has a status.
    void finish_these(int count, const int* indices, std::uint32_t from, const void* statuses) {
        const auto* const status = static_cast<const std::byte*>(statuses);
        for (int i = 0; i < count; ++i) {
            finish(static_cast<std::uint32_t>(indices[i]) + from,
                   status + static_cast<std::size_t>(i) * sizeof(MPI_Status));
        }
    }
    /// Call this after all completed requests have been passed.
    void end();

  private:
    Thread* thread_;
    RequestArray array_;
};

}  // namespace haichi::profiler
