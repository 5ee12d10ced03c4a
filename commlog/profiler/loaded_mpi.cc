#include "commlog/profiler/loaded_mpi.h"

#include <dlfcn.h>
#include <link.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace haichi::profiler {

namespace {

using Dlsym = void* (*)(void*, const char*) noexcept;

/// Returns the system's dlsym, because this library defines one itself (below).
Dlsym system_dlsym() {
    static std::atomic<Dlsym> known{nullptr};
    Dlsym found = known.load(std::memory_order_acquire);
    if (found != nullptr) return found;
    // The symbol's version since glibc 2.34, and its older versions by architecture.
    for (const char* version : {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17", "GLIBC_2.27", "GLIBC_2.0"}) {
        found = reinterpret_cast<Dlsym>(dlvsym(RTLD_NEXT, "dlsym", version));
        if (found != nullptr) break;
    }
    if (found == nullptr) {
        std::fputs("haichi-prof: cannot find dlsym on this system\n", stderr);
        std::abort();
    }
    known.store(found, std::memory_order_release);
    return found;
}

/// Loaded libraries whose names begin with "libmpi", for example libmpi.so.40, libmpich.so.12, libmpi_cray.so.12 and
/// libmpi_mpifh.so.
struct MpiLibraries {
    static constexpr int kMost = 24;
    char paths[kMost][512];
    int count = 0;
};

int add_library(dl_phdr_info* info, std::size_t, void* given) {
    auto& libraries = *static_cast<MpiLibraries*>(given);
    const char* const path = info->dlpi_name;
    if (path == nullptr || libraries.count == MpiLibraries::kMost) return 0;
    const char* const slash = std::strrchr(path, '/');
    constexpr char kStart[] = "libmpi";
    if (std::strncmp(slash == nullptr ? path : slash + 1, kStart, sizeof(kStart) - 1) != 0) return 0;
    auto& to = libraries.paths[libraries.count];
    if (std::strlen(path) >= sizeof(to)) return 0;
    std::strcpy(to, path);
    ++libraries.count;
    return 0;
}

/// `flags` are used in addition to those that open a library that is already loaded.
void* find(const char* name, int flags) {
    const Dlsym next = system_dlsym();
    void* symbol = next(RTLD_DEFAULT, name);
    if (symbol != nullptr) return symbol;
    MpiLibraries libraries;
    // Holds a lock of the dynamic linker, so add_library() must not open libraries.
    dl_iterate_phdr(add_library, &libraries);
    for (int i = 0; i < libraries.count && symbol == nullptr; ++i) {
        void* const open = dlopen(libraries.paths[i], RTLD_LAZY | RTLD_NOLOAD | flags);
        if (open == nullptr) continue;
        symbol = next(open, name);
        dlclose(open);
    }
    return symbol;
}

const void* base_of(const void* address) {
    Dl_info info;
    return address != nullptr && dladdr(address, &info) != 0 ? info.dli_fbase : nullptr;
}

/// Returns this library's wrapper with that name, or null.
void* own_wrapper(const char* name) {
    static const char here = 0;
    Dl_info info;
    if (dladdr(&here, &info) == 0) return nullptr;
    void* const own = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (own == nullptr) return nullptr;
    void* const found = system_dlsym()(own, name);
    dlclose(own);
    return base_of(found) == info.dli_fbase ? found : nullptr;
}

/// For the wrapper of "MPI_Send", returns "PMPI_Send" of the loaded MPI, or null.
void* real_of(const char* name) {
    char second[128];
    const int length = std::snprintf(second, sizeof(second), "P%s", name);
    return length < static_cast<int>(sizeof(second)) ? find(second, 0) : nullptr;
}

/// Returns the handle of a library without MPI functions. With it, dlsym fails, and dlerror states the reason, as
/// without the profiler.
void* without_mpi() {
    static std::atomic<void*> known{nullptr};
    void* libc = known.load(std::memory_order_acquire);
    if (libc == nullptr) known.store(libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD), std::memory_order_release);
    return libc;
}

void* itself(void* found, const char*) noexcept { return found; }

/// The function and the handle that handle a request. Both fit in registers, so dlsym has nothing on its stack when it
/// jumps to the function.
struct Route {
    Dlsym ask;
    void* handle;
};

Route route_of_wrapped(void* handle, const char* name, void* own) {
    const Dlsym system = system_dlsym();
    const void* const real = real_of(name);
    // In the global scope, the wrapper comes before every MPI.
    void* const found = handle == RTLD_DEFAULT ? own : system(handle, name);
    if (found == own) return {system, real != nullptr ? handle : without_mpi()};
    // The symbol belongs to a different MPI or to another tool, so the program gets the unchanged symbol.
    if (found == nullptr || real == nullptr || base_of(found) != base_of(real)) return {system, handle};
    // The last lookup must succeed, because dlerror() describes the last one.
    system(handle, name);
    return {itself, own};
}

[[gnu::noinline]] Route route(void* handle, const char* name) {
    if (handle == RTLD_NEXT || std::strncmp(name, "MPI_", 4) != 0) return {system_dlsym(), handle};
    void* const own = own_wrapper(name);
    return own == nullptr ? Route{system_dlsym(), handle} : route_of_wrapped(handle, name, own);
}

}  // namespace

void* find_symbol(const char* name) { return find(name, 0); }

void* find_lasting_symbol(const char* name) { return find(name, RTLD_NODELETE); }

bool speaks_for_job() {
    for (const char* variable : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "PALS_RANKID", "ALPS_APP_PE",
                                 "MV2_COMM_WORLD_RANK", "PLE_RANK", "FLUX_TASK_RANK", "SLURM_PROCID"}) {
        if (const char* const rank = std::getenv(variable); rank != nullptr) return std::strcmp(rank, "0") == 0;
    }
    return true;
}

}  // namespace haichi::profiler

/// Programs that open their MPI at run time (as Python and Julia do) request its functions by a handle, which bypasses
/// LD_PRELOAD. This function gives the wrappers to such programs. However, a program that checks for an MPI must not
/// find one merely because the wrappers exist. All other requests are forwarded by a jump, because RTLD_NEXT depends on
/// the caller.
extern "C" __attribute__((visibility("default"))) void* dlsym(void* __restrict handle,
                                                              const char* __restrict name) noexcept {
    const haichi::profiler::Route route = haichi::profiler::route(handle, name);
    return route.ask(route.handle, name);
}
