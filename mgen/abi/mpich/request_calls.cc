// Waits, tests, statuses, cancellation and generalized requests.

#include <algorithm>
#include <vector>

#include <calls_generated.h>
#include "mgen/abi/mpich/mpich_rank.h"
#include "mgen/abi/mpich/request_ends.h"

namespace haichi::abi::mpich {

namespace {

using mpi::ErrorClass;
using mpi::Request;

/// The program's functions for a generalized request.
struct Generalized {
    MPI_Grequest_query_function* query;
    MPI_Grequest_free_function* free;
    MPI_Grequest_cancel_function* cancel;
    void* extra;
    bool is_fortran = false;  ///< the functions take an error code as an additional last argument

    template <class... Types, class... Values>
    void make(int (*function)(Types...), Values... values) const {
        if (!is_fortran) {
            function(values...);
            return;
        }
        MPI_Fint code = 0;
        reinterpret_cast<void (*)(Types..., MPI_Fint*)>(function)(values..., &code);
    }
};

Generalized* generalized(const Request& request) {
    return request.kind == Request::Kind::kGeneralized ? static_cast<Generalized*>(request.attached.get()) : nullptr;
}

std::vector<Request*> requests_of(MpichRank& state, int count, const MPI_Request handles[]) {
    if (count < 0) raise(ErrorClass::kCount, "the count " + std::to_string(count) + " is negative");
    std::vector<Request*> requests(static_cast<std::size_t>(count));
    for (int r = 0; r < count; ++r) requests[static_cast<std::size_t>(r)] = state.request(handles[r]);
    return requests;
}

/// True if any of the requests can still complete.
bool has_active(const std::vector<Request*>& requests) {
    return std::ranges::any_of(requests, [](const Request* r) { return r != nullptr && r->is_active; });
}

MPI_Status* status_at(MPI_Status statuses[], int at) {
    return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[at];
}

/// Ends all requests and stores their errors in the statuses.
int end_all(MpichRank& state, int count, MPI_Request handles[], MPI_Status statuses[]) {
    bool has_error = false;
    std::vector<std::optional<ErrorClass>> errors(static_cast<std::size_t>(count));
    std::optional<ErrorClass> first;
    for (int r = 0; r < count; ++r) {
        const mpi::Status status = end_request(state, &handles[r]);
        set_status(status_at(statuses, r), status);
        errors[static_cast<std::size_t>(r)] = status.error;
        if (status.error && !first) first = status.error;
        has_error = has_error || status.error;
    }
    if (!has_error) return MPI_SUCCESS;
    if (statuses != MPI_STATUSES_IGNORE) {
        for (int r = 0; r < count; ++r) {
            const auto& error = errors[static_cast<std::size_t>(r)];
            statuses[r].MPI_ERROR = error ? error_code(*error) : MPI_SUCCESS;
        }
    }
    return in_status(*first);
}

/// Ends the requests that are complete, and stores their indices in `indices`.
int end_some(MpichRank& state, int count, MPI_Request handles[], int* done, int indices[], MPI_Status statuses[]) {
    *done = 0;
    std::optional<ErrorClass> first;
    std::vector<int> codes;
    for (int r = 0; r < count; ++r) {
        const Request* request = state.request(handles[r]);
        if (request == nullptr || !request->is_complete) continue;
        const mpi::Status status = end_request(state, &handles[r]);
        set_status(status_at(statuses, *done), status);
        codes.push_back(status.error ? error_code(*status.error) : MPI_SUCCESS);
        if (status.error && !first) first = status.error;
        indices[(*done)++] = r;
    }
    if (!first) return MPI_SUCCESS;
    if (statuses != MPI_STATUSES_IGNORE) {
        for (std::size_t s = 0; s < codes.size(); ++s) statuses[s].MPI_ERROR = codes[s];
    }
    return in_status(*first);
}

int end_any(MpichRank& state, int count, MPI_Request handles[], int* index, MPI_Status* status) {
    for (int r = 0; r < count; ++r) {
        const Request* request = state.request(handles[r]);
        if (request == nullptr || !request->is_complete) continue;
        *index = r;
        return end_of_call(end_request(state, &handles[r]), status);
    }
    return MPI_SUCCESS;
}

}  // namespace

int end_of_call(const mpi::Status& status, MPI_Status* to) {
    set_status(to, status);
    if (status.error == ErrorClass::kTruncate) {
        raise(ErrorClass::kTruncate, "the message from rank " + std::to_string(status.source) + ", tag " +
                                         std::to_string(status.tag) + ", is longer than the buffer of " +
                                         std::to_string(status.bytes) + " bytes");
    }
    if (status.error) raise(*status.error, "the message failed");
    return MPI_SUCCESS;
}

mpi::Status end_request(MpichRank& state, MPI_Request* handle) {
    Request* request = state.request(*handle);
    if (request == nullptr) return {};
    if (request->message.membership) state.call_comm = request->message.comm_handle;
    mpi::Status status = state.process.finish(*request);
    if (Generalized* own = generalized(*request)) {
        MPI_Status asked{};
        own->make(own->query, own->extra, &asked);
        status.source = asked.MPI_SOURCE;
        status.tag = asked.MPI_TAG;
        status.bytes = static_cast<std::int64_t>(static_cast<unsigned>(asked.count_lo)) |
                       static_cast<std::int64_t>(static_cast<unsigned>(asked.count_hi_and_cancelled) >> 1) << 32;
        status.is_cancelled = (asked.count_hi_and_cancelled & 1) != 0;
        own->make(own->free, own->extra);
    }
    if (request->is_persistent) return status;
    state.requests.take(*handle);
    *handle = MPI_REQUEST_NULL;
    state.process.release(*request);
    return status;
}

int Wait(MPI_Request* handle, MPI_Status* status) {
    MpichRank& state = MpichRank::current();
    if (Request* request = state.request(*handle)) state.process.wait(*request);
    return end_of_call(end_request(state, handle), status);
}
int Test(MPI_Request* handle, int* flag, MPI_Status* status) {
    MpichRank& state = MpichRank::current();
    Request* request = state.request(*handle);
    *flag = request == nullptr || state.process.test(*request);
    return *flag == 0 ? MPI_SUCCESS : end_of_call(end_request(state, handle), status);
}
int Waitall(int count, MPI_Request handles[], MPI_Status statuses[]) {
    MpichRank& state = MpichRank::current();
    state.process.wait_all(requests_of(state, count, handles));
    return end_all(state, count, handles, statuses);
}
int Testall(int count, MPI_Request handles[], int* flag, MPI_Status statuses[]) {
    MpichRank& state = MpichRank::current();
    *flag = state.process.test_all(requests_of(state, count, handles));
    return *flag == 0 ? MPI_SUCCESS : end_all(state, count, handles, statuses);
}
int Waitany(int count, MPI_Request handles[], int* index, MPI_Status* status) {
    MpichRank& state = MpichRank::current();
    const std::vector<Request*> requests = requests_of(state, count, handles);
    *index = MPI_UNDEFINED;
    if (!has_active(requests)) {
        set_status(status, {});
        return MPI_SUCCESS;
    }
    state.process.wait_any(requests);
    return end_any(state, count, handles, index, status);
}
int Testany(int count, MPI_Request handles[], int* index, int* flag, MPI_Status* status) {
    MpichRank& state = MpichRank::current();
    const std::vector<Request*> requests = requests_of(state, count, handles);
    *index = MPI_UNDEFINED;
    if (!has_active(requests)) {
        *flag = 1;
        set_status(status, {});
        return MPI_SUCCESS;
    }
    *flag = state.process.test_any(requests);
    return *flag == 0 ? MPI_SUCCESS : end_any(state, count, handles, index, status);
}
int Waitsome(int count, MPI_Request handles[], int* done, int indices[], MPI_Status statuses[]) {
    MpichRank& state = MpichRank::current();
    const std::vector<Request*> requests = requests_of(state, count, handles);
    *done = MPI_UNDEFINED;
    if (!has_active(requests)) return MPI_SUCCESS;
    state.process.wait_any(requests);
    return end_some(state, count, handles, done, indices, statuses);
}
int Testsome(int count, MPI_Request handles[], int* done, int indices[], MPI_Status statuses[]) {
    MpichRank& state = MpichRank::current();
    const std::vector<Request*> requests = requests_of(state, count, handles);
    *done = MPI_UNDEFINED;
    if (!has_active(requests)) return MPI_SUCCESS;
    *done = 0;
    if (!state.process.test_any(requests)) return MPI_SUCCESS;
    return end_some(state, count, handles, done, indices, statuses);
}

int Request_free(MPI_Request* handle) {
    MpichRank& state = MpichRank::current();
    Request* request = state.request(*handle);
    if (request == nullptr) raise(ErrorClass::kRequest, "the request is MPI_REQUEST_NULL");
    if (Generalized* own = generalized(*request); own != nullptr && request->is_complete)
        own->make(own->free, own->extra);
    state.requests.take(*handle);
    *handle = MPI_REQUEST_NULL;
    if (request->is_complete) state.process.finish(*request);
    state.process.release(*request);
    return MPI_SUCCESS;
}
int Request_get_status(MPI_Request handle, int* flag, MPI_Status* status) {
    MpichRank& state = MpichRank::current();
    Request* request = state.request(handle);
    if (request == nullptr || !request->is_active) {
        *flag = 1;
        set_status(status, {});
        return MPI_SUCCESS;
    }
    *flag = state.process.test(*request);
    if (*flag != 0) set_status(status, request->status);
    return MPI_SUCCESS;
}
int Cancel(MPI_Request* handle) {
    MpichRank& state = MpichRank::current();
    Request* request = state.request(*handle);
    if (request == nullptr) raise(ErrorClass::kRequest, "the request is MPI_REQUEST_NULL");
    if (Generalized* own = generalized(*request)) {
        const int is_complete = request->is_complete ? 1 : 0;
        if (!own->is_fortran) return own->cancel(own->extra, is_complete);
        MPI_Fint code = 0;
        reinterpret_cast<void (*)(void*, const MPI_Fint*, MPI_Fint*)>(own->cancel)(own->extra, &is_complete, &code);
        return code;
    }
    state.process.cancel(*request);
    return MPI_SUCCESS;
}

int Grequest_start(MPI_Grequest_query_function* query, MPI_Grequest_free_function* free,
                   MPI_Grequest_cancel_function* cancel, void* extra, MPI_Request* handle) {
    MpichRank& state = MpichRank::current();
    Request& request = state.process.begin_generalized();
    request.attached = std::make_shared<Generalized>(Generalized{query, free, cancel, extra, false});
    *handle = state.add_request(request);
    return MPI_SUCCESS;
}
int Grequest_complete(MPI_Request handle) {
    MpichRank& state = MpichRank::current();
    Request* request = state.request(handle);
    if (request == nullptr || generalized(*request) == nullptr) {
        raise(ErrorClass::kRequest, "the request is not a generalized request");
    }
    state.process.complete_generalized(*request);
    return MPI_SUCCESS;
}

namespace {

std::int64_t bytes_of(const MPI_Status& status) {
    return static_cast<std::int64_t>(static_cast<unsigned>(status.count_lo)) |
           static_cast<std::int64_t>(static_cast<unsigned>(status.count_hi_and_cancelled) >> 1) << 32;
}

void set_bytes(MPI_Status& status, std::int64_t bytes) {
    const bool is_cancelled = (status.count_hi_and_cancelled & 1) != 0;
    status.count_lo = static_cast<int>(static_cast<std::uint64_t>(bytes) & 0xFFFFFFFF);
    status.count_hi_and_cancelled =
        static_cast<int>((static_cast<std::uint64_t>(bytes) >> 32 << 1) | static_cast<unsigned>(is_cancelled));
}

}  // namespace

int Get_count(const MPI_Status* status, MPI_Datatype type, MPI_Count* count) {
    const mpi::DatatypeRef& of = MpichRank::current().type(type);
    const std::int64_t bytes = bytes_of(*status);
    *count = of->size() == 0 ? (bytes == 0 ? 0 : MPI_UNDEFINED) : of->whole_count(bytes).value_or(MPI_UNDEFINED);
    return MPI_SUCCESS;
}
int Get_elements(const MPI_Status* status, MPI_Datatype type, MPI_Count* count) {
    *count = MpichRank::current().type(type)->element_count(bytes_of(*status)).value_or(MPI_UNDEFINED);
    return MPI_SUCCESS;
}
int Get_elements_x(const MPI_Status* status, MPI_Datatype type, MPI_Count* count) {
    return Get_elements(status, type, count);
}
int Status_set_elements_x(MPI_Status* status, MPI_Datatype type, MPI_Count count) {
    // As in MPICH, the count is the number of items of the type, not of its basic elements.
    set_bytes(*status, MpichRank::current().type(type)->packed_bytes(count));
    return MPI_SUCCESS;
}
int Status_set_elements(MPI_Status* status, MPI_Datatype type, int count) {
    return Status_set_elements_x(status, type, count);
}
int Status_set_cancelled(MPI_Status* status, int flag) {
    status->count_hi_and_cancelled = (status->count_hi_and_cancelled & ~1) | (flag != 0 ? 1 : 0);
    return MPI_SUCCESS;
}
int Test_cancelled(const MPI_Status* status, int* flag) {
    *flag = status->count_hi_and_cancelled & 1;
    return MPI_SUCCESS;
}

}  // namespace haichi::abi::mpich

using namespace haichi::abi::mpich;

/// libmpichfort.so.12 calls this for a request that it has created for MPI_GREQUEST_START.
extern "C" __attribute__((visibility("default"))) void MPII_Grequest_set_lang_f77(MPI_Request handle) {
    const haichi::mpi::Request* request = MpichRank::current().request(handle);
    if (Generalized* own = request != nullptr ? generalized(*request) : nullptr) own->is_fortran = true;
}
