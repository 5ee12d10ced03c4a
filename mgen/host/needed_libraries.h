#pragma once

#include <string>
#include <vector>

#include "mgen/host/elf_file.h"

namespace haichi::host {

/// The names of all libraries that the dynamic linker loads with the program, also those that others need, as it says
/// itself (`ld.so --list`). Nothing of the program runs. What the program itself
/// names where its interpreter is no such linker; empty where that fails.
std::vector<std::string> needed_libraries(const ElfFile& program);

}  // namespace haichi::host
