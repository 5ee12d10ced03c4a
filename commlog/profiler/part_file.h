#pragma once

#include "commlog/log/profile_memory.h"

namespace haichi::profiler {

/// Maps the memory of a part from a file, so that the kernel keeps its contents if the process is killed. If the file
/// cannot be created, sets `error` and returns memory without a file. Without a file, the profile is lost if the
/// process is killed. Returns null if there is no memory either, or if `error` is EEXIST: the name exists, perhaps for
/// a running job.
ProfileMemory* map_part(const char* path, int& error);

/// Reserves disk space for a thread's memory, so that later writes cannot fail on a full disk. Returns false if there
/// is not enough space.
bool reserve_part(int file, std::size_t offset, std::size_t size);

/// Reserves the space for the memory of thread `number`; does nothing without a file.
bool reserve_thread(std::uint32_t number);

/// Removes the part's file, unless another job has replaced it.
void remove_part(const char* path);

void unmap_part(ProfileMemory* memory);

}  // namespace haichi::profiler
