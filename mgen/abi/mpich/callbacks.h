#pragma once

#include <mpi.h>

namespace haichi::abi::mpich {

// Calls of functions that the program has passed to MPI. Another binary interface passes other arguments to these
// functions, so it supplies its own callers.

/// Calls the function of a reduction operation.
using CallOfOp = void(void* function, void* in, void* inout, int* count, MPI_Datatype type);
int create_op(void* function, CallOfOp* call, int commutes, MPI_Op* handle);

/// These call the copy and delete functions of an attribute (Keyval::copy_proxy, Keyval::erase_proxy). `kind` is 0 for
/// an address; other kinds are integers.
using CopyProxy = int(MPI_Comm_copy_attr_function* copy, int handle, int keyval, void* extra, int kind, void* value,
                      void** copied, int* flag);
using DeleteProxy = int(MPI_Comm_delete_attr_function* erase, int handle, int keyval, int kind, void* value,
                        void* extra);

}  // namespace haichi::abi::mpich
