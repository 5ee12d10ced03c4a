#pragma once

namespace haichi::profiler {

/// A symbol of the MPI library or of its Fortran libraries, also where a program has opened them for itself
/// (RTLD_LOCAL); null: there is none.
void* find_symbol(const char* name);

/// The same, and the library stays loaded: for addresses that are kept.
void* find_lasting_symbol(const char* name);

/// Whether this process may speak for its job on stderr, where MPI cannot be asked for its rank: by what the launcher
/// has told it. Of processes started without a launcher that is known, all.
bool speaks_for_job();

}  // namespace haichi::profiler
