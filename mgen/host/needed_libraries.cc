#include "mgen/host/needed_libraries.h"

#include <sstream>
#include <string_view>

#include "base/command_output.h"

namespace haichi::host {

std::vector<std::string> needed_libraries(const ElfFile& program) {
    const std::size_t file = program.interpreter.rfind('/') + 1;
    if (!std::string_view(program.interpreter).substr(file).starts_with("ld")) return program.needed;
    // Lines look like "libm.so.6 => /lib/libm.so.6 (0x00007f...)".
    std::istringstream lines(command_output({program.interpreter, "--list", program.path}));
    std::vector<std::string> names;
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        if (std::string name; words >> name) names.push_back(name);
    }
    return names;
}

}  // namespace haichi::host
