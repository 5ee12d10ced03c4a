#include "commlog/profiler/completions.h"

#include "commlog/profiler/fortran_handles.h"

namespace haichi::profiler {

std::uint64_t shared_handles[2];

void find_shared_handles() {
    // A send to MPI_PROC_NULL, or a barrier of one process, completes immediately. If two such operations in flight
    // have equal handles, the MPI shares this handle among them.
    MPI_Request first;
    MPI_Request second;
    real.Isend(nullptr, 0, handles.byte, MPI_PROC_NULL, 0, handles.self, &first);
    real.Isend(nullptr, 0, handles.byte, MPI_PROC_NULL, 0, handles.self, &second);
    if (first == second && first != handles.no_request) shared_handles[0] = number_of(first);
    real.Wait(&first, MPI_STATUS_IGNORE);
    real.Wait(&second, MPI_STATUS_IGNORE);
    real.Ibarrier(handles.self, &first);
    real.Ibarrier(handles.self, &second);
    if (first == second && first != handles.no_request) shared_handles[1] = number_of(first);
    real.Wait(&first, MPI_STATUS_IGNORE);
    real.Wait(&second, MPI_STATUS_IGNORE);
}

bool take_shared(Thread& t, const void* where, SharedPost& post) {
    constexpr std::uint32_t kMask = kMostSharedPosts - 1;
    // Limits the search for a request whose variable was copied, because thousands may wait.
    constexpr std::uint32_t kLooked = 16;
    while (t.shared_count != 0 && !t.shared[t.shared_first & kMask].waiting) {
        ++t.shared_first;
        --t.shared_count;
    }
    if (t.shared_count == 0) return false;
    std::uint32_t taken = t.shared_first;
    for (std::uint32_t i = 0; i < t.shared_count && i < kLooked; ++i) {
        const SharedPost& candidate = t.shared[(t.shared_first + i) & kMask];
        if (!candidate.waiting || candidate.where != where) continue;
        taken = t.shared_first + i;
        break;
    }
    post = t.shared[taken & kMask];
    t.shared[taken & kMask].waiting = false;
    return true;
}

std::uint32_t look_up(Thread& t, MPI_Request request) {
    if (request == handles.no_request) return kNotKnown;
    const std::uint64_t handle = number_of(request);
    if (is_shared(handle)) return t.recorder ? kShared : kNotKnown;
    const std::uint32_t slot = requests.find(handle);
    if (slot == RequestTable::kNone || (requests[slot].flags & kActive) == 0) return kNotKnown;
    if (profiler.has_many_threads) requests.take(slot);
    return slot;
}

void finish(Thread& t, std::uint32_t slot, const void* where, const void* status) {
    if (slot == kNotKnown) return;
    if (slot == kShared) {
        SharedPost shared;
        if (take_shared(t, where, shared) && shared.post != 0) t.recorder->complete(shared.post, shared.event);
        return;
    }
    RequestEntry& entry = requests[slot];
    // If another thread completes a post, the post stays open in the log, because there is no common order of the two
    // threads.
    const bool is_logged = entry.post != 0 && t.recorder && entry.thread == t.number;
    if (entry.kind == RequestKind::kReceive || entry.kind == RequestKind::kSendAndReceive) {
        const Communicator& c = communicator_at(entry.communicator);
        const StatusView came = view(status);
        std::int32_t source = kNobody;
        int tag = 0;
        if (came.cancelled == 0) {
            const std::int32_t from = c.world_rank(came.source);
            // The counters of another thread must not be changed here. In this case, the bytes are counted for the
            // completing call.
            const bool is_own = entry.thread == t.number && entry.site < kMostSites;
            count_received(t, entry.function, from, came.bytes, is_own ? t.memory->sites[entry.site] : *t.site);
            if (entry.log_flags != 0) {
                source = from;
                tag = came.tag;
            }
        }
        if (is_logged) {
            t.recorder->complete(entry.post, entry.event, source, tag);
            if (entry.kind == RequestKind::kSendAndReceive) t.recorder->complete(entry.received, entry.second_event);
        }
    } else if (is_logged) {
        t.recorder->complete(entry.post, entry.event);
    }
    if (entry.kind == RequestKind::kNewCommunicator) {
        const void* const variable = reinterpret_cast<const void*>(static_cast<std::uintptr_t>(entry.bytes));
        const MPI_Comm made = (entry.flags & kFortran) != 0 ? comm_of(*static_cast<const MPI_Fint*>(variable))
                                                            : *static_cast<const MPI_Comm*>(variable);
        enter_communicator(communicator_at(entry.communicator).identity, made, entry.function);
    }
    if ((entry.flags & kPersistent) != 0) {
        entry.flags = static_cast<std::uint8_t>(entry.flags & ~kActive);
        leave_open(slot);
    } else {
        requests.remove(slot);
    }
}

RequestArray c_requests(int count, const MPI_Request* handles_of_program) {
    return {handles_of_program, reinterpret_cast<const std::byte*>(handles_of_program), sizeof(MPI_Request),
            count > 0 ? static_cast<std::uint32_t>(count) : 0};
}

RequestArray fortran_requests(Thread& t, const MPI_Fint* count, const MPI_Fint* handles_of_program) {
    const auto size = *count > 0 ? static_cast<std::uint32_t>(*count) : 0;
    RequestArray array{t.requests, reinterpret_cast<const std::byte*>(handles_of_program), sizeof(MPI_Fint), 0};
    if (size > t.room && !grow(t, size)) return array;
    array.handles = t.requests;
    array.count = size;
    for (std::uint32_t i = 0; i < size; ++i) t.requests[i] = request_of(handles_of_program[i]);
    return array;
}

AllRequests::AllRequests(Thread& t, const RequestArray& array) : thread_(&t), array_(array) {
    // The memory may grow only before fortran_requests() writes the handles, because it also holds these handles.
    if (array.count > t.room && !grow(t, array.count)) array_.count = 0;
    for (std::uint32_t i = 0; i < array_.count; ++i) {
        const std::uint32_t slot = look_up(t, array_.handles[i]);
        t.slots[i] = slot;
        wants_statuses_ = wants_statuses_ || wants_status(slot);
    }
}

void AllRequests::finish(const void* statuses) {
    const auto* const status = static_cast<const std::byte*>(statuses);
    for (std::uint32_t i = 0; i < array_.count; ++i) {
        profiler::finish(*thread_, thread_->slots[i], array_.place(i),
                         status == nullptr ? nullptr : status + i * sizeof(MPI_Status));
    }
}

void AllRequests::leave_open() {
    for (std::uint32_t i = 0; i < array_.count; ++i) profiler::leave_open(thread_->slots[i]);
}

void AllRequests::fail(bool is_in_status, const void* statuses) {
    if (!is_in_status || statuses == nullptr) return leave_open();
    const auto* const status = static_cast<const std::byte*>(statuses);
    for (std::uint32_t i = 0; i < array_.count; ++i) {
        const std::uint32_t slot = thread_->slots[i];
        const int error = view(status + i * sizeof(MPI_Status)).error;
        if (error == MPI_SUCCESS) {
            profiler::finish(*thread_, slot, array_.place(i), status + i * sizeof(MPI_Status));
        } else if (error != MPI_ERR_PENDING && slot < kShared && (requests[slot].flags & kPersistent) == 0) {
            requests.remove(slot);
        } else {
            profiler::leave_open(slot);
        }
    }
}

SomeRequests::SomeRequests(Thread& t, const RequestArray& array) : thread_(&t), array_(array) {
    if (array.count > t.room && !grow(t, array.count)) array_.count = 0;
    // With several threads, a completed handle may already belong to another operation before this call returns.
    for (std::uint32_t i = 0; i < array_.count; ++i) {
        if (profiler.has_many_threads) {
            t.slots[i] = look_up(t, array_.handles[i]);
        } else {
            t.requests[i] = array_.handles[i];
        }
    }
}

void SomeRequests::finish(std::uint32_t place, const void* status) {
    if (place >= array_.count) return;
    Thread& t = *thread_;
    const std::uint32_t slot = profiler.has_many_threads ? t.slots[place] : look_up(t, t.requests[place]);
    profiler::finish(t, slot, array_.place(place), status);
    t.slots[place] = kNotKnown;
}

void SomeRequests::end() {
    if (!profiler.has_many_threads) return;
    for (std::uint32_t i = 0; i < array_.count; ++i) leave_open(thread_->slots[i]);
}

}  // namespace haichi::profiler
