#pragma once

#include <cstdint>

namespace haichi::profiler {

/// Functions that the C and Fortran wrappers of MPI_Init, MPI_Finalize and MPI_Abort call. Any failure is harmless: one
/// line on stderr reports it, and the program runs without a profile.

/// Call it after a successful MPI_Init, on all ranks.
void begin_job();

/// Call it after MPI_Session_init. A program without MPI_Init is not profiled, and the profiler reports this at its
/// end.
void begin_session();

/// Call it before MPI_Finalize.
void end_job();

/// Call it before MPI_Abort.
void abort_job();

/// Implements MPI_Pcontrol: 0 pauses and 1 continues. With a name, 1 enters a region and -1 leaves it. `more` is the
/// word in the position of the name.
void control(int level, std::uintptr_t more);

}  // namespace haichi::profiler
