#pragma once

#include "commlog/profiler/thread_state.h"

namespace haichi::profiler {

/// Windows and files with the communicator on which they were made, because some of their operations involve all its
/// processes. The table is fixed; an object that does not fit is not logged.
void enter_object(std::uint64_t handle, MPI_Comm comm);
void forget_object(std::uint64_t handle);

/// Returns the rank in MPI_COMM_WORLD of a window's target, or kNobody if it is unknown.
std::int32_t target_of(std::uint64_t window, int target);

/// Logs an operation of all processes of a window or file.
void object_operation(Thread& t, std::uint32_t function, std::uint64_t handle);

}  // namespace haichi::profiler
