// Messages of the program: blocking, nonblocking and persistent calls, and probes.

#include <string>

#include <calls_generated.h>
#include "mgen/abi/mpich/mpich_rank.h"
#include "mgen/abi/mpich/request_ends.h"

namespace haichi::abi::mpich {

namespace {

using mpi::Request;
using mpi::SendMode;

/// The arguments of a send call.
mpi::MessageArguments message_to_send(MpichRank& state, const void* data, MPI_Count count, MPI_Datatype type, int to,
                                      int tag, MPI_Comm comm, SendMode mode) {
    mpi::MessageArguments message = state.message(data, count, type, to, tag, comm, true);
    message.mode = mode;
    // The check ignores other messages in the buffer.
    if (mode == SendMode::kBuffered && to != mpi::kNoProcess && message.buffer.bytes() > state.attached_bytes) {
        raise(mpi::ErrorClass::kBuffer, state.attached_bytes < 0
                                            ? "no buffer is attached with MPI_Buffer_attach"
                                            : "the message of " + std::to_string(message.buffer.bytes()) +
                                                  " bytes does not fit the attached buffer of " +
                                                  std::to_string(state.attached_bytes));
    }
    return message;
}

int send(const void* data, MPI_Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm, SendMode mode) {
    MpichRank& state = MpichRank::current();
    state.process.send(message_to_send(state, data, count, type, to, tag, comm, mode));
    return MPI_SUCCESS;
}

int begin_send(const void* data, MPI_Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm, SendMode mode,
               MPI_Request* request) {
    MpichRank& state = MpichRank::current();
    *request =
        state.add_request(state.process.begin_send(message_to_send(state, data, count, type, to, tag, comm, mode)));
    return MPI_SUCCESS;
}

int prepare_send(const void* data, MPI_Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm, SendMode mode,
                 MPI_Request* request) {
    MpichRank& state = MpichRank::current();
    // There is no check of the attached buffer, because it need only exist when the request starts.
    mpi::MessageArguments message = state.message(data, count, type, to, tag, comm, true);
    message.mode = mode;
    *request = state.add_request(state.process.prepare(Request::Kind::kSend, std::move(message)));
    return MPI_SUCCESS;
}

}  // namespace

int Send(const void* data, MPI_Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
    return send(data, count, type, to, tag, comm, SendMode::kStandard);
}
int Bsend(const void* data, MPI_Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
    return send(data, count, type, to, tag, comm, SendMode::kBuffered);
}
int Ssend(const void* data, MPI_Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
    return send(data, count, type, to, tag, comm, SendMode::kSynchronous);
}
int Rsend(const void* data, MPI_Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
    return send(data, count, type, to, tag, comm, SendMode::kReady);
}
int Isend(const void* data, MPI_Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
    return begin_send(data, count, type, to, tag, comm, SendMode::kStandard, request);
}
int Ibsend(const void* data, MPI_Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
    return begin_send(data, count, type, to, tag, comm, SendMode::kBuffered, request);
}
int Issend(const void* data, MPI_Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
    return begin_send(data, count, type, to, tag, comm, SendMode::kSynchronous, request);
}
int Irsend(const void* data, MPI_Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
    return begin_send(data, count, type, to, tag, comm, SendMode::kReady, request);
}
int Send_init(const void* data, MPI_Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
    return prepare_send(data, count, type, to, tag, comm, SendMode::kStandard, request);
}
int Bsend_init(const void* data, MPI_Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
               MPI_Request* request) {
    return prepare_send(data, count, type, to, tag, comm, SendMode::kBuffered, request);
}
int Ssend_init(const void* data, MPI_Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
               MPI_Request* request) {
    return prepare_send(data, count, type, to, tag, comm, SendMode::kSynchronous, request);
}
int Rsend_init(const void* data, MPI_Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
               MPI_Request* request) {
    return prepare_send(data, count, type, to, tag, comm, SendMode::kReady, request);
}

int Recv(void* data, MPI_Count count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status) {
    MpichRank& state = MpichRank::current();
    return end_of_call(state.process.receive(state.message(data, count, type, from, tag, comm, false)), status);
}
int Irecv(void* data, MPI_Count count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request) {
    MpichRank& state = MpichRank::current();
    *request = state.add_request(state.process.begin_receive(state.message(data, count, type, from, tag, comm, false)));
    return MPI_SUCCESS;
}
int Recv_init(void* data, MPI_Count count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request) {
    MpichRank& state = MpichRank::current();
    *request = state.add_request(
        state.process.prepare(Request::Kind::kReceive, state.message(data, count, type, from, tag, comm, false)));
    return MPI_SUCCESS;
}

int Sendrecv(const void* send_data, MPI_Count send_count, MPI_Datatype send_type, int to, int send_tag,
             void* receive_data, MPI_Count receive_count, MPI_Datatype receive_type, int from, int receive_tag,
             MPI_Comm comm, MPI_Status* status) {
    MpichRank& state = MpichRank::current();
    return end_of_call(state.process.send_receive(
                           state.message(send_data, send_count, send_type, to, send_tag, comm, true),
                           state.message(receive_data, receive_count, receive_type, from, receive_tag, comm, false)),
                       status);
}
int Sendrecv_replace(void* data, MPI_Count count, MPI_Datatype type, int to, int send_tag, int from, int receive_tag,
                     MPI_Comm comm, MPI_Status* status) {
    // The send data are packed before the receive begins to overwrite the buffer.
    MpichRank& state = MpichRank::current();
    return end_of_call(state.process.send_receive(state.message(data, count, type, to, send_tag, comm, true),
                                                  state.message(data, count, type, from, receive_tag, comm, false)),
                       status);
}

int Isendrecv(const void* send_data, MPI_Count send_count, MPI_Datatype send_type, int to, int send_tag,
              void* receive_data, MPI_Count receive_count, MPI_Datatype receive_type, int from, int receive_tag,
              MPI_Comm comm, MPI_Request* request) {
    MpichRank& state = MpichRank::current();
    mpi::MessageArguments send = state.message(send_data, send_count, send_type, to, send_tag, comm, true);
    mpi::MessageArguments receive =
        state.message(receive_data, receive_count, receive_type, from, receive_tag, comm, false);
    *request = state.add_request(state.process.begin_send_receive(std::move(send), std::move(receive)));
    return MPI_SUCCESS;
}
int Isendrecv_replace(void* data, MPI_Count count, MPI_Datatype type, int to, int send_tag, int from, int receive_tag,
                      MPI_Comm comm, MPI_Request* request) {
    return Isendrecv(data, count, type, to, send_tag, data, count, type, from, receive_tag, comm, request);
}

int Probe(int from, int tag, MPI_Comm comm, MPI_Status* status) {
    MpichRank& state = MpichRank::current();
    const mpi::MembershipRef membership = state.message(nullptr, 0, MPI_BYTE, from, tag, comm, false).membership;
    set_status(status, from == mpi::kNoProcess ? mpi::Status{.source = mpi::kNoProcess}
                                               : state.process.probe(from, tag, membership));
    return MPI_SUCCESS;
}
int Iprobe(int from, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
    MpichRank& state = MpichRank::current();
    const mpi::MembershipRef membership = state.message(nullptr, 0, MPI_BYTE, from, tag, comm, false).membership;
    const std::optional<mpi::Status> found = from == mpi::kNoProcess ? mpi::Status{.source = mpi::kNoProcess}
                                                                     : state.process.probe_now(from, tag, membership);
    *flag = found.has_value();
    if (found) set_status(status, *found);
    return MPI_SUCCESS;
}

int Mprobe(int from, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
    MpichRank& state = MpichRank::current();
    const mpi::MembershipRef membership = state.message(nullptr, 0, MPI_BYTE, from, tag, comm, false).membership;
    if (from == mpi::kNoProcess) {
        *message = MPI_MESSAGE_NO_PROC;
        set_status(status, {.source = mpi::kNoProcess});
        return MPI_SUCCESS;
    }
    mpi::MatchedMessage matched = state.process.take_matched(from, tag, membership);
    set_status(status, matched.status);
    *message = state.messages.add(std::move(matched));
    return MPI_SUCCESS;
}
int Improbe(int from, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status) {
    MpichRank& state = MpichRank::current();
    const mpi::MembershipRef membership = state.message(nullptr, 0, MPI_BYTE, from, tag, comm, false).membership;
    if (from == mpi::kNoProcess) {
        *flag = 1;
        *message = MPI_MESSAGE_NO_PROC;
        set_status(status, {.source = mpi::kNoProcess});
        return MPI_SUCCESS;
    }
    std::optional<mpi::MatchedMessage> matched = state.process.take_matched_now(from, tag, membership);
    *flag = matched.has_value();
    *message = MPI_MESSAGE_NULL;
    if (!matched) return MPI_SUCCESS;
    set_status(status, matched->status);
    *message = state.messages.add(std::move(*matched));
    return MPI_SUCCESS;
}
int Imrecv(void* data, MPI_Count count, MPI_Datatype type, MPI_Message* message, MPI_Request* request) {
    MpichRank& state = MpichRank::current();
    if (*message == MPI_MESSAGE_NO_PROC) {
        *message = MPI_MESSAGE_NULL;
        return Irecv(data, count, type, MPI_PROC_NULL, 0, MPI_COMM_SELF, request);
    }
    if (state.messages.find(*message) == nullptr) raise(mpi::ErrorClass::kRequest, "invalid message handle");
    const mpi::Buffer buffer = state.buffer(data, count, type);
    *request =
        state.add_request(state.process.receive_matched(state.messages.take(*message), buffer, state.type(type)));
    *message = MPI_MESSAGE_NULL;
    return MPI_SUCCESS;
}
int Mrecv(void* data, MPI_Count count, MPI_Datatype type, MPI_Message* message, MPI_Status* status) {
    MPI_Request request = MPI_REQUEST_NULL;
    Imrecv(data, count, type, message, &request);
    return Wait(&request, status);
}

int Start(MPI_Request* request) {
    MpichRank& state = MpichRank::current();
    Request* of = state.request(*request);
    if (of == nullptr || !of->is_persistent || of->is_active) {
        raise(mpi::ErrorClass::kRequest, "the request is not persistent, or has begun already");
    }
    state.process.start(*of);
    return MPI_SUCCESS;
}
int Startall(int count, MPI_Request requests[]) {
    for (int r = 0; r < count; ++r) Start(&requests[r]);
    return MPI_SUCCESS;
}

int Buffer_attach(void* buffer, MPI_Count bytes) {
    MpichRank& state = MpichRank::current();
    if (bytes < 0)
        raise(mpi::ErrorClass::kArgument, "the size " + std::to_string(bytes) + " of the buffer is negative");
    if (state.attached_bytes >= 0) raise(mpi::ErrorClass::kBuffer, "a buffer is attached already");
    state.attached_buffer = buffer;
    state.attached_bytes = bytes;
    return MPI_SUCCESS;
}
int Buffer_detach(void* buffer, MPI_Count* bytes) {
    MpichRank& state = MpichRank::current();
    state.process.wait_for_buffered();
    *static_cast<void**>(buffer) = std::exchange(state.attached_buffer, nullptr);
    *bytes = std::exchange(state.attached_bytes, -1);
    return MPI_SUCCESS;
}

}  // namespace haichi::abi::mpich
