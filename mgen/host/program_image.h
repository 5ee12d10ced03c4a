#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "mgen/host/loaded_module.h"

namespace haichi::host {

/// A memory range that is private to each rank, and its initial contents.
struct PrivateRange {
    std::span<std::byte> bytes;
    std::vector<std::byte> initial;
    bool is_of_thread = false;  ///< thread-local: `bytes` are those of the thread that created this object
};

/// A module (the program or a library) of this process.
struct ProgramModule {
    using Initialiser = LoadedModule::Initialiser;
    using Finaliser = LoadedModule::Finaliser;

    std::string path;
    std::uintptr_t base = 0;  ///< added to the addresses in the module's file
    std::uintptr_t begin = 0, end = 0;
    bool is_program = false;    ///< otherwise a library
    bool is_private = false;    ///< each rank has its own variables
    bool is_of_haichi = false;  ///< haichi or a library that haichi needs: always shared
    bool is_of_mpi = false;     ///< a library of MPI itself, such as its Fortran library
    /// Empty if the module is shared; without pages that are read-only after start.
    std::vector<PrivateRange> variables{};
    std::vector<Initialiser> initialisers{};  ///< called before main(), in this order
    std::vector<Finaliser> finalisers{};      ///< called after main()

    [[nodiscard]] bool has(const void* address) const {
        const auto at = reinterpret_cast<std::uintptr_t>(address);
        return begin <= at && at < end;
    }
};

/// The modules of this process that belong to the live program, and the variables that belong to its ranks. Must be
/// created before the program's initialisers run.
///
/// Private modules are the program, the libraries that it needs, directly or through other libraries, and preloaded
/// libraries. Fortran's runtime library is private, too, because its units are variables. All ranks share the C and C++
/// libraries and the libraries that haichi itself needs. They also share MPI's own Fortran library, whose variables are
/// the same in all ranks. Libraries that only MPI needs do not run, because haichi replaces MPI.
///
/// Libraries have already been initialised when this object is created. Their initial contents are rebuilt from their
/// files, so that each rank can run the initialisers for itself.
class ProgramImage {
  public:
    /// `own` is an address within haichi. Throws InputError if a file can no longer be read.
    static ProgramImage of_process(const void* own);

    [[nodiscard]] const std::vector<ProgramModule>& modules() const { return modules_; }
    /// The private modules in the order in which initialisers run: each library before the modules that need it.
    [[nodiscard]] std::vector<const ProgramModule*> private_modules() const;
    [[nodiscard]] std::size_t private_bytes() const;
    /// Returns null if the address is in none of the modules.
    [[nodiscard]] const ProgramModule* module_of(const void* address) const;

    /// The modules of modules(), as the loader describes them.
    [[nodiscard]] const std::deque<LoadedModule>& loaded() const { return loaded_; }
    /// The files of libraries that would be private, but were loaded after this object was created (dlopen). The ranks
    /// share the variables of these libraries.
    [[nodiscard]] std::vector<std::string> loaded_since() const;
    /// Makes one more module private, given by its index in modules().
    void make_private(std::size_t module);

  private:
    void begin_moved_variables(const LoadedModule& library);

    std::deque<LoadedModule> loaded_;
    std::vector<ProgramModule> modules_;  ///< in the order of symbol lookup; the program is the first
};

}  // namespace haichi::host
