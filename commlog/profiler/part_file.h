#pragma once

#include "commlog/log/profile_memory.h"

namespace haichi::profiler {

/// Maps the memory of a part file, so that the kernel keeps its contents when the process is killed. If the file cannot
/// be made, `error` is not 0 and the memory has no file. Such a process loses its profile when it is killed. Returns
/// null if this fails, too, or if `error` is EEXIST: the name is taken, perhaps by a running job.
ProfileMemory* map_part(const char* path, int& error);

/// Reserves disk space for the memory of a thread, so that writing cannot fail on a full disk. Returns false if there
/// is none.
bool reserve_part(int file, std::size_t offset, std::size_t size);

/// Reserves the space that thread `number` will write. Does nothing without a file.
bool reserve_thread(std::uint32_t number);

/// Removes the part's file, unless another job has put its own there.
void remove_part(const char* path);

void unmap_part(ProfileMemory* memory);

}  // namespace haichi::profiler
