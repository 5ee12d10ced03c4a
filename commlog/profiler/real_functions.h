#pragma once

#include "commlog/profiler/loaded_mpi.h"
#include "commlog/profiler/mpi_traits.h"

// struct RealFunctions, the numbers and names of the functions: made from mpi.h by generate_wrappers.py
#include <real_functions_generated.h>

namespace haichi::profiler {

/// The MPI functions behind the wrappers, by their PMPI names, found while the program runs: the profiler links no MPI.
extern RealFunctions real;

/// Looks up one that is called while the profiler does nothing yet. Ends the process, as the dynamic linker would, if
/// the MPI has no such function.
void* find_real(const char* pmpi_name);

/// Looks all of them up; those that this MPI does not have end the process when they are called.
void find_all_real();

template <class Function>
inline Function through(Function& entry, const char* pmpi_name) {
    if (entry == nullptr) [[unlikely]]
        entry = reinterpret_cast<Function>(find_real(pmpi_name));
    return entry;
}

}  // namespace haichi::profiler

#define HAICHI_MPI(name) (::haichi::profiler::through(::haichi::profiler::real.name, "PMPI_" #name))
