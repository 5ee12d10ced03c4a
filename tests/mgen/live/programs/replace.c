/* MPI_Sendrecv_replace and MPI_Isendrecv_replace send the original content of the buffer. This holds for any number of
 * earlier pending calls, and even if the partner's message arrived long before. Two ranks. */

#include <stdio.h>

#include "tests/mgen/live/programs/require.h"

enum { kMostBegun = 600 };

static MPI_Request requests[kMostBegun];
static int values[kMostBegun];

int main(int argc, char** argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int begun = 0; begun < kMostBegun; begun += begun < 250 || begun > 260 ? 50 : 1) {
        for (int blocking = 0; blocking < 2; ++blocking) {
            int value = rank == 0 ? 1000 + begun : 5000 + begun;
            const int expected = rank == 0 ? 5000 + begun : 1000 + begun;
            if (rank == 0) {
                for (int i = 0; i < begun; ++i) MPI_Irecv(&values[i], 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &requests[i]);
            }
            if (blocking) {
                MPI_Sendrecv_replace(&value, 1, MPI_INT, 1 - rank, 2, 1 - rank, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            } else {
                MPI_Request both;
                MPI_Isendrecv_replace(&value, 1, MPI_INT, 1 - rank, 2, 1 - rank, 2, MPI_COMM_WORLD, &both);
                MPI_Wait(&both, MPI_STATUS_IGNORE);
            }
            require(value == expected);
            if (rank == 0) {
                MPI_Waitall(begun, requests, MPI_STATUSES_IGNORE);
                for (int i = 0; i < begun; ++i) require(values[i] == i);
            } else {
                for (int i = 0; i < begun; ++i) MPI_Send(&i, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
            }
            MPI_Barrier(MPI_COMM_WORLD);
        }
    }
    printf("rank %d: all values came\n", rank);
    MPI_Finalize();
    return 0;
}
