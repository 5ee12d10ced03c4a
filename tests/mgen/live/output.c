/* Ranks print partial and whole lines, by stdio and by write(), while others run. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char** argv) {
    int rank, size, number = -1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (scanf("%d", &number) != 1) number = 0;
    for (int i = 0; i < 3; ++i) {
        printf("rank %d", rank);
        MPI_Barrier(MPI_COMM_WORLD);
        printf(" line %d\n", i);
    }
    fflush(stdout);
    if (write(STDOUT_FILENO, "written\n", 8) != 8) return 1;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) printf("read %d\n", number);
    printf("rank %d without an end", rank);
    MPI_Finalize();
    return 0;
}
