/* Calls MPI_File_open, which the simulator does not support. */

#include "tests/mgen/live/programs/require.h"

int main(int argc, char** argv) {
    MPI_File file;
    MPI_Init(&argc, &argv);
    printf("started\n");
    MPI_File_open(MPI_COMM_WORLD, "file", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
