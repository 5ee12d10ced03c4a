#pragma once

#include <cstdint>

namespace haichi::profiler {

/// What the wrappers of MPI_Init, MPI_Finalize and MPI_Abort say, in C and in Fortran. All of it may fail without harm:
/// then one line on stderr says so, and the program runs without a profile.

/// Behind a successful MPI_Init, on all ranks.
void begin_job();

/// Behind MPI_Session_init: a program without MPI_Init is not profiled, and is told so when it ends.
void begin_session();

/// Before MPI_Finalize.
void end_job();

/// Before MPI_Abort.
void abort_job();

/// MPI_Pcontrol: 0 pauses, 1 goes on; 1 with a name enters a region, -1 with it leaves it. `more` is what stands where
/// the name would.
void control(int level, std::uintptr_t more);

}  // namespace haichi::profiler
