/* Communicates like the inner loop of NPB CG: row exchanges, the transpose, two scalar reductions over the row.
 * Arguments are COLUMNS ROWS ITERATIONS SEED [OUTER]. A SEED other than 0 delays ranks at random. The iterations run
 * once, and OUTER times more, each time after a reduction and a short exchange. */

#include <unistd.h>

#include "tests/commlog/profiler/programs/require.h"

enum { kLarge = 8192 };

static char out[kLarge], in[kLarge];
static int rank, columns, rows, seed;

static void work(void) {
    if (seed != 0 && rand() % 4 == 0) usleep((useconds_t)(rand() % 300));
}

static void exchange(int partner, int bytes, int tag) {
    MPI_Request request;
    MPI_Irecv(in, bytes, MPI_BYTE, partner, tag, MPI_COMM_WORLD, &request);
    work();
    MPI_Send(out, bytes, MPI_BYTE, partner, tag, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void row_exchange(int bytes, int tag) {
    const int row = rank / columns;
    const int column = rank % columns;
    for (int bit = 1; bit < columns; bit *= 2) exchange(row * columns + (column ^ bit), bytes, tag);
}

static void iterate(int iterations, int transposed) {
    for (int iteration = 0; iteration < iterations; ++iteration) {
        row_exchange(kLarge, 1);
        if (transposed != rank) exchange(transposed, kLarge, 2);
        row_exchange(8, 3);
        row_exchange(8, 4);
        work();
    }
}

int main(int argc, char** argv) {
    int size;
    MPI_Init(&argc, &argv);
    require(argc == 5 || argc == 6);
    columns = atoi(argv[1]);
    rows = atoi(argv[2]);
    const int iterations = atoi(argv[3]);
    seed = atoi(argv[4]);
    const int outer = argc == 6 ? atoi(argv[5]) : 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    require(size == columns * rows);
    srand((unsigned)(seed * 1000 + rank));

    const int transposed = columns == rows ? (rank % rows) * rows + rank / rows
                                           : 2 * ((rank / 2 % rows) * rows + rank / 2 / rows) + rank % 2;

    /* Set-up: parameters from rank 0, and an exchange outside the main loop. */
    int parameters[4] = {columns, rows, iterations, 0};
    MPI_Bcast(parameters, 4, MPI_INT, 0, MPI_COMM_WORLD);
    row_exchange(4096, 5);
    MPI_Barrier(MPI_COMM_WORLD);

    iterate(iterations, transposed);
    for (int i = 0; i < outer; ++i) {
        MPI_Allreduce(MPI_IN_PLACE, parameters, 4, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        row_exchange(16, 6);
        iterate(iterations, transposed);
    }

    double norm = rank, largest;
    MPI_Reduce(&norm, &largest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) require(largest == size - 1);
    MPI_Finalize();
    return 0;
}
