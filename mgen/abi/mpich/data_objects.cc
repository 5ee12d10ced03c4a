// The data objects that MPICH's library exports. The Fortran library and programs compare addresses with the addresses
// of these objects.

#include <mpi.h>

#include "mgen/abi/mpich/mpich_world.h"

#define EXPORTED __attribute__((visibility("default")))

extern "C" {

// The Fortran library sets the first two to the addresses of its own objects.
EXPORTED MPI_Fint* MPI_F_STATUS_IGNORE = nullptr;
EXPORTED MPI_Fint* MPI_F_STATUSES_IGNORE = nullptr;

EXPORTED int MPIR_C_MPI_UNWEIGHTED = 0;
EXPORTED int MPIR_C_MPI_WEIGHTS_EMPTY = 0;
int* const MPI_UNWEIGHTED = &MPIR_C_MPI_UNWEIGHTED;
int* const MPI_WEIGHTS_EMPTY = &MPIR_C_MPI_WEIGHTS_EMPTY;

EXPORTED MPI_F08_status MPIR_F08_MPI_STATUS_IGNORE_OBJ = {};
EXPORTED MPI_F08_status MPIR_F08_MPI_STATUSES_IGNORE_OBJ[1] = {};
EXPORTED int MPIR_F08_MPI_IN_PLACE = 0;
EXPORTED int MPIR_F08_MPI_BOTTOM = 0;
EXPORTED MPI_F08_status* MPI_F08_STATUS_IGNORE = &MPIR_F08_MPI_STATUS_IGNORE_OBJ;
EXPORTED MPI_F08_status* MPI_F08_STATUSES_IGNORE = &MPIR_F08_MPI_STATUSES_IGNORE_OBJ[0];
}

namespace haichi::abi::mpich {

std::vector<std::span<std::byte>> addresses_of_program() {
    return {std::as_writable_bytes(std::span(&MPI_F_STATUS_IGNORE, 1)),
            std::as_writable_bytes(std::span(&MPI_F_STATUSES_IGNORE, 1))};
}

}  // namespace haichi::abi::mpich
