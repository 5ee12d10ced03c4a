#pragma once

#include "mgen/abi/mpich/mpich_rank.h"

namespace haichi::abi::mpich {

// Attributes of an object with a handle. If a function of the program does not return MPI_SUCCESS, its result is an
// error of the call.

/// The MPI_WIN_FLAVOR_* number.
int flavor_number(mpi::WindowFlavor flavor);
/// Throws CallError for invalid handles.
Attributes& attributes_of_type(MpichRank& state, MPI_Datatype handle);
/// Copies attributes to a duplicate, with the copy functions of the keys.
void copy_attributes(MpichRank& state, int handle, const Attributes& from, Attributes& to);
/// Deletes all attributes at the end of the object, the most recent one first. Raises an error only after the last one.
void delete_attributes(MpichRank& state, int handle, Attributes& of);

}  // namespace haichi::abi::mpich
