#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace haichi::host {

/// What the file of a program or library says of itself to the dynamic linker. A value. Nothing in the file is trusted:
/// what lies outside of it is an error.
struct ElfFile {
    std::string path;
    bool is_position_independent = false;
    std::string interpreter{};             ///< empty: linked statically, or a library
    std::string soname{};                  ///< empty: it has none
    std::vector<std::string> needed{};     ///< libraries, as it names them
    std::vector<std::string> undefined{};  ///< symbols that others must define, sorted
    std::vector<std::string> defined{};    ///< symbols that others can use, sorted

    /// Throws InputError for what is no file, no ELF file or a damaged one, UnsupportedError for scripts and for files
    /// of another processor.
    static ElfFile read(const std::string& path);
    /// The same of what a file holds; `path` is for messages.
    static ElfFile of(std::span<const std::byte> bytes, const std::string& path);
};

/// Throws UnsupportedError for what cannot be run live: a static program, one of another MPI, one without MPI.
/// `libraries`: what it needs, and what these do (needed_libraries()).
void check_mpich_program(const ElfFile& program, const std::vector<std::string>& libraries);
/// Whether one of these libraries is MPICH's, or has its binary interface.
bool needs_mpich(const std::vector<std::string>& libraries);

/// The MPI functions that the program calls and the library does not define, as C names them, sorted; calls from
/// Fortran count as those of the C functions that they lead to.
std::vector<std::string> missing_mpi_functions(const ElfFile& program, const ElfFile& library);

}  // namespace haichi::host
