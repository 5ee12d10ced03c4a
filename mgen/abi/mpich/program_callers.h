#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace haichi::abi::mpich {

/// Finds the call sites of MPI calls. Calls from Fortran pass through MPI's own Fortran library, so their return
/// addresses are within this library. Error messages must name the program's line instead.
class ProgramCallers {
  public:
    struct Setup {
        std::vector<std::span<const std::byte>> library;  ///< code of MPI's libraries for other languages
        std::vector<std::span<const std::byte>> program;  ///< code of the program and its libraries, as it was loaded
        /// Address range of the ranks' copies of this code; may be empty.
        std::span<const std::byte> copies;
        /// Converts an address in a rank's copy of the program to the address in the program as it was loaded.
        std::function<const void*(const void* address)> original;
    };
    explicit ProgramCallers(Setup setup);

    /// True if there is a library for another language.
    [[nodiscard]] bool has_library() const { return !known_.empty(); }
    [[nodiscard]] bool is_in_library(const void* site) const;
    /// Finds the program's call site for an MPI call with return address `site`. Returns `site` itself if it is not in
    /// the library, or if the search finds no call site. `frame` is the called function's frame, and `stack` is the
    /// rank's stack.
    [[nodiscard]] const void* caller(const void* site, const void* frame, std::span<const std::byte> stack);

  private:
    /// A known return address, and the distance on the stack from its frame to the program's return address. A known
    /// distance saves unwinding, which takes microseconds. The distance is constant, because the frames of a library
    /// function always have the same size.
    struct Known {
        const void* site = nullptr;
        std::size_t words = 0;  ///< 0 if the site is not in the library
    };
    [[nodiscard]] Known& known(const void* site);
    [[nodiscard]] bool is_in_program(const void* address) const;
    [[nodiscard]] bool may_be_in_program(const void* address) const;

    Setup setup_;
    std::span<const std::byte> program_;  ///< from the first code of the program to the last
    std::vector<Known> known_;            ///< by hash of the site; each entry holds the most recent site
};

/// The object of the current run, or null. A single object is enough, because only one rank runs at a time.
extern ProgramCallers* program_callers;

/// Calls program_callers->caller() if there is such an object, with the stack of the running rank.
const void* program_caller(const void* site, const void* frame);

}  // namespace haichi::abi::mpich
