#include "tests/commlog/profiler/tracer/tracer.h"

/* Blocking and nonblocking sends and receives, and matched probes. The calls that fail in programs/errors.c count only
 * if they succeed. */

int MPI_Send(const void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm) {
    trace_call("MPI_Send");
    int error = PMPI_Send(buffer, count, type, peer, tag, comm);
    if (error == MPI_SUCCESS) trace_send("MPI_Send", peer, comm, bytes_of(count, type));
    return error;
}

int MPI_Ssend(const void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm) {
    trace_call("MPI_Ssend");
    trace_send("MPI_Ssend", peer, comm, bytes_of(count, type));
    return PMPI_Ssend(buffer, count, type, peer, tag, comm);
}

int MPI_Bsend(const void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm) {
    trace_call("MPI_Bsend");
    trace_send("MPI_Bsend", peer, comm, bytes_of(count, type));
    return PMPI_Bsend(buffer, count, type, peer, tag, comm);
}

int MPI_Rsend(const void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm) {
    trace_call("MPI_Rsend");
    trace_send("MPI_Rsend", peer, comm, bytes_of(count, type));
    return PMPI_Rsend(buffer, count, type, peer, tag, comm);
}

int MPI_Recv(void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Status* status) {
    MPI_Status own;
    if (status == MPI_STATUS_IGNORE) status = &own;
    trace_call("MPI_Recv");
    int error = PMPI_Recv(buffer, count, type, peer, tag, comm, status);
    if (error == MPI_SUCCESS) trace_receive("MPI_Recv", comm, status);
    return error;
}

int MPI_Isend(const void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
              MPI_Request* request) {
    trace_call("MPI_Isend");
    int error = PMPI_Isend(buffer, count, type, peer, tag, comm, request);
    if (error == MPI_SUCCESS) trace_send("MPI_Isend", peer, comm, bytes_of(count, type));
    return error;
}

int MPI_Issend(const void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
               MPI_Request* request) {
    trace_call("MPI_Issend");
    trace_send("MPI_Issend", peer, comm, bytes_of(count, type));
    return PMPI_Issend(buffer, count, type, peer, tag, comm, request);
}

int MPI_Ibsend(const void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
               MPI_Request* request) {
    trace_call("MPI_Ibsend");
    trace_send("MPI_Ibsend", peer, comm, bytes_of(count, type));
    return PMPI_Ibsend(buffer, count, type, peer, tag, comm, request);
}

int MPI_Irsend(const void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
               MPI_Request* request) {
    trace_call("MPI_Irsend");
    trace_send("MPI_Irsend", peer, comm, bytes_of(count, type));
    return PMPI_Irsend(buffer, count, type, peer, tag, comm, request);
}

int MPI_Irecv(void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request* request) {
    trace_call("MPI_Irecv");
    int error = PMPI_Irecv(buffer, count, type, peer, tag, comm, request);
    if (peer != MPI_PROC_NULL) open_receive("MPI_Irecv", *request, comm);
    return error;
}

int MPI_Sendrecv(const void* send_buffer, int send_count, MPI_Datatype send_type, int to, int send_tag, void* buffer,
                 int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status) {
    MPI_Status own;
    if (status == MPI_STATUS_IGNORE) status = &own;
    trace_call("MPI_Sendrecv");
    trace_send("MPI_Sendrecv", to, comm, bytes_of(send_count, send_type));
    int error =
        PMPI_Sendrecv(send_buffer, send_count, send_type, to, send_tag, buffer, count, type, from, tag, comm, status);
    trace_receive("MPI_Sendrecv", comm, status);
    return error;
}

int MPI_Sendrecv_replace(void* buffer, int count, MPI_Datatype type, int to, int send_tag, int from, int tag,
                         MPI_Comm comm, MPI_Status* status) {
    MPI_Status own;
    if (status == MPI_STATUS_IGNORE) status = &own;
    trace_call("MPI_Sendrecv_replace");
    trace_send("MPI_Sendrecv_replace", to, comm, bytes_of(count, type));
    int error = PMPI_Sendrecv_replace(buffer, count, type, to, send_tag, from, tag, comm, status);
    trace_receive("MPI_Sendrecv_replace", comm, status);
    return error;
}

int MPI_Probe(int peer, int tag, MPI_Comm comm, MPI_Status* status) {
    trace_call("MPI_Probe");
    return PMPI_Probe(peer, tag, comm, status);
}

int MPI_Iprobe(int peer, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
    trace_call("MPI_Iprobe");
    return PMPI_Iprobe(peer, tag, comm, flag, status);
}

int MPI_Mprobe(int peer, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
    trace_call("MPI_Mprobe");
    int error = PMPI_Mprobe(peer, tag, comm, message, status);
    if (*message != MPI_MESSAGE_NO_PROC) keep_message(*message, comm);
    return error;
}

int MPI_Improbe(int peer, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status) {
    trace_call("MPI_Improbe");
    int error = PMPI_Improbe(peer, tag, comm, flag, message, status);
    if (*flag && *message != MPI_MESSAGE_NO_PROC) keep_message(*message, comm);
    return error;
}

int MPI_Mrecv(void* buffer, int count, MPI_Datatype type, MPI_Message* message, MPI_Status* status) {
    MPI_Status own;
    if (status == MPI_STATUS_IGNORE) status = &own;
    trace_call("MPI_Mrecv");
    if (*message == MPI_MESSAGE_NO_PROC) return PMPI_Mrecv(buffer, count, type, message, status);
    MPI_Group group = take_message(*message);
    int error = PMPI_Mrecv(buffer, count, type, message, status);
    trace_receive_in_group("MPI_Mrecv", group, status);
    PMPI_Group_free(&group);
    return error;
}

int MPI_Imrecv(void* buffer, int count, MPI_Datatype type, MPI_Message* message, MPI_Request* request) {
    trace_call("MPI_Imrecv");
    if (*message == MPI_MESSAGE_NO_PROC) return PMPI_Imrecv(buffer, count, type, message, request);
    MPI_Group group = take_message(*message);
    int error = PMPI_Imrecv(buffer, count, type, message, request);
    open_matched_receive("MPI_Imrecv", *request, group);
    return error;
}

/* Persistent requests. */

int MPI_Send_init(const void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                  MPI_Request* request) {
    trace_call("MPI_Send_init");
    int error = PMPI_Send_init(buffer, count, type, peer, tag, comm, request);
    open_persistent(*request, 0, peer, comm, bytes_of(count, type));
    return error;
}

int MPI_Ssend_init(const void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                   MPI_Request* request) {
    trace_call("MPI_Ssend_init");
    int error = PMPI_Ssend_init(buffer, count, type, peer, tag, comm, request);
    open_persistent(*request, 0, peer, comm, bytes_of(count, type));
    return error;
}

int MPI_Bsend_init(const void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                   MPI_Request* request) {
    trace_call("MPI_Bsend_init");
    int error = PMPI_Bsend_init(buffer, count, type, peer, tag, comm, request);
    open_persistent(*request, 0, peer, comm, bytes_of(count, type));
    return error;
}

int MPI_Rsend_init(const void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                   MPI_Request* request) {
    trace_call("MPI_Rsend_init");
    int error = PMPI_Rsend_init(buffer, count, type, peer, tag, comm, request);
    open_persistent(*request, 0, peer, comm, bytes_of(count, type));
    return error;
}

int MPI_Recv_init(void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request* request) {
    trace_call("MPI_Recv_init");
    int error = PMPI_Recv_init(buffer, count, type, peer, tag, comm, request);
    open_persistent(*request, 1, peer, comm, bytes_of(count, type));
    return error;
}

int MPI_Start(MPI_Request* request) {
    trace_call("MPI_Start");
    start_open("MPI_Start", *request);
    return PMPI_Start(request);
}

int MPI_Startall(int count, MPI_Request requests[]) {
    trace_call("MPI_Startall");
    for (int i = 0; i < count; ++i) start_open("MPI_Startall", requests[i]);
    return PMPI_Startall(count, requests);
}

int MPI_Request_free(MPI_Request* request) {
    trace_call("MPI_Request_free");
    Open* open = take_open(*request);
    int error = PMPI_Request_free(request);
    forget_open(open);
    return error;
}

int MPI_Cancel(MPI_Request* request) {
    trace_call("MPI_Cancel");
    return PMPI_Cancel(request);
}
