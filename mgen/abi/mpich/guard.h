#pragma once

// Code that runs around every MPI call of a program.

#include <mpi.h>

#include <string>
#include <type_traits>

#include "mgen/abi/mpich/mpich_rank.h"
#include "mgen/abi/mpich/program_callers.h"

#define CALLER program_caller(__builtin_return_address(0), __builtin_frame_address(0))
#define EXPORTED extern "C" __attribute__((visibility("default")))
#define EXPORTED_WEAK(NAME) extern "C" __attribute__((visibility("default"), weak, alias(NAME)))

namespace haichi::abi::mpich {

/// Ends the run because of an unsupported call that the check before the start did not find.
[[noreturn]] void refuse(const char* name);
/// Passes an error code to the error handler of an object. Returns if the handler lets the MPI call return.
void tell_handler(MPI_Errhandler handler, int object, int code, const std::string& message, const std::string& hint);

/// Throws CallError if the address at which a call stores a result is null.
inline void check_place(const void* place) {
    if (place == nullptr) raise(mpi::ErrorClass::kArgument, "the address for a result is null");
}

/// Runs an MPI call, records its name and call site, and keeps haichi's exceptions out of the program's frames. `code`
/// is the address for the error code, or null if the call returns no error code.
void run_call(const char* name, const void* site, void (*make)(void* body), void* body, int* code);

/// Like run_call(), but returns the result of `make`.
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
