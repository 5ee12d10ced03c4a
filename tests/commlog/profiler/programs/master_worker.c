/* Work goes to the worker that requests it first, so repetitive patterns are accidental. master_worker ITEMS SEED */

#include <unistd.h>

#include "tests/commlog/profiler/programs/require.h"

int main(int argc, char** argv) {
    int rank, size, item;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    require(argc == 3);
    const int items = atoi(argv[1]);
    const int seed = atoi(argv[2]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    srand((unsigned)(seed * 1000 + rank));
    if (rank == 0) {
        int next = 0;
        for (int stopped = 0; stopped < size - 1;) {
            MPI_Recv(&item, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
            item = next < items ? next++ : -1;
            if (item < 0) ++stopped;
            MPI_Send(&item, 1, MPI_INT, status.MPI_SOURCE, 2, MPI_COMM_WORLD);
        }
    } else {
        do {
            MPI_Send(&item, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
            MPI_Recv(&item, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            usleep((useconds_t)(100 + rand() % 2000));
        } while (item >= 0);
    }
    MPI_Finalize();
    return 0;
}
