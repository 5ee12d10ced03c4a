// Uses the C++ classes of MPI 2.
#include <mpi.h>

#include <cstdio>

int main(int argc, char** argv) {
    MPI::Init(argc, argv);
    std::printf("rank %d\n", MPI::COMM_WORLD.Get_rank());
    MPI::Finalize();
}
