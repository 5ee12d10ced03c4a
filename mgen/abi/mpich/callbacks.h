#pragma once

#include <mpi.h>

namespace haichi::abi::mpich {

// Functions of the program that MPI calls. Another binary interface passes them other arguments, so it has its own
// functions for these calls.

/// Calls the function of an operation.
using CallOfOp = void(void* function, void* in, void* inout, int* count, MPI_Datatype type);
int create_op(void* function, CallOfOp* call, int commutes, MPI_Op* handle);

/// Calls the copy and delete functions of an attribute (Keyval::copy_proxy, Keyval::erase_proxy). The kind of the value
/// is 0 for an address, otherwise the value is an integer.
using CopyProxy = int(MPI_Comm_copy_attr_function* copy, int handle, int keyval, void* extra, int kind, void* value,
                      void** copied, int* flag);
using DeleteProxy = int(MPI_Comm_delete_attr_function* erase, int handle, int keyval, int kind, void* value,
                        void* extra);

}  // namespace haichi::abi::mpich
