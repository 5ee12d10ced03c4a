#pragma once

#include "commlog/log/profile_memory.h"
#include "commlog/profiler/configuration.h"

namespace haichi::profiler {

/// The part of this process, and what it is called.
struct OpenPart {
    ProfileMemory* memory = nullptr;
    bool has_file = false;  ///< and not only memory
    char path[sizeof(Configuration::file) + 32];
};

/// An operation of all ranks: opens all parts under one name that neither a log nor a part has, or none. The name is
/// the configuration's, or that with "-2", "-3" ... behind it, which is then written there. What went wrong is told by
/// rank 0. False: there is no memory in some process.
bool open_parts(Configuration& configuration, int rank, int ranks, OpenPart& part);

}  // namespace haichi::profiler
