#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "mgen/host/loaded_module.h"

namespace haichi::host {

/// A part of memory that each rank has for itself, and what it begins with.
struct PrivateRange {
    std::span<std::byte> bytes;
    std::vector<std::byte> initial;
    bool is_of_thread = false;  ///< thread-local: `bytes` are those of the thread that made this
};

/// The program or a library in this process.
struct ProgramModule {
    using Initialiser = LoadedModule::Initialiser;
    using Finaliser = LoadedModule::Finaliser;

    std::string path;
    std::uintptr_t base = 0;  ///< what is added to the addresses in its file
    std::uintptr_t begin = 0, end = 0;
    bool is_program = false;                ///< else a library
    bool is_private = false;                ///< its variables belong to ranks
    bool is_of_haichi = false;              ///< haichi or what it needs: always shared
    bool is_of_mpi = false;                 ///< of the MPI itself: Fortran's
    std::vector<PrivateRange> variables{};  ///< of a private one; none of them in pages that are read-only after start
    std::vector<Initialiser> initialisers{};  ///< that run before main(), in their order
    std::vector<Finaliser> finalisers{};      ///< that run behind it

    [[nodiscard]] bool has(const void* address) const {
        const auto at = reinterpret_cast<std::uintptr_t>(address);
        return begin <= at && at < end;
    }
};

/// What of this process is the program that runs live, and which of its variables are those of a rank. Made before the
/// program's initialisers have run.
///
/// Private are the program, libraries that call MPI themselves, those outside of the system's folders, and Fortran's,
/// whose units are variables like others. What haichi itself needs (the C and C++ libraries) all ranks share, and so
/// they do the MPI's own Fortran library, whose variables are the same in all ranks, and other libraries of the system.
///
/// Libraries have been initialised when this is made: what their ranks begin with is made again from the file, so that
/// each rank can run the initialisers for itself.
class ProgramImage {
  public:
    /// `own` is an address within haichi. Throws InputError for files that cannot be read any more.
    static ProgramImage of_process(const void* own);

    [[nodiscard]] const std::vector<ProgramModule>& modules() const { return modules_; }
    /// What is private, in the order in which initialisers run: libraries before what needs them.
    [[nodiscard]] std::vector<const ProgramModule*> private_modules() const;
    [[nodiscard]] std::size_t private_bytes() const;
    /// Null: no module.
    [[nodiscard]] const ProgramModule* module_of(const void* address) const;

    /// The same modules, as the loader has them.
    [[nodiscard]] const std::deque<LoadedModule>& loaded() const { return loaded_; }
    /// The files of libraries that would be private, but were loaded since this was made (dlopen): ranks share their
    /// variables.
    [[nodiscard]] std::vector<std::string> loaded_since() const;
    /// This one, by its place in modules(), is private, too.
    void make_private(std::size_t module);

  private:
    void begin_moved_variables(const LoadedModule& library);

    std::deque<LoadedModule> loaded_;
    std::vector<ProgramModule> modules_;  ///< as they are searched: the program first
};

}  // namespace haichi::host
