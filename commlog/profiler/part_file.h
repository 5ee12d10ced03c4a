#pragma once

#include "commlog/log/profile_memory.h"

namespace haichi::profiler {

/// Memory of a part file, mapped so that the kernel keeps what was written when the process is killed. Where the file
/// cannot be made (`error` is then not 0), memory without a file: such a process loses its profile when it is killed.
/// Null: not even that, or the error is EEXIST: the name is taken, perhaps by a job that is running.
ProfileMemory* map_part(const char* path, int& error);

/// Room on the disk for the memory of a thread, so that writing it cannot fail on a full disk. False: there is none.
bool reserve_part(int file, std::size_t offset, std::size_t size);

/// Reserves what thread `number` will write. Does nothing without a file.
bool reserve_thread(std::uint32_t number);

/// Removes the part's file, unless another job has put its own there.
void remove_part(const char* path);

void unmap_part(ProfileMemory* memory);

}  // namespace haichi::profiler
