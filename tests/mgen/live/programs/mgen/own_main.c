// MGEN's names: MGEN_Main instead of main, computation time, arguments, an exit code.
#include <mgen.h>
#include <stdio.h>
#include <stdlib.h>

int MGEN_Main(int argc, char** argv) {
    int rank, ranks;
    MGEN_Comm_rank(MGEN_COMM_WORLD, &rank);
    MGEN_Comm_size(MGEN_COMM_WORLD, &ranks);
    const double begin = MGEN_Wtime();
    MGEN_Comp(1e-3 * (rank + 1));
    const double computed = MGEN_Wtime() - begin;
    int sum = 0;
    MGEN_Allreduce(&rank, &sum, 1, MGEN_INT, MGEN_SUM, MGEN_COMM_WORLD);
    printf("rank %d of %d: sum %d, %d arguments, computed %d us\n", rank, ranks, sum, argc - 1,
           (int)(computed * 1e6 + 0.5));
    return argc > 1 ? atoi(argv[1]) : 0;
}
