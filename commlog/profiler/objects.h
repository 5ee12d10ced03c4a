#pragma once

#include "commlog/profiler/thread_state.h"

namespace haichi::profiler {

/// These functions store the communicator of each window and file, because some operations on these objects are
/// collective over that communicator. The table has a fixed size; objects that do not fit are not logged.
void enter_object(std::uint64_t handle, MPI_Comm comm);
void forget_object(std::uint64_t handle);

/// Returns a window's target as a rank in MPI_COMM_WORLD, or kNobody if it is unknown.
std::int32_t target_of(std::uint64_t window, int target);

/// Logs a collective operation on a window or file.
void object_operation(Thread& t, std::uint32_t function, std::uint64_t handle);

}  // namespace haichi::profiler
