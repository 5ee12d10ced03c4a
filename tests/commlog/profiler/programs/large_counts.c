/* Functions of MPI 4.0: counts of 64 bits, exchanges with one request, persistent collectives. */

#include "tests/commlog/profiler/programs/require.h"

static char out[1 << 16], in[1 << 16];

int main(int argc, char** argv) {
    int rank, size;
    MPI_Count count, bytes;
    MPI_Status status;
    MPI_Request requests[2];
    MPI_Datatype type;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int next = (rank + 1) % size;
    const int previous = (rank + size - 1) % size;

    MPI_Irecv_c(in, 5000, MPI_BYTE, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Send_c(out, 1000, MPI_INT, next, 1, MPI_COMM_WORLD);
    MPI_Wait(&requests[0], &status);
    MPI_Get_count_c(&status, MPI_BYTE, &count);
    require(count == 4000);
    MPI_Isend_c(out, 500, MPI_DOUBLE, next, 2, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv_c(in, 500, MPI_DOUBLE, previous, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Sendrecv_c(out, 33, MPI_INT, next, 3, in, 40, MPI_INT, previous, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv_c(out, 33, MPI_INT, MPI_PROC_NULL, 3, in, 40, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &status);
    MPI_Type_contiguous_c(3, MPI_SHORT, &type);
    MPI_Type_commit(&type);
    MPI_Type_size_c(type, &bytes);
    require(bytes == 6);

    MPI_Recv_init_c(in, 100, type, previous, 4, MPI_COMM_WORLD, &requests[0]);
    MPI_Send_init_c(out, 50, type, next, 4, MPI_COMM_WORLD, &requests[1]);
    for (int i = 0; i < 5; ++i) {
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    MPI_Isendrecv(out, 70, MPI_INT, next, 5, in, 90, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);

    MPI_Allreduce_init(out, in, 80, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
    MPI_Recv_init(in + 4096, 100, MPI_BYTE, previous, 6, MPI_COMM_WORLD, &requests[1]);
    for (int i = 0; i < 3; ++i) {
        MPI_Startall(2, requests);
        MPI_Send(out, 50 + i, MPI_BYTE, next, 6, MPI_COMM_WORLD);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        MPI_Start(&requests[0]);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);

    MPI_Bcast_c(out, 77, MPI_INT, size - 1, MPI_COMM_WORLD);
    MPI_Allreduce_c(out, in, 78, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allgather_c(out, 79, MPI_INT, in, 79, MPI_INT, MPI_COMM_WORLD);
    MPI_Count send_counts[64], recv_counts[64];
    MPI_Aint send_places[64], recv_places[64];
    for (int i = 0; i < size; ++i) {
        send_counts[i] = i;
        send_places[i] = 0;
        recv_counts[i] = rank;
        recv_places[i] = i * rank;
    }
    MPI_Alltoallv_c(out, send_counts, send_places, MPI_INT, in, recv_counts, recv_places, MPI_INT, MPI_COMM_WORLD);
    MPI_Type_free(&type);
    MPI_Finalize();
    return 0;
}
