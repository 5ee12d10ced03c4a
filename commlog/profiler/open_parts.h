#pragma once

#include "commlog/log/profile_memory.h"
#include "commlog/profiler/configuration.h"

namespace haichi::profiler {

/// The part of this process, and the path of its file.
struct OpenPart {
    ProfileMemory* memory = nullptr;
    bool has_file = false;  ///< false if the part is only in memory
    char path[sizeof(Configuration::file) + 32];
};

/// Opens the parts of all ranks under one name that neither a log nor a part has, or opens no part. All ranks must call
/// it together. The name is the one in the configuration, or this name with "-2", "-3", ... appended, which is then
/// stored in the configuration. Rank 0 reports errors. Returns false if any process has no memory for its part.
bool open_parts(Configuration& configuration, int rank, int ranks, OpenPart& part);

}  // namespace haichi::profiler
