// Functions of the loader that describe the modules in memory. Exceptions and backtraces use them. If a rank runs a
// copy of the program, it gets the addresses in its copy.

#include "cli/live/libc_call.h"

#include <link.h>

// NOLINTBEGIN(readability-identifier-naming,bugprone-reserved-identifier): names of the C library

using namespace haichi;
using namespace haichi::cli;

namespace {

template <class Pointer>
Pointer moved(Pointer pointer, std::ptrdiff_t distance) {
    return reinterpret_cast<Pointer>(reinterpret_cast<std::intptr_t>(pointer) + distance);
}

}  // namespace

#if !defined(DLFO_STRUCT_HAS_EH_DBASE)
// The headers are from a glibc before 2.35, but the program may run with a newer glibc, whose unwinder calls this
// function.
struct dl_find_object {
    unsigned long long dlfo_flags;
    void* dlfo_map_start;
    void* dlfo_map_end;
    link_map* dlfo_link_map;
    void* dlfo_eh_frame;
    unsigned long long dlfo_reserved[7];
};
#endif

/// Exists only in builds for old systems (cmake/portable/libc.c).
extern "C" [[gnu::weak]] int haichi_find_object(void* address, dl_find_object* to);

HAICHI_LIBC_CALL(int, _dl_find_object, (void* address, dl_find_object* to)) {
    static auto* const real_find = real<int(void*, dl_find_object*)>("_dl_find_object");
    if (real_find == nullptr) {  // the caller then uses dl_iterate_phdr, below
        return haichi_find_object == nullptr ? -1 : haichi_find_object(address, to);
    }
    const LiveProgram* const program = LiveProgram::running();
    const void* const original = program == nullptr ? address : program->original(address);
    const int result = real_find(const_cast<void*>(original), to);
    if (original == address || result != 0) return result;
    const std::ptrdiff_t distance = static_cast<char*>(address) - static_cast<const char*>(original);
    to->dlfo_map_start = moved(to->dlfo_map_start, distance);
    to->dlfo_map_end = moved(to->dlfo_map_end, distance);
    to->dlfo_eh_frame = moved(to->dlfo_eh_frame, distance);
    return result;
}

namespace {

using Visit = int (*)(dl_phdr_info*, size_t, void*);

struct Visitor {
    Visit visit;
    void* argument;
    const host::LiveRank* rank;
};

/// Passes a module to the visitor with the addresses of the rank's copy. The beginning of the first segment is used,
/// because the base of a module may lie outside it.
int visit_own(dl_phdr_info* info, size_t size, void* argument) {
    const auto& visitor = *static_cast<const Visitor*>(argument);
    dl_phdr_info of_rank = *info;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        if (info->dlpi_phdr[i].p_type != PT_LOAD) continue;
        const auto* const first = reinterpret_cast<const char*>(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
        const std::ptrdiff_t distance = LiveProgram::running()->own(*visitor.rank, first) - first;
        of_rank.dlpi_addr += static_cast<std::uintptr_t>(distance);
        break;
    }
    return visitor.visit(&of_rank, size, visitor.argument);
}

}  // namespace

HAICHI_LIBC_CALL(int, dl_iterate_phdr, (Visit visit, void* argument)) {
    static auto* const real_iterate = real<int(Visit, void*)>("dl_iterate_phdr");
    const host::LiveRank* const rank = calling_rank();
    if (rank == nullptr || LiveProgram::running() == nullptr) return real_iterate(visit, argument);
    Visitor visitor{.visit = visit, .argument = argument, .rank = rank};
    return real_iterate(visit_own, &visitor);
}

// NOLINTEND(readability-identifier-naming,bugprone-reserved-identifier)
