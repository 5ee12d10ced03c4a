#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace haichi::abi::mpich {

/// Finds the call sites of MPI calls. Calls from Fortran pass through MPI's own Fortran library, so their return
/// addresses are in this library. Messages must name the line of the program instead.
class ProgramCallers {
  public:
    struct Setup {
        std::vector<std::span<const std::byte>> library;  ///< code of MPI's libraries for other languages
        std::vector<std::span<const std::byte>> program;  ///< code of the program and its libraries, as it was loaded
        std::span<const std::byte> copies;                ///< range of the ranks' copies of this code; may be empty
        /// Converts an address in a rank's copy to the address in the program as it was loaded.
        std::function<const void*(const void* address)> original;
    };
    explicit ProgramCallers(Setup setup);

    /// Whether there is a library for another language.
    [[nodiscard]] bool has_library() const { return !known_.empty(); }
    [[nodiscard]] bool is_in_library(const void* site) const;
    /// The call site in the program of the call with the return address `site`. Returns `site` itself if it is not in
    /// the library, or if nothing is found. `frame` is the frame of the called function, and `stack` is the stack of
    /// the rank.
    [[nodiscard]] const void* caller(const void* site, const void* frame, std::span<const std::byte> stack);

  private:
    /// A known site, and the distance from its frame to the address that was found on the stack. It saves unwinding,
    /// which takes microseconds. The distance is constant, because the frames of a library function always have the
    /// same size.
    struct Known {
        const void* site = nullptr;
        std::size_t words = 0;  ///< 0 if the site is not in the library
    };
    [[nodiscard]] Known& known(const void* site);
    [[nodiscard]] bool is_in_program(const void* address) const;
    [[nodiscard]] bool may_be_in_program(const void* address) const;

    Setup setup_;
    std::span<const std::byte> program_;  ///< from its first code to its last
    std::vector<Known> known_;            ///< by a hash of the site; keeps the most recent site
};

/// The object of the run, or null. Only one rank runs at a time.
extern ProgramCallers* program_callers;

/// The call site in the program of a call with this return address and frame.
const void* program_caller(const void* site, const void* frame);

}  // namespace haichi::abi::mpich
