#pragma once

#include <cstdint>

#include "commlog/profiler/fortran_handles.h"

namespace haichi::profiler {

/// Fortran's MPI_STATUS_IGNORE, MPI_STATUSES_IGNORE and MPI_IN_PLACE are variables that are identified by their
/// addresses. Each language binding of each MPI has its own variables.
void find_fortran_constants();

bool is_status_ignored(const void* status);
bool is_statuses_ignored(const void* statuses);
bool is_in_place(const void* buffer);

/// MPICH passes choice buffers of `use mpi_f08` as descriptors, whose first word is the address.
inline bool is_descriptor_in_place(const void* descriptor) {
    return is_in_place(*static_cast<const void* const*>(descriptor));
}

/// Returns one of the MPI's Fortran procedures, by its profiling name. Ends the process if the procedure does not
/// exist.
void* find_fortran(const char* name);

/// Returns the number that `procedure` uses for the first of several requests. It is usually 1, but some versions of
/// MPICH return C indices to mpi_f08 programs (MPI_Waitany of 4.0.2), so a call determines it once. `procedure` must be
/// MPI_Waitany, MPI_Testany, MPI_Waitsome or MPI_Testsome.
enum class Completes { kWaitAny, kTestAny, kSome };
int first_index(void* procedure, Completes which);

/// Converts a window or file to a number that differs from all C handles.
inline std::uint64_t fortran_object(MPI_Fint handle) {
    return std::uint64_t{1} << 62 | static_cast<std::uint32_t>(handle);
}

}  // namespace haichi::profiler
