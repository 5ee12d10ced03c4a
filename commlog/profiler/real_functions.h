#pragma once

#include "commlog/profiler/loaded_mpi.h"
#include "commlog/profiler/mpi_traits.h"

// struct RealFunctions, and the indices and names of the functions; generate_wrappers.py makes this file from mpi.h
#include <real_functions_generated.h>

namespace haichi::profiler {

/// The MPI functions that the wrappers call, under their PMPI names. These are looked up at run time, because the
/// profiler is not linked to an MPI.
extern RealFunctions real;

/// Looks up a function that is called before the profiler starts. If the MPI lacks the function, ends the process, as
/// the dynamic linker would.
void* find_real(const char* pmpi_name);

/// Fills `real` with all functions of the loaded MPI. A call of a function that this MPI lacks ends the process.
void find_all_real();

template <class Function>
inline Function through(Function& entry, const char* pmpi_name) {
    if (entry == nullptr) [[unlikely]]
        entry = reinterpret_cast<Function>(find_real(pmpi_name));
    return entry;
}

}  // namespace haichi::profiler

#define HAICHI_MPI(name) (::haichi::profiler::through(::haichi::profiler::real.name, "PMPI_" #name))
