#pragma once

#include "commlog/log/profile_memory.h"

namespace haichi::profiler {

/// Sets where the part's modules are written: the programs and libraries that call MPI.
void start_modules(ProfileMemory* memory);

/// Returns the module that holds an address of the program, as an index in the part's table. Returns kNoModule if there
/// is none or if it does not fit. A module that is not in the table is requested from the dynamic linker, under its
/// lock.
std::uint16_t module_of(std::uint64_t address);

}  // namespace haichi::profiler
