#pragma once

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace haichi::profiler {

/// What differs between the two MPIs, as far as the profiler looks into it: fields of a status, which are faster to
/// read than by a call, and predefined handles. Open MPI's are addresses of its variables: they are looked up while the
/// program runs (find_handles), so that the profiler needs no MPI to be loaded.
struct Handles {
    MPI_Comm world, self, no_communicator;
    MPI_Request no_request;
    MPI_Datatype byte;
};

extern Handles handles;

/// Fills `handles`; false if this is another MPI than the profiler was built for.
bool find_handles();

#if defined(OPEN_MPI)
inline constexpr bool kOpenMpi = true;
inline constexpr const char* kMpiName = "Open MPI";

struct StatusView {
    int source, tag, cancelled, error;
    std::uint64_t bytes;
};

/// `status` may be a Fortran status: the same fields in the same order, aligned as integers.
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
#error "the profiler knows Open MPI and MPICH"
#endif

/// A handle as a number: MPICH's are integers (but files), Open MPI's addresses.
template <class Handle>
inline std::uint64_t number_of(Handle handle) {
    if constexpr (std::is_pointer_v<Handle>) {
        return static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(handle));
    } else {
        return static_cast<std::uint32_t>(handle);
    }
}

}  // namespace haichi::profiler
