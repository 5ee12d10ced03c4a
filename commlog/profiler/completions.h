#pragma once

#include <cstddef>

#include "commlog/profiler/recording.h"

namespace haichi::profiler {

/// Handles that the MPI hands out for all operations that are over at once, and MPI_PROC_NULL's.
extern std::uint64_t shared_handles[2];
void find_shared_handles();

inline bool is_shared(std::uint64_t handle) { return handle == shared_handles[0] || handle == shared_handles[1]; }

/// The post that a shared handle in the variable `where` stands for: that of this variable, else the oldest. False:
/// none.
bool take_shared(Thread& t, const void* where, SharedPost& post);

/// What is known of a request before a call that may complete it: a slot of the table or one of these.
inline constexpr std::uint32_t kNotKnown = RequestTable::kNone;
inline constexpr std::uint32_t kShared = RequestTable::kNone - 1;

std::uint32_t look_up(Thread& t, MPI_Request request);

/// Whether the status is needed: what came is only there.
inline bool wants_status(std::uint32_t slot) {
    return slot < kShared &&
           (requests[slot].kind == RequestKind::kReceive || requests[slot].kind == RequestKind::kSendAndReceive);
}

/// The request is completed; `status` may be null where it is not wanted. `where` is the program's variable.
void finish(Thread& t, std::uint32_t slot, const void* where, const void* status);

/// The call did not complete it.
inline void leave_open(std::uint32_t slot) {
    if (profiler.has_many_threads && slot < kShared) requests.give_back(slot);
}

/// The program's array of requests: handles for the profiler, and where each lies.
struct RequestArray {
    const MPI_Request* handles;
    const std::byte* where;
    std::size_t stride;
    std::uint32_t count;

    [[nodiscard]] const void* place(std::uint32_t i) const { return where + i * stride; }
};

RequestArray c_requests(int count, const MPI_Request* requests);
/// Fortran's handles as C's, in the thread's memory; without memory an empty array.
RequestArray fortran_requests(Thread& t, const MPI_Fint* count, const MPI_Fint* requests);

/// For a call that completes all of an array, or none. The call must write statuses where prepare says so.
class AllRequests {
  public:
    AllRequests(Thread& t, const RequestArray& array);
    [[nodiscard]] bool wants_statuses() const { return wants_statuses_; }
    /// Room for statuses the program ignores.
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

/// For a call that completes some of an array.
class SomeRequests {
  public:
    SomeRequests(Thread& t, const RequestArray& array);
    [[nodiscard]] MPI_Status* statuses() const { return thread_->statuses; }
    /// Of those completed, in the order of their places.
    void finish(std::uint32_t place, const void* status);
    /// Of a call that completes several: their indices, the first of which is `from`, and as many statuses.
    void finish_these(int count, const int* indices, std::uint32_t from, const void* statuses) {
        const auto* const status = static_cast<const std::byte*>(statuses);
        for (int i = 0; i < count; ++i) {
            finish(static_cast<std::uint32_t>(indices[i]) + from,
                   status + static_cast<std::size_t>(i) * sizeof(MPI_Status));
        }
    }
    /// After all that were completed.
    void end();

  private:
    Thread* thread_;
    RequestArray array_;
};

}  // namespace haichi::profiler
