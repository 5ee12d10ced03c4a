#pragma once

#include "commlog/log/profile_memory.h"
#include "commlog/profiler/configuration.h"

namespace haichi::profiler {

/// The part of this process and its path.
struct OpenPart {
    ProfileMemory* memory = nullptr;
    bool has_file = false;  ///< false: memory only
    char path[sizeof(Configuration::file) + 32];
};

/// Opens all parts under one name that neither a log nor a part has, or opens none. All ranks call it together. The
/// name is the configuration's, or that name with "-2", "-3" ... appended, which is then written to the configuration.
/// Rank 0 reports errors. Returns false if a process has no memory.
bool open_parts(Configuration& configuration, int rank, int ranks, OpenPart& part);

}  // namespace haichi::profiler
