#pragma once

#include "commlog/log/profile_memory.h"

namespace haichi::profiler {

/// Sends the parts of all ranks to rank 0, which writes them to FILE.haichi-log one by one. The memory that this takes
/// is independent of the number of ranks, and no shared file system is needed. Returns true on all ranks if the file
/// was written. On rank 0, `has_part` states if its memory is a file.
bool merge_parts(const ProfileMemory& memory, const char* file, bool has_part);

}  // namespace haichi::profiler
