#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "mgen/host/program_image.h"

namespace haichi::host {

/// What each rank gets a copy of by `--globals image`, or why it cannot get one: the program, the libraries that are
/// private, and those that use what the program or these define.
struct ImagePlan {
    /// A variable of a library that the linker has moved into the program (a COPY relocation).
    struct MovedObject {
        std::uintptr_t place;  ///< in the program
        std::size_t bytes;
        std::uintptr_t in_library;
        std::size_t library;  ///< by its place in ProgramImage::modules()
        bool is_shared;       ///< of a library that all ranks share
    };
    std::vector<std::size_t> modules;  ///< by their places in ProgramImage::modules(), the program first
    std::vector<MovedObject> moved;
    std::string obstacle;  ///< why it is impossible: what a sentence says of the program; empty: it is possible
    std::string hint;

    static ImagePlan of(const ProgramImage& image);
    [[nodiscard]] bool has_copy(std::size_t module) const {
        return std::ranges::find(modules, module) != modules.end();
    }
    /// Of variables that ranks have for themselves and that are not in the copies: they are copied at every switch.
    [[nodiscard]] std::size_t bytes_beside(const ProgramImage& image) const;
};

}  // namespace haichi::host
