#pragma once

#include "commlog/log/profile_memory.h"

namespace haichi::profiler {

/// Sends the parts of all ranks to rank 0, which writes FILE.haichi-log one record after the other. Its memory does not
/// grow with the number of ranks, and no shared file system is needed. Returns true on all ranks if the file was
/// written. `has_part` states on rank 0 whether its memory is a file.
bool merge_parts(const ProfileMemory& memory, const char* file, bool has_part);

}  // namespace haichi::profiler
