#pragma once

namespace haichi::profiler {

/// Returns a symbol of the MPI library or its Fortran libraries, or null. It also searches libraries that a program has
/// opened for itself (RTLD_LOCAL).
void* find_symbol(const char* name);

/// Like find_symbol(), but keeps the library loaded, so that the address stays valid.
void* find_lasting_symbol(const char* name);

/// Returns true if this process may report for its job on stderr while its rank is not available from MPI. The decision
/// is based on the launcher's variables. Without a known launcher, every process may report.
bool speaks_for_job();

}  // namespace haichi::profiler
