// The main() of programs that have MGEN_Main(): taken from the library only where the program has none.

#include "mgen/program/mgen.h"

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const int code = MGEN_Main(argc, argv);
    MPI_Finalize();
    return code;
}
