/* The same communication as twin_mpif.f, twin_mpi.f90 and twin_f08.f90, call by call: their profiles must be equal. */

#include <string.h>

#include "tests/commlog/profiler/programs/require.h"

enum { kMost = 2000 };

static int out[kMost], in[kMost], more[kMost];

static void add_up(void* left, void* right, int* count, MPI_Datatype* type) {
    (void)type;
    for (int i = 0; i < *count; ++i) ((int*)right)[i] += ((int*)left)[i];
}

int main(int argc, char** argv) {
    int rank, size, count, index, done, flag, length, bytes;
    int indices[8], counts[16], places[16];
    char name[MPI_MAX_OBJECT_NAME];
    MPI_Comm comm, half;
    MPI_Request requests[8];
    MPI_Status status, statuses[8];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_name(comm, "ring of ranks");
    MPI_Comm_get_name(comm, name, &length);
    require(length == 13 && strcmp(name, "ring of ranks") == 0);
    const int next = (rank + 1) % size;
    const int previous = (rank + size - 1) % size;
    for (int i = 0; i < kMost; ++i) out[i] = rank;

    /* Blocking calls. */
    if (rank % 2 == 0) {
        MPI_Send(out, 10, MPI_INT, next, 1, comm);
        MPI_Recv(in, kMost, MPI_INT, previous, 1, comm, &status);
    } else {
        MPI_Recv(in, kMost, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &status);
        MPI_Ssend(out, 10, MPI_INT, next, 1, comm);
    }
    MPI_Get_count(&status, MPI_INT, &count);
    require(count == 10 && status.MPI_SOURCE == previous && status.MPI_TAG == 1 && in[9] == previous);
    MPI_Sendrecv(out, 20, MPI_INT, next, 2, in, kMost, MPI_INT, previous, 2, comm, MPI_STATUS_IGNORE);
    MPI_Sendrecv_replace(out, 21, MPI_INT, rank, 3, rank, 3, comm, &status);
    MPI_Send(out, 22, MPI_INT, MPI_PROC_NULL, 4, comm);
    MPI_Recv(in, 22, MPI_INT, MPI_PROC_NULL, 4, comm, MPI_STATUS_IGNORE);
    MPI_Sendrecv(out, 0, MPI_INT, previous, 5, in, 0, MPI_INT, next, 5, comm, MPI_STATUS_IGNORE);

    /* Nonblocking calls, completed by all, any, some, one. */
    for (int round = 0; round < 4; ++round) {
        for (int i = 0; i < 3; ++i) {
            MPI_Irecv(&in[600 * i], 600, MPI_INT, i == 1 ? MPI_ANY_SOURCE : previous, 10 + i, comm, &requests[i]);
        }
        for (int i = 0; i < 3; ++i) MPI_Isend(out, 100 * i + round, MPI_INT, next, 10 + i, comm, &requests[3 + i]);
        requests[6] = MPI_REQUEST_NULL;
        switch (round) {
            case 0:
                MPI_Waitall(7, requests, statuses);
                MPI_Get_count(&statuses[2], MPI_INT, &count);
                require(count == 200 && statuses[1].MPI_SOURCE == previous);
                break;
            case 1:
                for (int i = 0; i < 6; ++i) {
                    MPI_Waitany(7, requests, &index, &status);
                    require(index >= 0 && index < 6 && requests[index] == MPI_REQUEST_NULL);
                }
                break;
            case 2:
                for (int i = 0; i < 10; ++i) {
                    MPI_Testsome(7, requests, &done, indices, MPI_STATUSES_IGNORE);
                    MPI_Testany(7, requests, &index, &flag, MPI_STATUS_IGNORE);
                }
                MPI_Waitall(7, requests, MPI_STATUSES_IGNORE);
                break;
            default:
                for (int i = 0; i < 6; ++i) {
                    MPI_Test(&requests[i], &flag, MPI_STATUS_IGNORE);
                    MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
                }
                MPI_Testall(7, requests, &flag, statuses);
                require(flag);
                MPI_Waitsome(7, requests, &done, indices, statuses);
                require(done == MPI_UNDEFINED);
        }
        require(in[600 * 2 + 199] == previous);
    }
    MPI_Irecv(in, 10, MPI_INT, next, 99, comm, &requests[0]);
    MPI_Cancel(&requests[0]);
    MPI_Wait(&requests[0], &status);
    MPI_Test_cancelled(&status, &flag);
    require(flag);
    MPI_Isend(out, 23, MPI_INT, next, 6, comm, &requests[0]);
    MPI_Probe(MPI_ANY_SOURCE, 6, comm, &status);
    MPI_Recv(in, kMost, MPI_INT, status.MPI_SOURCE, 6, comm, MPI_STATUS_IGNORE);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);

    /* Persistent requests. */
    MPI_Recv_init(in, kMost, MPI_INT, previous, 20, comm, &requests[0]);
    MPI_Send_init(out, 200, MPI_INT, next, 20, comm, &requests[1]);
    for (int round = 0; round < 3; ++round) {
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, round == 0 ? statuses : MPI_STATUSES_IGNORE);
    }
    MPI_Start(&requests[0]);
    MPI_Start(&requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);

    /* Collectives, also in place, and an operation that is a procedure of the program. */
    MPI_Op op;
    for (int i = 0, place = 0; i < size; ++i) {
        counts[i] = i + 1;
        places[i] = place;
        place += i + 1;
    }
    MPI_Barrier(comm);
    MPI_Bcast(out, 30, MPI_INT, 0, comm);
    for (int i = 0; i < kMost; ++i) out[i] = rank;
    MPI_Reduce(out, in, 31, MPI_INT, MPI_SUM, size - 1, comm);
    MPI_Allreduce(out, in, 32, MPI_INT, MPI_MAX, comm);
    require(in[31] == size - 1);
    in[0] = rank;
    MPI_Allreduce(MPI_IN_PLACE, in, 1, MPI_INT, MPI_SUM, comm);
    require(in[0] == size * (size - 1) / 2);
    MPI_Op_create(add_up, 1, &op);
    MPI_Allreduce(out, in, 2, MPI_INT, op, comm);
    require(in[1] == size * (size - 1) / 2);
    MPI_Op_free(&op);
    MPI_Gather(out, 33, MPI_INT, in, 33, MPI_INT, 0, comm);
    MPI_Gatherv(out, counts[rank], MPI_INT, in, counts, places, MPI_INT, 0, comm);
    MPI_Scatter(out, 34, MPI_INT, in, 34, MPI_INT, 0, comm);
    MPI_Allgather(out, 35, MPI_INT, in, 35, MPI_INT, comm);
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, counts, places, MPI_INT, comm);
    MPI_Alltoall(out, 36, MPI_INT, in, 36, MPI_INT, comm);
    MPI_Alltoallv(out, counts, places, MPI_INT, in, counts, places, MPI_INT, MPI_COMM_SELF);
    MPI_Iallreduce(out, in, 37, MPI_INT, MPI_SUM, comm, &requests[0]);
    MPI_Ibcast(more, 38, MPI_INT, 0, comm, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Comm_split(comm, rank % 2, rank, &half);
    MPI_Allreduce(out, in, 39, MPI_INT, MPI_SUM, half);
    MPI_Comm_free(&half);

    /* Derived types; absolute addresses. */
    MPI_Datatype column, pieces, absolute;
    const int lengths[2] = {3, 5}, starts[2] = {0, 100};
    MPI_Aint addresses[2];
    MPI_Datatype types[2] = {MPI_INT, MPI_INT};
    MPI_Type_vector(7, 2, 10, MPI_INT, &column);
    MPI_Type_commit(&column);
    MPI_Sendrecv(out, 2, column, next, 7, in, kMost, MPI_INT, previous, 7, comm, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    require(count == 28);
    MPI_Type_indexed(2, lengths, starts, MPI_INT, &pieces);
    MPI_Type_commit(&pieces);
    MPI_Type_size(pieces, &bytes);
    require(bytes == 32);
    MPI_Bcast(out, 3, pieces, 0, comm);
    for (int i = 0; i < kMost; ++i) out[i] = rank;
    MPI_Get_address(out, &addresses[0]);
    MPI_Get_address(more, &addresses[1]);
    MPI_Type_create_struct(2, lengths, addresses, types, &absolute);
    MPI_Type_commit(&absolute);
    MPI_Sendrecv(MPI_BOTTOM, 1, absolute, next, 8, in, kMost, MPI_INT, previous, 8, comm, MPI_STATUS_IGNORE);
    require(in[2] == previous);
    MPI_Type_free(&absolute);
    MPI_Type_free(&pieces);
    MPI_Type_free(&column);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
