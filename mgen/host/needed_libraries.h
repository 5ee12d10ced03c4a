#pragma once

#include <string>
#include <vector>

#include "mgen/host/elf_file.h"

namespace haichi::host {

/// The names of all libraries that the dynamic linker loads for the program, directly or indirectly. The dynamic linker
/// itself lists them (`ld.so --list`), and no code of the program runs. With an unknown interpreter, the result has
/// only the libraries that the program itself names. The result is empty on failure.
std::vector<std::string> needed_libraries(const ElfFile& program);

}  // namespace haichi::host
