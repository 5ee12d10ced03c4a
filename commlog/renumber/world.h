#pragma once

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <cstddef>

namespace haichi::renumber {

/// MPI_COMM_WORLD, the machine's and the program's. Written once, in MPI_Init.
struct World {
    MPI_Comm machine = {};  ///< MPI_COMM_WORLD; set with `program`
    MPI_Comm program = {};  ///< the renumbered one; as long as there is none, equal to `machine`
    MPI_Fint fortran = 0;   ///< the number of `program`
    bool is_renumbered = false;
};
extern World world;

/// MPI_COMM_WORLD as a number of mpif.h and of mpi_f08.
#if defined(OPEN_MPI)
inline constexpr MPI_Fint kFortranWorld = 0;
#elif defined(MPICH_VERSION)
inline constexpr MPI_Fint kFortranWorld = 0x44000000;
#else
#error "the numbers of Open MPI and of MPICH are known"
#endif

inline bool is_replaced(MPI_Comm communicator) { return world.is_renumbered && communicator == world.machine; }
inline MPI_Comm renumbered(MPI_Comm communicator) { return is_replaced(communicator) ? world.program : communicator; }

inline bool is_replaced_fortran(const void* communicator) {
    return world.is_renumbered && *static_cast<const MPI_Fint*>(communicator) == kFortranWorld;
}
inline void* renumbered_fortran(void* communicator) {
    return is_replaced_fortran(communicator) ? &world.fortran : communicator;
}

/// The function behind this library: another preloaded library's, or the MPI's. Ends the program when there is none.
void* find_next(const char* name);
/// A name of this process, or null. For what is not replaced here.
void* find_symbol(const char* name);

template <class Function>
Function next_function(const char* name) {
    return reinterpret_cast<Function>(find_next(name));
}

/// To be called once MPI is initialised: decides on the numbers, with all processes.
void renumber_world();

}  // namespace haichi::renumber
