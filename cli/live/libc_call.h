#pragma once

// Defines functions with the names of C library functions. They have other names in C++, so that they do not conflict
// with the declarations in headers.

#include <dlfcn.h>

#include "cli/live/live_program.h"
#include "mgen/host/live_rank.h"

#define HAICHI_LIBC_CALL(result, name, parameters)                                                 \
    extern "C" [[gnu::visibility("default"), gnu::used]] result live_##name parameters asm(#name); \
    result live_##name parameters

namespace haichi::cli {

/// The function of the C library itself.
template <class Function>
Function* real(const char* name) {
    return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

/// The rank whose code makes the call, or null if code of haichi makes it.
inline host::LiveRank* calling_rank() { return host::LiveRank::current(); }

inline host::LibcState& state_of(const host::LiveRank& rank) { return LiveProgram::running()->libc_of(rank); }

}  // namespace haichi::cli
