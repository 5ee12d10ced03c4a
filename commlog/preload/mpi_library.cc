#include "commlog/preload/mpi_library.h"

#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>

namespace haichi::preload {

namespace {

#if defined(OPEN_MPI)
constexpr std::array<const char*, 2> kLibraries = {"libmpi.so.40", "libmpi.so"};
#else
constexpr std::array<const char*, 2> kLibraries = {"libmpich.so.12", "libmpi.so.12"};
#endif

}  // namespace

void* find_symbol(const char* name) {
    if (void* const symbol = dlsym(RTLD_DEFAULT, name); symbol != nullptr) return symbol;
    // A program that opens its MPI itself (as Python does) may keep the MPI's symbols private.
    for (const char* library : kLibraries) {
        if (void* const open = dlopen(library, RTLD_LAZY | RTLD_NOLOAD); open != nullptr) {
            void* const symbol = dlsym(open, name);
            dlclose(open);
            if (symbol != nullptr) return symbol;
        }
    }
    return nullptr;
}

void* find_next_or_null(const char* name) {
    if (void* const symbol = dlsym(RTLD_NEXT, name); symbol != nullptr) return symbol;
    const char first = name[0] == 'M' ? 'P' : 'p';
    return find_symbol((first + std::string(name)).c_str());
}

void* find_next(const char* name) {
    if (void* const symbol = find_next_or_null(name); symbol != nullptr) return symbol;
    std::fprintf(stderr, "%s: cannot find %s in this process; check that its MPI is loaded\n", library_name, name);
    _exit(127);
}

bool find_handles(Handles& handles) {
    const bool is_open_mpi = find_symbol("ompi_mpi_comm_world") != nullptr;
#if defined(OPEN_MPI)
    if (!is_open_mpi) return false;
    handles = {static_cast<MPI_Comm>(find_symbol("ompi_mpi_comm_world")),
               static_cast<MPI_Datatype>(find_symbol("ompi_mpi_int")),
               static_cast<MPI_Datatype>(find_symbol("ompi_mpi_byte")),
               static_cast<MPI_Op>(find_symbol("ompi_mpi_op_max"))};
#else
    if (is_open_mpi) return false;
    handles = {MPI_COMM_WORLD, MPI_INT, MPI_BYTE, MPI_MAX};
#endif
    return true;
}

std::string setting(const char* name) {
    const char* const value = std::getenv(name);
    return value == nullptr ? "" : value;
}

void say(const std::string& text) { std::fprintf(stderr, "%s: %s\n", library_name, text.c_str()); }

std::string first_setting(std::initializer_list<const char*> names) {
    for (const char* name : names) {
        if (std::string value = setting(name); !value.empty()) return value;
    }
    return "";
}

std::string launched_rank() {
    return first_setting({"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK", "SLURM_PROCID"});
}

bool is_in_front(const char* function) {
    void* const first = dlsym(RTLD_DEFAULT, function);
    Dl_info there{};
    Dl_info here{};
    if (first == nullptr || dladdr(first, &there) == 0 || dladdr(&library_name, &here) == 0) return true;
    return there.dli_fbase == here.dli_fbase;
}

}  // namespace haichi::preload
