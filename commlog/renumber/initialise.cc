// MPI_Init for C and Fortran: calls the function of the MPI library, then renumbers.

#include "commlog/renumber/world.h"

using haichi::renumber::next_function;
using haichi::renumber::renumber_world;

#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED int MPI_Init(int* argc, char*** argv) {
    const int result = next_function<decltype(&::MPI_Init)>("MPI_Init")(argc, argv);
    if (result == MPI_SUCCESS) renumber_world();
    return result;
}

EXPORTED int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
    const int result = next_function<decltype(&::MPI_Init_thread)>("MPI_Init_thread")(argc, argv, required, provided);
    if (result == MPI_SUCCESS) renumber_world();
    return result;
}

// The Fortran interface decides whether there is an error code. Errors end the program unless it has chosen otherwise,
// which is impossible before MPI_Init.
#define INIT(symbol)                                    \
    EXPORTED void symbol(void* error) {                 \
        next_function<void (*)(void*)>(#symbol)(error); \
        renumber_world();                               \
    }
#define INIT_THREAD(symbol)                                                               \
    EXPORTED void symbol(void* required, void* provided, void* error) {                   \
        next_function<void (*)(void*, void*, void*)>(#symbol)(required, provided, error); \
        renumber_world();                                                                 \
    }

INIT(mpi_init_)
INIT(mpi_init_f08_)
INIT_THREAD(mpi_init_thread_)
INIT_THREAD(mpi_init_thread_f08_)
