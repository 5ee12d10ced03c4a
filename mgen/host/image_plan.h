#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "mgen/host/program_image.h"

namespace haichi::host {

/// The modules that `--globals image` copies for each rank, or the reason why it cannot be used. These modules are the
/// program, the private libraries, and the libraries that use definitions from them.
struct ImagePlan {
    /// A variable of a library that the linker has moved into the program (a COPY relocation).
    struct MovedObject {
        std::uintptr_t place;  ///< address in the program
        std::size_t bytes;
        std::uintptr_t in_library;
        std::size_t library;  ///< index in ProgramImage::modules()
        bool is_shared;       ///< all ranks share the library
    };
    std::vector<std::size_t> modules;  ///< indices in ProgramImage::modules(), the program first
    std::vector<MovedObject> moved;
    std::string obstacle;  ///< why image mode is impossible, as words after "the program"; empty if it is possible
    std::string hint;

    static ImagePlan of(const ProgramImage& image);
    [[nodiscard]] bool has_copy(std::size_t module) const {
        return std::ranges::find(modules, module) != modules.end();
    }
    /// Bytes of private variables outside of the copies, which are copied at every switch.
    [[nodiscard]] std::size_t bytes_beside(const ProgramImage& image) const;
};

}  // namespace haichi::host
