#pragma once

namespace haichi::profiler {

/// Returns a symbol of the MPI library or its Fortran libraries, or null. It also finds libraries that a program has
/// opened for itself (RTLD_LOCAL).
void* find_symbol(const char* name);

/// Does the same, and keeps the library loaded so that the address stays valid.
void* find_lasting_symbol(const char* name);

/// Returns whether this process may report for its job on stderr when MPI cannot provide its rank. The launcher's
/// variables decide. Without a launcher that is known, every process may.
bool speaks_for_job();

}  // namespace haichi::profiler
