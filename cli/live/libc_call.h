#pragma once

// Defines a function of the C library by its name, in another name, so that what its header declares does not matter.

#include <dlfcn.h>

#include "cli/live/live_program.h"
#include "mgen/host/live_rank.h"

#define HAICHI_LIBC_CALL(result, name, parameters)                                                 \
    extern "C" [[gnu::visibility("default"), gnu::used]] result live_##name parameters asm(#name); \
    result live_##name parameters

namespace haichi::cli {

/// The C library's own.
template <class Function>
Function* real(const char* name) {
    return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

/// The rank whose code calls; null: it is not the program, but haichi.
inline host::LiveRank* calling_rank() { return host::LiveRank::current(); }

inline host::LibcState& state_of(const host::LiveRank& rank) { return LiveProgram::running()->libc_of(rank); }

}  // namespace haichi::cli
