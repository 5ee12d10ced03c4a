/* bounded_poll KIND POLLS: rank 1 polls POLLS times in vain, by MPI_Iprobe, MPI_Test or MPI_Testall, and then sends the
 * message for which the others wait. Rank 2 computes nothing and waits. KIND global counts in global memory, so that
 * nothing on the stack changes. */
#include <string.h>

#include "tests/mgen/live/programs/require.h"

static int looks_made;

int main(int argc, char** argv) {
    int rank, size, flag = 0, value = 7, in[2] = {0, 0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    require(argc == 3 && size >= 2);
    const char* kind = argv[1];
    const int looks = atoi(argv[2]);
    if (rank == 1) {
        MPI_Request requests[2];
        for (int i = 0; i < 2; ++i) MPI_Irecv(&in[i], 1, MPI_INT, 0, i, MPI_COMM_WORLD, &requests[i]);
        const double begin = MPI_Wtime();
        if (strcmp(kind, "global") == 0) {
            while (looks_made < looks) {
                ++looks_made;
                MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
                require(!flag);
            }
        }
        for (int i = looks_made; i < looks; ++i) {
            if (strcmp(kind, "probe") == 0) {
                MPI_Iprobe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
            } else if (strcmp(kind, "test") == 0) {
                MPI_Test(&requests[i % 2], &flag, MPI_STATUS_IGNORE);
            } else {
                MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
            }
            require(!flag);
        }
        printf("looked for %.0f us\n", (MPI_Wtime() - begin) * 1e6);
        for (int to = 0; to < size; ++to) {
            if (to != 1) MPI_Send(&value, 1, MPI_INT, to, 0, MPI_COMM_WORLD);
        }
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    } else {
        MPI_Recv(in, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        require(in[0] == 7);
        for (int i = 0; rank == 0 && i < 2; ++i) MPI_Send(&value, 1, MPI_INT, 1, i, MPI_COMM_WORLD);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) printf("all have got it\n");
    MPI_Finalize();
    return 0;
}
