// The main() of programs with MGEN_Main(). The linker takes it from the library only if the program has no main().

#include "mgen/program/mgen.h"

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const int code = MGEN_Main(argc, argv);
    MPI_Finalize();
    return code;
}
