/* Sendrecv to others, to the same rank and to MPI_PROC_NULL, send modes, probes, messages of 0 bytes, cancelled
 * receives. */

#include <string.h>

#include "tests/commlog/profiler/programs/require.h"

enum { kMost = 1 << 15 };

int main(int argc, char** argv) {
    int rank, size, count, flag;
    static char out[kMost], in[kMost];
    MPI_Status status;
    MPI_Request request;
    MPI_Message message;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int next = (rank + 1) % size;
    const int previous = (rank + size - 1) % size;
    memset(out, rank + 1, sizeof(out));

    /* Both directions differ in size, and the receive buffer is longer than the message. The sizes cover every border
     * of the size classes. */
    for (int bytes = 1; bytes <= kMost; bytes *= 2) {
        MPI_Sendrecv(out, bytes, MPI_BYTE, next, 1, in, kMost, MPI_BYTE, previous, 1, MPI_COMM_WORLD, &status);
        require(in[bytes - 1] == (char)(previous + 1));
        MPI_Sendrecv(out, bytes - 1, MPI_BYTE, previous, 2, in, kMost, MPI_BYTE, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        MPI_Sendrecv(out, bytes / 2, MPI_BYTE, rank, 3, in, bytes, MPI_BYTE, rank, 3, MPI_COMM_WORLD, &status);
    }
    MPI_Sendrecv(out, 10, MPI_BYTE, MPI_PROC_NULL, 3, in, 10, MPI_BYTE, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &status);
    require(status.MPI_SOURCE == MPI_PROC_NULL);
    /* A chain: the ends have one partner. */
    MPI_Sendrecv(out, 77, MPI_BYTE, rank + 1 < size ? rank + 1 : MPI_PROC_NULL, 4, in, kMost, MPI_BYTE,
                 rank > 0 ? rank - 1 : MPI_PROC_NULL, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv_replace(out, 1000, MPI_BYTE, next, 5, previous, 5, MPI_COMM_WORLD, &status);
    MPI_Sendrecv_replace(out, 1000, MPI_BYTE, previous, 5, next, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv_replace(out, 24, MPI_BYTE, rank, 5, rank, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv_replace(out, 24, MPI_BYTE, MPI_PROC_NULL, 5, MPI_PROC_NULL, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    require(out[999] == (char)(rank + 1));

    /* Send modes, each with a different size. */
    static char buffer[1 << 16];
    void* detached;
    MPI_Buffer_attach(buffer, sizeof(buffer));
    MPI_Irecv(in, kMost, MPI_BYTE, previous, 6, MPI_COMM_WORLD, &request);
    MPI_Bsend(out, 201, MPI_BYTE, next, 6, MPI_COMM_WORLD);
    MPI_Wait(&request, &status);
    MPI_Irecv(in, kMost, MPI_BYTE, previous, 6, MPI_COMM_WORLD, &request);
    MPI_Ssend(out, 202, MPI_BYTE, next, 6, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Irecv(in, kMost, MPI_BYTE, previous, 6, MPI_COMM_WORLD, &request);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Rsend(out, 203, MPI_BYTE, next, 6, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request both[2];
    MPI_Irecv(in, kMost, MPI_BYTE, previous, 6, MPI_COMM_WORLD, &both[0]);
    MPI_Ibsend(out, 204, MPI_BYTE, next, 6, MPI_COMM_WORLD, &both[1]);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    MPI_Irecv(in, kMost, MPI_BYTE, previous, 6, MPI_COMM_WORLD, &both[0]);
    MPI_Issend(out, 205, MPI_BYTE, next, 6, MPI_COMM_WORLD, &both[1]);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    MPI_Irecv(in, kMost, MPI_BYTE, previous, 6, MPI_COMM_WORLD, &both[0]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Irsend(out, 206, MPI_BYTE, next, 6, MPI_COMM_WORLD, &both[1]);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    MPI_Buffer_detach(&detached, &count);

    /* Another function receives the probed message. */
    MPI_Isend(out, 300, MPI_BYTE, next, 7, MPI_COMM_WORLD, &request);
    MPI_Probe(MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_BYTE, &count);
    require(count == 300);
    MPI_Iprobe(previous, 7, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    require(flag);
    MPI_Recv(in, count, MPI_BYTE, status.MPI_SOURCE, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Isend(out, 301, MPI_BYTE, next, 7, MPI_COMM_WORLD, &request);
    MPI_Mprobe(MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &message, &status);
    MPI_Mrecv(in, kMost, MPI_BYTE, &message, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Isend(out, 302, MPI_BYTE, next, 7, MPI_COMM_WORLD, &both[0]);
    MPI_Probe(previous, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Improbe(previous, 7, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE);
    require(flag);
    MPI_Imrecv(in, kMost, MPI_BYTE, &message, &both[1]);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    MPI_Mprobe(MPI_PROC_NULL, 7, MPI_COMM_WORLD, &message, &status);
    MPI_Mrecv(in, kMost, MPI_BYTE, &message, &status);
    require(status.MPI_SOURCE == MPI_PROC_NULL);

    /* Empty messages to a rank and to MPI_PROC_NULL. */
    MPI_Isend(NULL, 0, MPI_INT, next, 8, MPI_COMM_WORLD, &request);
    MPI_Recv(in, kMost, MPI_BYTE, previous, 8, MPI_COMM_WORLD, &status);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Send(out, 10, MPI_INT, MPI_PROC_NULL, 8, MPI_COMM_WORLD);
    MPI_Recv(in, 10, MPI_INT, MPI_PROC_NULL, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Irecv(in, 10, MPI_INT, MPI_PROC_NULL, 8, MPI_COMM_WORLD, &both[0]);
    MPI_Isend(out, 10, MPI_INT, MPI_PROC_NULL, 8, MPI_COMM_WORLD, &both[1]);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);

    /* A cancelled receive, for a message that is never sent. */
    MPI_Irecv(in, kMost, MPI_BYTE, next, 999, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &flag);
    require(flag);
    MPI_Irecv(in, kMost, MPI_BYTE, MPI_ANY_SOURCE, 999, MPI_COMM_WORLD, &both[0]);
    MPI_Isend(out, 11, MPI_BYTE, rank, 12, MPI_COMM_WORLD, &both[1]);
    MPI_Cancel(&both[0]);
    MPI_Recv(in, kMost, MPI_BYTE, rank, 12, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    MPI_Finalize();
    return 0;
}
