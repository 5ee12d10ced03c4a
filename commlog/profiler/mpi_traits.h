#pragma once

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace haichi::profiler {

/// The differences between the two MPIs that concern the profiler. These are predefined handles, and the fields of a
/// status, because reading a field is faster than a call. Open MPI's handles are addresses of its variables.
/// find_handles() looks these up at run time, so that the profiler does not require a loaded MPI.
struct Handles {
    MPI_Comm world, self, no_communicator;
    MPI_Request no_request;
    MPI_Datatype byte;
};

extern Handles handles;

/// Fills `handles`. Returns false if the profiler was built for another MPI.
bool find_handles();

#if defined(OPEN_MPI)
inline constexpr bool kOpenMpi = true;
inline constexpr const char* kMpiName = "Open MPI";

struct StatusView {
    int source, tag, cancelled, error;
    std::uint64_t bytes;
};

/// `status` may be a Fortran status, whose fields are the same and in the same order, but aligned as integers.
inline StatusView view(const void* status) {
    MPI_Status s;
    std::memcpy(&s, status, sizeof(s));
    return {s.MPI_SOURCE, s.MPI_TAG, s._cancelled, s.MPI_ERROR, s._ucount};
}
#elif defined(MPICH_VERSION)
inline constexpr bool kOpenMpi = false;
inline constexpr const char* kMpiName = "MPICH";

struct StatusView {
    int source, tag, cancelled, error;
    std::uint64_t bytes;
};

inline StatusView view(const void* status) {
    MPI_Status s;
    std::memcpy(&s, status, sizeof(s));
    const auto high = static_cast<std::uint64_t>(static_cast<std::uint32_t>(s.count_hi_and_cancelled) >> 1);
    return {s.MPI_SOURCE, s.MPI_TAG, s.count_hi_and_cancelled & 1, s.MPI_ERROR,
            high << 32 | static_cast<std::uint32_t>(s.count_lo)};
}
#else
#error "the profiler supports Open MPI and MPICH"
#endif

/// Converts a handle to a number. MPICH's handles are integers (except files), and Open MPI's are addresses.
template <class Handle>
inline std::uint64_t number_of(Handle handle) {
    if constexpr (std::is_pointer_v<Handle>) {
        return static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(handle));
    } else {
        return static_cast<std::uint32_t>(handle);
    }
}

}  // namespace haichi::profiler
