#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace haichi::abi::mpich {

/// Who makes MPI calls. Those of Fortran come through the MPI's own Fortran library, so their return addresses lie in
/// that; messages are to name the line of the program behind it.
class ProgramCallers {
  public:
    struct Setup {
        std::vector<std::span<const std::byte>> library;  ///< code of the MPI's libraries for other languages
        std::vector<std::span<const std::byte>> program;  ///< code of the program and its libraries, as it was loaded
        std::span<const std::byte> copies;                ///< where the ranks' copies of all that lie; may be empty
        /// Where a rank's code lies in the program as it was loaded.
        std::function<const void*(const void* address)> original;
    };
    explicit ProgramCallers(Setup setup);

    /// Whether there is such a library.
    [[nodiscard]] bool has_library() const { return !known_.empty(); }
    [[nodiscard]] bool is_in_library(const void* site) const;
    /// Where the program made the call whose return address is `site`; that itself where it is not in the library, or
    /// nothing is found. `frame`: that of the function that was called; `stack`: of the rank.
    [[nodiscard]] const void* caller(const void* site, const void* frame, std::span<const std::byte> stack);

  private:
    /// A site that was asked for, and how far from its frame the address is on the stack that was found: the frames of
    /// a library's function are equally long, and unwinding takes microseconds.
    struct Known {
        const void* site = nullptr;
        std::size_t words = 0;  ///< 0: it is not in the library
    };
    [[nodiscard]] Known& known(const void* site);
    [[nodiscard]] bool is_in_program(const void* address) const;
    [[nodiscard]] bool may_be_in_program(const void* address) const;

    Setup setup_;
    std::span<const std::byte> program_;  ///< from its first code to its last
    std::vector<Known> known_;            ///< by a hash of the site; the last one that came
};

/// Of the run; null: there is none. The code of one rank runs at a time.
extern ProgramCallers* program_callers;

/// Where the program is, of a call with this return address and frame.
const void* program_caller(const void* site, const void* frame);

}  // namespace haichi::abi::mpich
