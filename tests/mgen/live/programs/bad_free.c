/* Rank 1 frees a block twice, the middle of a block, an address on its stack or a variable. It may also resize a block
 * that does not exist. */

#include <string.h>

#include "tests/mgen/live/programs/require.h"

static char variable[64];

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    require(argc == 2);
    char* volatile block = malloc(1000);
    volatile int middle = 32;
    memset(block, 1, 1000);
    if (rank == 1) {
        if (strcmp(argv[1], "twice") == 0) {
            free(block);
            free(block);  // bad_free.c: twice
        } else if (strcmp(argv[1], "middle") == 0) {
            free(block + middle);  // bad_free.c: middle
        } else if (strcmp(argv[1], "stack") == 0) {
            char on_stack[64] = {0};
            char* volatile address = on_stack;
            free(address);  // bad_free.c: stack
        } else if (strcmp(argv[1], "variable") == 0) {
            char* volatile address = variable;
            free(address);  // bad_free.c: variable
        } else {
            free(block);
            block = realloc(block, 2000);  // bad_free.c: realloc
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
