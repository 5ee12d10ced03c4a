#pragma once

#include "commlog/profiler/thread_state.h"

namespace haichi::profiler {

/// Windows and files, with the communicator they were made on: some of their operations are ones of all its processes.
/// A fixed table; what has no room is not logged.
void enter_object(std::uint64_t handle, MPI_Comm comm);
void forget_object(std::uint64_t handle);

/// World rank of a target of a window; kNobody: it is not known.
std::int32_t target_of(std::uint64_t window, int target);

/// Logs an operation of all processes of a window or a file.
void object_operation(Thread& t, std::uint32_t function, std::uint64_t handle);

}  // namespace haichi::profiler
