#pragma once

#include "commlog/profiler/loaded_mpi.h"
#include "commlog/profiler/mpi_traits.h"

// struct RealFunctions, the numbers and the names of the functions; generate_wrappers.py makes them from mpi.h
#include <real_functions_generated.h>

namespace haichi::profiler {

/// The MPI functions that the wrappers call by their PMPI names. They are found at run time, because the profiler does
/// not link an MPI.
extern RealFunctions real;

/// Looks up a function that is called before the profiler has started. If the MPI does not have it, ends the process as
/// the dynamic linker would.
void* find_real(const char* pmpi_name);

/// Looks up all functions. Calling one that this MPI does not have ends the process.
void find_all_real();

template <class Function>
inline Function through(Function& entry, const char* pmpi_name) {
    if (entry == nullptr) [[unlikely]]
        entry = reinterpret_cast<Function>(find_real(pmpi_name));
    return entry;
}

}  // namespace haichi::profiler

#define HAICHI_MPI(name) (::haichi::profiler::through(::haichi::profiler::real.name, "PMPI_" #name))
