#pragma once

#include "commlog/log/profile_memory.h"

namespace haichi::profiler {

/// Where the modules of the part are written: programs and libraries that MPI is called from.
void start_modules(ProfileMemory* memory);

/// The module that holds an address of the program, by its place in the part's table; kNoModule: none, or no room. Asks
/// the dynamic linker, under its lock, for one that is not in the table yet.
std::uint16_t module_of(std::uint64_t address);

}  // namespace haichi::profiler
