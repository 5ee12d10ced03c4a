#include "commlog/profiler/real_functions.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <type_traits>

namespace haichi::profiler {

RealFunctions real;
Handles handles;

namespace {

[[noreturn]] void no_such_function() {
    std::fprintf(stderr, "haichi-prof: the program calls an MPI function that its MPI does not have\n");
    _exit(127);
}

}  // namespace

void* find_symbol(const char* name) {
    if (void* const symbol = dlsym(RTLD_DEFAULT, name); symbol != nullptr) return symbol;
    // A program that opens its MPI itself (Python does) may keep the names to itself.
    for (const char* library : kMpiLibraries) {
        if (void* const open = dlopen(library, RTLD_LAZY | RTLD_NOLOAD); open != nullptr) {
            void* const symbol = dlsym(open, name);
            dlclose(open);
            if (symbol != nullptr) return symbol;
        }
    }
    return nullptr;
}

void* find_real(const char* pmpi_name) {
    void* const symbol = find_symbol(pmpi_name);
    if (symbol == nullptr) {
        std::fprintf(stderr, "haichi-prof: no %s in this process: is its MPI loaded?\n", pmpi_name);
        _exit(127);
    }
    return symbol;
}

void find_all_real() {
    real.visit([](auto& entry, const char* pmpi_name) {
        if (entry == nullptr)
            entry = reinterpret_cast<std::remove_reference_t<decltype(entry)>>(find_symbol(pmpi_name));
        if (entry == nullptr) {
            entry =
                reinterpret_cast<std::remove_reference_t<decltype(entry)>>(reinterpret_cast<void*>(no_such_function));
        }
    });
}

bool find_handles() {
    const bool is_open_mpi = find_symbol("ompi_mpi_comm_world") != nullptr;
    if (is_open_mpi != kOpenMpi) return false;
#if defined(OPEN_MPI)
    handles.world = static_cast<MPI_Comm>(find_symbol("ompi_mpi_comm_world"));
    handles.self = static_cast<MPI_Comm>(find_symbol("ompi_mpi_comm_self"));
    handles.no_communicator = static_cast<MPI_Comm>(find_symbol("ompi_mpi_comm_null"));
    handles.no_request = static_cast<MPI_Request>(find_symbol("ompi_request_null"));
    handles.byte = static_cast<MPI_Datatype>(find_symbol("ompi_mpi_byte"));
    return handles.self != nullptr && handles.no_communicator != nullptr && handles.no_request != nullptr &&
           handles.byte != nullptr;
#else
    handles = {MPI_COMM_WORLD, MPI_COMM_SELF, MPI_COMM_NULL, MPI_REQUEST_NULL, MPI_BYTE};
    return true;
#endif
}

}  // namespace haichi::profiler
