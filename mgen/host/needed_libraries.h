#pragma once

#include <string>
#include <vector>

#include "mgen/host/elf_file.h"

namespace haichi::host {

/// Names of all libraries that the dynamic linker loads with the program, directly or for other libraries. The linker
/// itself lists them (`ld.so --list`), and no code of the program runs. With an interpreter of another kind, the result
/// has only the libraries that the program itself names. Empty on failure.
std::vector<std::string> needed_libraries(const ElfFile& program);

}  // namespace haichi::host
