#pragma once

#include <cstdint>

namespace haichi::profiler {

/// Called by the C and Fortran wrappers of MPI_Init, MPI_Finalize and MPI_Abort. A failure does no harm: one line on
/// stderr reports it, and the program continues without a profile.

/// Must be called by all ranks after a successful MPI_Init.
void begin_job();

/// Must be called after MPI_Session_init. A program without MPI_Init is not profiled, and the profiler reports this at
/// its end.
void begin_session();

/// Must be called before MPI_Finalize.
void end_job();

/// Must be called before MPI_Abort.
void abort_job();

/// Implements MPI_Pcontrol: level 0 pauses the profiler, and level 1 continues. With a name, level 1 enters a region
/// and level -1 leaves it. `more` is the first variadic argument as a machine word, which points to the name if there
/// is one.
void control(int level, std::uintptr_t more);

}  // namespace haichi::profiler
