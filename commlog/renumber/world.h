#pragma once

#include <cstddef>

#include "commlog/preload/mpi_library.h"

namespace haichi::renumber {

/// The two communicators: MPI_COMM_WORLD of the machine and of the program. It is written only once, in MPI_Init.
struct World {
    MPI_Comm machine = {};  ///< MPI_COMM_WORLD; set together with `program`
    MPI_Comm program = {};  ///< the renumbered communicator; equal to `machine` until it exists
    MPI_Fint fortran = 0;   ///< the Fortran handle of `program`
    bool is_renumbered = false;
};
extern World world;

/// The Fortran handle of MPI_COMM_WORLD in mpif.h and mpi_f08.
#if defined(OPEN_MPI)
inline constexpr MPI_Fint kFortranWorld = 0;
#elif defined(MPICH_VERSION)
inline constexpr MPI_Fint kFortranWorld = 0x44000000;
#else
#error "libhaichi-renumber supports Open MPI and MPICH"
#endif

inline bool is_replaced(MPI_Comm communicator) { return world.is_renumbered && communicator == world.machine; }
inline MPI_Comm renumbered(MPI_Comm communicator) { return is_replaced(communicator) ? world.program : communicator; }

inline bool is_replaced_fortran(const void* communicator) {
    return world.is_renumbered && *static_cast<const MPI_Fint*>(communicator) == kFortranWorld;
}
inline void* renumbered_fortran(void* communicator) {
    return is_replaced_fortran(communicator) ? &world.fortran : communicator;
}

/// Must be called by all processes when MPI is initialised. The processes decide the new ranks together.
void renumber_world();

}  // namespace haichi::renumber
