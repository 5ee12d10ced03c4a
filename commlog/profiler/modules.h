#pragma once

#include "commlog/log/profile_memory.h"

namespace haichi::profiler {

/// Sets the part to which modules are written: the programs and libraries that call MPI.
void start_modules(ProfileMemory* memory);

/// Returns the index in the part's table of the module that contains a code address. Returns kNoModule if no module
/// contains the address, or if the table is full. A module that is not yet in the table is requested from the dynamic
/// linker, under the linker's lock.
std::uint16_t module_of(std::uint64_t address);

}  // namespace haichi::profiler
