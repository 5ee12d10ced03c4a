#pragma once

#include "commlog/log/profile_memory.h"

namespace haichi::profiler {

/// Brings the parts of all ranks to rank 0, which writes FILE.haichi-log, one record after the other: its memory does
/// not grow with the number of ranks, and no file system needs to be shared. True on all ranks if it was written.
/// `has_part`: of rank 0, whether its memory is a file.
bool merge_parts(const ProfileMemory& memory, const char* file, bool has_part);

}  // namespace haichi::profiler
