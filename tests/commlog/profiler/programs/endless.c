/* A ring that runs until it is stopped, or until rank 1 aborts after a number of rounds. Each rank writes its process
 * and its completed rounds to a file that outlives it. endless PREFIX [ROUNDS] */

#include <fcntl.h>
#include <unistd.h>

#include "tests/commlog/profiler/programs/require.h"

int main(int argc, char** argv) {
    int rank, size;
    char name[4096], out[1000] = {0}, in[1000];
    MPI_Init(&argc, &argv);
    require(argc >= 2);
    const long last = argc > 2 ? atol(argv[2]) : -1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    snprintf(name, sizeof(name), "%s.%d", argv[1], rank);
    const int file = open(name, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    require(file >= 0);
    long notes[2] = {getpid(), 0};
    for (;;) {
        require(pwrite(file, notes, sizeof(notes), 0) == sizeof(notes));
        if (rank == 1 && notes[1] == last) MPI_Abort(MPI_COMM_WORLD, 7);
        MPI_Sendrecv(out, 1000, MPI_BYTE, (rank + 1) % size, 1, in, 1000, MPI_BYTE, (rank + size - 1) % size, 1,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        notes[1] += 1;
        if (notes[1] % 64 == 0) usleep(200);
    }
}
