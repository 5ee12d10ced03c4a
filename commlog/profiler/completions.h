#pragma once

#include <cstddef>

#include "commlog/profiler/recording.h"

namespace haichi::profiler {

/// Handles that the MPI uses for all operations that complete at once, and for operations with MPI_PROC_NULL.
extern std::uint64_t shared_handles[2];
void find_shared_handles();

inline bool is_shared(std::uint64_t handle) { return handle == shared_handles[0] || handle == shared_handles[1]; }

/// Finds the post of a shared handle in the variable `where`: the post with this variable, or else the oldest. Returns
/// false if there is none.
bool take_shared(Thread& t, const void* where, SharedPost& post);

/// The state of a request before a call that may complete it: a slot of the table, or one of these.
inline constexpr std::uint32_t kNotKnown = RequestTable::kNone;
inline constexpr std::uint32_t kShared = RequestTable::kNone - 1;

std::uint32_t look_up(Thread& t, MPI_Request request);

/// Returns whether the status is needed, because only it states the received message.
inline bool wants_status(std::uint32_t slot) {
    return slot < kShared &&
           (requests[slot].kind == RequestKind::kReceive || requests[slot].kind == RequestKind::kSendAndReceive);
}

/// Completes the request. `status` may be null if it is not wanted. `where` is the program's variable.
void finish(Thread& t, std::uint32_t slot, const void* where, const void* status);

/// Handles a request that the call did not complete.
inline void leave_open(std::uint32_t slot) {
    if (profiler.has_many_threads && slot < kShared) requests.give_back(slot);
}

/// The program's array of requests: handles for the profiler, and the address of each.
struct RequestArray {
    const MPI_Request* handles;
    const std::byte* where;
    std::size_t stride;
    std::uint32_t count;

    [[nodiscard]] const void* place(std::uint32_t i) const { return where + i * stride; }
};

RequestArray c_requests(int count, const MPI_Request* requests);
/// Converts Fortran handles to C handles in the thread's memory. Without memory the array is empty.
RequestArray fortran_requests(Thread& t, const MPI_Fint* count, const MPI_Fint* requests);

/// For a call that completes all requests of an array, or none. The call must write statuses if wants_statuses() is
/// true.
class AllRequests {
  public:
    AllRequests(Thread& t, const RequestArray& array);
    [[nodiscard]] bool wants_statuses() const { return wants_statuses_; }
    /// Memory for statuses that the program ignores.
    [[nodiscard]] MPI_Status* statuses() const { return thread_->statuses; }
    /// `statuses` may be null if none are wanted.
    void finish(const void* statuses);
    void leave_open();
    /// The call returned MPI_ERR_IN_STATUS or another error.
    void fail(bool is_in_status, const void* statuses);

  private:
    Thread* thread_;
    RequestArray array_;
    bool wants_statuses_ = false;
};

/// For a call that completes some requests of an array.
class SomeRequests {
  public:
    SomeRequests(Thread& t, const RequestArray& array);
    [[nodiscard]] MPI_Status* statuses() const { return thread_->statuses; }
    /// Completes the request at index `place`. Indices must ascend.
    void finish(std::uint32_t place, const void* status);
    /// Completes several requests of one call. `indices` count from `from`, and each has a status.
    void finish_these(int count, const int* indices, std::uint32_t from, const void* statuses) {
        const auto* const status = static_cast<const std::byte*>(statuses);
        for (int i = 0; i < count; ++i) {
            finish(static_cast<std::uint32_t>(indices[i]) + from,
                   status + static_cast<std::size_t>(i) * sizeof(MPI_Status));
        }
    }
    /// Call it after all completed requests.
    void end();

  private:
    Thread* thread_;
    RequestArray array_;
};

}  // namespace haichi::profiler
