/* loads FILE: each rank loads a library that counts in a variable, and prints its count. */

#include <dlfcn.h>

#include "tests/mgen/live/programs/require.h"

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    require(argc == 2);
    void* const library = dlopen(argv[1], RTLD_NOW);
    require(library != NULL);
    int (*count)(void) = (int (*)(void))dlsym(library, "count");
    require(count != NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    printf("%d\n", count());
    MPI_Finalize();
    return 0;
}
