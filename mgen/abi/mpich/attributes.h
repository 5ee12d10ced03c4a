#pragma once

#include "mgen/abi/mpich/mpich_rank.h"

namespace haichi::abi::mpich {

// Attributes of an object with a handle. What the functions of the program return is an error of the call, if it is not
// MPI_SUCCESS.

/// MPI_WIN_FLAVOR_...
int flavor_number(mpi::WindowFlavor flavor);
/// CallError for handles that are none.
Attributes& attributes_of_type(MpichRank& state, MPI_Datatype handle);
/// To a duplicate, with the copy functions of the keys.
void copy_attributes(MpichRank& state, int handle, const Attributes& from, Attributes& to);
/// At the end of the object, the last one that was set first. All are gone behind it; an error is raised then.
void delete_attributes(MpichRank& state, int handle, Attributes& of);

}  // namespace haichi::abi::mpich
