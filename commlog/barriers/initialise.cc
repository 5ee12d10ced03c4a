// Replaces MPI_Init and MPI_Finalize in C and Fortran.

#include "commlog/preload/initialise.h"

#include "commlog/barriers/calls.h"

HAICHI_REPLACE_INIT(static_cast<void>(0), haichi::barriers::begin_job())

HAICHI_EXPORTED int MPI_Finalize() {
    haichi::barriers::end_job();
    return NEXT(MPI_Finalize)();
}

#define FINALIZE(symbol)                                                 \
    HAICHI_EXPORTED void symbol(void* error) {                           \
        haichi::barriers::end_job();                                     \
        haichi::preload::next_function<void (*)(void*)>(#symbol)(error); \
    }

FINALIZE(mpi_finalize_)
FINALIZE(mpi_finalize_f08_)
