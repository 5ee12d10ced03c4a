/* A 2D pipeline: every rank receives from west and north, then sends to east and south.
 * sweep X Y ITERATIONS SEED */

#include <unistd.h>

#include "tests/commlog/profiler/programs/require.h"

int main(int argc, char** argv) {
    int rank, size;
    char west[512], north[1024];
    MPI_Init(&argc, &argv);
    require(argc == 5);
    const int width = atoi(argv[1]);
    const int height = atoi(argv[2]);
    const int iterations = atoi(argv[3]);
    const int seed = atoi(argv[4]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    require(size == width * height);
    srand((unsigned)(seed * 1000 + rank));
    const int x = rank % width;
    const int y = rank / width;
    for (int iteration = 0; iteration < iterations; ++iteration) {
        if (x > 0) MPI_Recv(west, 512, MPI_BYTE, rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (y > 0) MPI_Recv(north, 1024, MPI_BYTE, rank - width, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (seed != 0 && rand() % 4 == 0) usleep((useconds_t)(rand() % 300));
        if (x < width - 1) MPI_Send(west, 512, MPI_BYTE, rank + 1, 1, MPI_COMM_WORLD);
        if (y < height - 1) MPI_Send(north, 1024, MPI_BYTE, rank + width, 2, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
