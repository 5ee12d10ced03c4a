/* dataless COUNT: rank 0 sends COUNT numbers. The first is the number of answers for which it will wait. */
#include "tests/mgen/live/programs/require.h"

int main(int argc, char** argv) {
    int rank, answer = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int count = argc > 1 ? atoi(argv[1]) : 1;
    int* numbers = calloc(count, sizeof *numbers);
    if (rank == 0) {
        numbers[0] = 1;
        MPI_Send(numbers, count, MPI_INT, 1, 4, MPI_COMM_WORLD);  // dataless.c: here
        MPI_Recv(&answer, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("answered\n");
    } else if (rank == 1) {
        MPI_Recv(numbers, count, MPI_INT, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < numbers[0]; ++i) MPI_Send(&answer, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    free(numbers);
    MPI_Finalize();
    return 0;
}
