#pragma once

#include <cstddef>

#include "commlog/preload/mpi_library.h"

namespace haichi::renumber {

/// The two communicators: the machine's MPI_COMM_WORLD and the program's. Written once, in MPI_Init.
struct World {
    MPI_Comm machine = {};  ///< MPI_COMM_WORLD; set with `program`
    MPI_Comm program = {};  ///< the renumbered one, or equal to `machine` before there is one
    MPI_Fint fortran = 0;   ///< the number of `program`
    bool is_renumbered = false;
};
extern World world;

/// MPI_COMM_WORLD as a number in mpif.h and mpi_f08.
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

/// Call it once MPI is initialised. Decides the numbers together with all processes.
void renumber_world();

}  // namespace haichi::renumber
