#pragma once

#include "commlog/profiler/real_functions.h"

namespace haichi::profiler {

/// Converts Fortran handles to C handles. In MPICH, the values are equal.
#if defined(OPEN_MPI)
inline MPI_Comm comm_of(MPI_Fint handle) { return real.Comm_f2c(handle); }
inline MPI_Datatype type_of(MPI_Fint handle) { return real.Type_f2c(handle); }
inline MPI_Request request_of(MPI_Fint handle) { return real.Request_f2c(handle); }
inline MPI_Op op_of(MPI_Fint handle) { return real.Op_f2c(handle); }
inline MPI_Message message_of(MPI_Fint handle) { return real.Message_f2c(handle); }
#else
inline MPI_Comm comm_of(MPI_Fint handle) { return handle; }
inline MPI_Datatype type_of(MPI_Fint handle) { return handle; }
inline MPI_Request request_of(MPI_Fint handle) { return handle; }
inline MPI_Op op_of(MPI_Fint handle) { return handle; }
inline MPI_Message message_of(MPI_Fint handle) { return handle; }
#endif

}  // namespace haichi::profiler
