#pragma once

#include "mgen/abi/mpich/mpich_rank.h"

namespace haichi::abi::mpich {

// Attributes of objects with handles. If a function of the program returns a code other than MPI_SUCCESS, the MPI call
// fails with this code.

/// The MPI_WIN_FLAVOR_* constant.
int flavor_number(mpi::WindowFlavor flavor);
/// Throws CallError for invalid handles.
Attributes& attributes_of_type(MpichRank& state, MPI_Datatype handle);
/// Copies the attributes to a duplicate by calling the copy functions of their keys.
void copy_attributes(MpichRank& state, int handle, const Attributes& from, Attributes& to);
/// Deletes all attributes when the object is freed, the most recent one first. Raises an error only after all
/// attributes have been handled.
void delete_attributes(MpichRank& state, int handle, Attributes& of);

}  // namespace haichi::abi::mpich
