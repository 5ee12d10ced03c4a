#pragma once

// What surrounds every MPI call of a program.

#include <mpi.h>

#include <string>
#include <type_traits>

#include "mgen/abi/mpich/mpich_rank.h"
#include "mgen/abi/mpich/program_callers.h"

#define CALLER program_caller(__builtin_return_address(0), __builtin_frame_address(0))
#define EXPORTED extern "C" __attribute__((visibility("default")))
#define EXPORTED_WEAK(NAME) extern "C" __attribute__((visibility("default"), weak, alias(NAME)))

namespace haichi::abi::mpich {

/// Ends the run: the program made a call that was not known to be refused when it started.
[[noreturn]] void refuse(const char* name);
/// What the error handler of an object does about a code; back here where it lets the call return.
void tell_handler(MPI_Errhandler handler, int object, int code, const std::string& message, const std::string& hint);

/// Where a call puts a result.
inline void check_place(const void* place) {
    if (place == nullptr) raise(mpi::ErrorClass::kArgument, "the address for a result is null");
}

/// Makes the call: notes where the rank is, keeps our exceptions out of the program's frames. `code`: of a call that
/// returns an error code, where that of an error goes; else null.
void run_call(const char* name, const void* site, void (*make)(void* body), void* body, int* code);

/// The same, with what `make` returns.
template <class Make>
auto call(const char* name, const void* site, const Make& make) -> decltype(make()) {
    using Result = decltype(make());
    struct Body {
        const Make* make;
        Result result;
    };
    Body body{&make, {}};
    int* code = nullptr;
    if constexpr (std::is_same_v<Result, int>) code = &body.result;
    const auto run = [](void* of) {
        auto& [made, result] = *static_cast<Body*>(of);
        result = (*made)();
    };
    run_call(name, site, run, &body, code);
    return body.result;
}

}  // namespace haichi::abi::mpich
