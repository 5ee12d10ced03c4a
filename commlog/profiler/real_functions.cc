#include "commlog/profiler/real_functions.h"

#include <unistd.h>

#include <cstdio>
#include <type_traits>

namespace haichi::profiler {

RealFunctions real;
Handles handles;

namespace {

[[noreturn]] void no_such_function() {
    if (speaks_for_job()) {
        std::fprintf(stderr, "haichi-prof: the program calls an MPI function that its MPI does not have\n");
    }
    _exit(127);
}

}  // namespace

void* find_real(const char* pmpi_name) {
    void* const symbol = find_lasting_symbol(pmpi_name);
    if (symbol == nullptr) {
        if (speaks_for_job()) {
            std::fprintf(stderr, "haichi-prof: cannot find %s in this process; check that its MPI is loaded\n",
                         pmpi_name);
        }
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
