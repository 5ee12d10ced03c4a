#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace haichi::host {

/// Information for the dynamic linker from the file of a program or library. The file is not trusted: references to
/// anything outside of it are errors.
struct ElfFile {
    std::string path;
    bool is_position_independent = false;
    std::string interpreter{};             ///< empty if linked statically, or for a library
    std::string soname{};                  ///< empty if there is none
    std::vector<std::string> needed{};     ///< names of the libraries that it directly needs
    std::vector<std::string> undefined{};  ///< symbols that other modules must define, sorted
    std::vector<std::string> defined{};    ///< symbols that other modules can use, sorted

    /// Throws InputError if the file is missing, damaged or not an ELF file. Throws UnsupportedError for scripts and
    /// for files for another processor.
    static ElfFile read(const std::string& path);
    /// Like read(), but for the contents of a file; `path` is for error messages.
    static ElfFile of(std::span<const std::byte> bytes, const std::string& path);
};

/// The application binary interface (ABI) of an MPI library. Several MPI libraries have MPICH's ABI.
enum class Abi : std::uint8_t { kMpich, kOpenMpi };
/// The ABI of the first library in the list that belongs to an MPI; nothing if none does.
std::optional<Abi> needed_abi(const std::vector<std::string>& libraries);
/// Throws UnsupportedError for programs that cannot run live: static programs, programs for another MPI, and programs
/// without MPI. `libraries` is the result of needed_libraries().
Abi abi_of_program(const ElfFile& program, const std::vector<std::string>& libraries);

/// The MPI functions that the program calls and the library does not define, as sorted C names. A call from Fortran
/// counts as a call of the corresponding C function.
std::vector<std::string> missing_mpi_functions(const ElfFile& program, const ElfFile& library);

}  // namespace haichi::host
