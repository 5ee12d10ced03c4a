#pragma once

#include "commlog/profiler/fortran_handles.h"
#include "commlog/profiler/recording.h"

namespace haichi::profiler {

/// The bytes that the calling process contributes to collective operations and receives from them, computed from the
/// arguments. docs/reference/profiler_numbers.md states the rules. Arguments that MPI reads only at the root are also
/// read only there.

/// An array of data types that holds Fortran handles.
struct FortranType {
    MPI_Fint handle;
};
inline std::uint64_t size_of_element(Thread& t, MPI_Datatype type) { return size_of(t, type); }
inline std::uint64_t size_of_element(Thread& t, FortranType type) { return size_of(t, type_of(type.handle)); }

template <class Count>
std::uint64_t sum(const Count* counts, std::int32_t size) {
    std::uint64_t total = 0;
    for (std::int32_t i = 0; i < size; ++i) total += counts[i] > 0 ? static_cast<std::uint64_t>(counts[i]) : 0;
    return total;
}

template <class Count, class Type>
std::uint64_t sum_of_types(Thread& t, const Count* counts, const Type* types, std::int32_t size) {
    std::uint64_t total = 0;
    for (std::int32_t i = 0; i < size; ++i) {
        if (counts[i] > 0) total += static_cast<std::uint64_t>(counts[i]) * size_of_element(t, types[i]);
    }
    return total;
}

template <class Count>
std::int64_t count_at(const Count* counts, std::int32_t i) {
    return static_cast<std::int64_t>(counts[i]);
}

/// Returns true if this process is the root of the operation.
inline bool is_root(const Communicator& c, int root) {
    return c.is_intercommunicator() ? root == MPI_ROOT : root == c.rank;
}
/// Returns true if the process is in the root's group of an intercommunicator, but is not the root.
inline bool is_outside(int root) { return root == MPI_PROC_NULL; }
/// Returns the number of parts that a rooted operation gathers or scatters.
inline std::int32_t parts(const Communicator& c) { return c.is_intercommunicator() ? c.remote_size : c.size; }

inline std::int32_t item_detail(Thread& t, MPI_Datatype type) {
    const std::uint64_t bytes = size_of(t, type);
    return bytes <= kItemBytes ? static_cast<std::int32_t>(bytes) : 0;
}

inline std::int32_t reduction_detail(MPI_Op operation) {
    std::int32_t detail = 0;
#if defined(MPICH_VERSION)
    // The handle of a built-in operation reveals its kind. These handles are part of MPICH's binary interface, as
    // defined in mpi.h.
    if ((static_cast<std::uint32_t>(operation) & 0xff000000U) == 0x58000000U) return 0;
    detail = kUserDefined;
#endif
    int commutes = 1;
    real.Op_commutative(operation, &commutes);
    return commutes != 0 ? detail : detail | kOrderedReduction;
}

inline CollectiveSizes no_sizes(OtherDetail detail = OtherDetail::kUnknown) {
    return {kNothing, kNothing, static_cast<std::int32_t>(detail)};
}

inline CollectiveSizes broadcast_sizes(Thread& t, const Communicator& c, std::int64_t count, MPI_Datatype type,
                                       int root) {
    if (is_outside(root)) return no_sizes();
    const std::uint64_t bytes = bytes_of(t, count, type);
    return is_root(c, root) ? CollectiveSizes{bytes, kNothing} : CollectiveSizes{kNothing, bytes};
}

inline CollectiveSizes reduce_sizes(Thread& t, const Communicator& c, std::int64_t count, MPI_Datatype type, int root) {
    if (is_outside(root)) return no_sizes();
    const std::uint64_t bytes = bytes_of(t, count, type);
    if (!is_root(c, root)) return {bytes, kNothing};
    return {c.is_intercommunicator() ? kNothing : bytes, bytes};
}

inline CollectiveSizes allreduce_sizes(Thread& t, const Communicator&, std::int64_t count, MPI_Datatype type) {
    const std::uint64_t bytes = bytes_of(t, count, type);
    return {bytes, bytes};
}

inline CollectiveSizes exclusive_scan_sizes(Thread& t, const Communicator& c, std::int64_t count, MPI_Datatype type) {
    const std::uint64_t bytes = bytes_of(t, count, type);
    return {bytes, c.rank == 0 ? kNothing : bytes};
}

inline CollectiveSizes gather_sizes(Thread& t, const Communicator& c, bool in_place, std::int64_t send_count,
                                    MPI_Datatype send_type, std::int64_t receive_count, MPI_Datatype receive_type,
                                    int root) {
    if (is_outside(root)) return no_sizes();
    if (!is_root(c, root)) return {bytes_of(t, send_count, send_type), kNothing};
    const std::uint64_t part = bytes_of(t, receive_count, receive_type);
    const std::uint64_t all = part * static_cast<std::uint64_t>(parts(c));
    if (c.is_intercommunicator()) return {kNothing, all};
    return {in_place ? part : bytes_of(t, send_count, send_type), all};
}

template <class Count>
CollectiveSizes gatherv_sizes(Thread& t, const Communicator& c, bool in_place, std::int64_t send_count,
                              MPI_Datatype send_type, const Count* receive_counts, MPI_Datatype receive_type,
                              int root) {
    if (is_outside(root)) return no_sizes();
    if (!is_root(c, root)) return {bytes_of(t, send_count, send_type), kNothing};
    const std::uint64_t all = sum(receive_counts, parts(c)) * size_of(t, receive_type);
    if (c.is_intercommunicator()) return {kNothing, all};
    return {in_place ? bytes_of(t, count_at(receive_counts, c.rank), receive_type) : bytes_of(t, send_count, send_type),
            all};
}

inline CollectiveSizes scatter_sizes(Thread& t, const Communicator& c, std::int64_t send_count, MPI_Datatype send_type,
                                     bool in_place, std::int64_t receive_count, MPI_Datatype receive_type, int root) {
    const CollectiveSizes turned =
        gather_sizes(t, c, in_place, receive_count, receive_type, send_count, send_type, root);
    return {turned.received, turned.sent};
}

template <class Count>
CollectiveSizes scatterv_sizes(Thread& t, const Communicator& c, const Count* send_counts, MPI_Datatype send_type,
                               bool in_place, std::int64_t receive_count, MPI_Datatype receive_type, int root) {
    const CollectiveSizes turned =
        gatherv_sizes(t, c, in_place, receive_count, receive_type, send_counts, send_type, root);
    return {turned.received, turned.sent};
}

inline CollectiveSizes allgather_sizes(Thread& t, const Communicator& c, bool in_place, std::int64_t send_count,
                                       MPI_Datatype send_type, std::int64_t receive_count, MPI_Datatype receive_type) {
    const std::uint64_t part = bytes_of(t, receive_count, receive_type);
    return {in_place ? part : bytes_of(t, send_count, send_type), part * static_cast<std::uint64_t>(parts(c))};
}

template <class Count>
CollectiveSizes allgatherv_sizes(Thread& t, const Communicator& c, bool in_place, std::int64_t send_count,
                                 MPI_Datatype send_type, const Count* receive_counts, MPI_Datatype receive_type) {
    const std::uint64_t own =
        in_place ? bytes_of(t, count_at(receive_counts, c.rank), receive_type) : bytes_of(t, send_count, send_type);
    return {own, sum(receive_counts, parts(c)) * size_of(t, receive_type)};
}

inline CollectiveSizes alltoall_sizes(Thread& t, const Communicator& c, bool in_place, std::int64_t send_count,
                                      MPI_Datatype send_type, std::int64_t receive_count, MPI_Datatype receive_type) {
    const auto size = static_cast<std::uint64_t>(parts(c));
    const std::uint64_t received = bytes_of(t, receive_count, receive_type) * size;
    return {in_place ? received : bytes_of(t, send_count, send_type) * size, received};
}

template <class Count>
CollectiveSizes alltoallv_sizes(Thread& t, const Communicator& c, bool in_place, const Count* send_counts,
                                MPI_Datatype send_type, const Count* receive_counts, MPI_Datatype receive_type) {
    const std::uint64_t received = sum(receive_counts, parts(c)) * size_of(t, receive_type);
    return {in_place ? received : sum(send_counts, parts(c)) * size_of(t, send_type), received};
}

template <class Count, class Type>
CollectiveSizes alltoallw_sizes(Thread& t, const Communicator& c, bool in_place, const Count* send_counts,
                                const Type* send_types, const Count* receive_counts, const Type* receive_types) {
    const std::uint64_t received = sum_of_types(t, receive_counts, receive_types, parts(c));
    return {in_place ? received : sum_of_types(t, send_counts, send_types, parts(c)), received};
}

inline CollectiveSizes reduce_scatter_block_sizes(Thread& t, const Communicator& c, std::int64_t count,
                                                  MPI_Datatype type) {
    const std::uint64_t part = bytes_of(t, count, type);
    return {part * static_cast<std::uint64_t>(c.size), part};
}

template <class Count>
CollectiveSizes reduce_scatter_sizes(Thread& t, const Communicator& c, const Count* counts, MPI_Datatype type) {
    return {sum(counts, c.size) * size_of(t, type), bytes_of(t, count_at(counts, c.rank), type)};
}

// Neighbourhood collectives: find_neighbors() has set the numbers of sources and destinations in `c`.

inline CollectiveSizes neighbor_allgather_sizes(Thread& t, const Communicator& c, std::int64_t send_count,
                                                MPI_Datatype send_type, std::int64_t receive_count,
                                                MPI_Datatype receive_type) {
    return {bytes_of(t, send_count, send_type),
            bytes_of(t, receive_count, receive_type) * static_cast<std::uint64_t>(c.sources)};
}

template <class Count>
CollectiveSizes neighbor_allgatherv_sizes(Thread& t, const Communicator& c, std::int64_t send_count,
                                          MPI_Datatype send_type, const Count* receive_counts,
                                          MPI_Datatype receive_type) {
    return {bytes_of(t, send_count, send_type), sum(receive_counts, c.sources) * size_of(t, receive_type)};
}

inline CollectiveSizes neighbor_alltoall_sizes(Thread& t, const Communicator& c, std::int64_t send_count,
                                               MPI_Datatype send_type, std::int64_t receive_count,
                                               MPI_Datatype receive_type) {
    return {bytes_of(t, send_count, send_type) * static_cast<std::uint64_t>(c.destinations),
            bytes_of(t, receive_count, receive_type) * static_cast<std::uint64_t>(c.sources)};
}

template <class Count>
CollectiveSizes neighbor_alltoallv_sizes(Thread& t, const Communicator& c, const Count* send_counts,
                                         MPI_Datatype send_type, const Count* receive_counts,
                                         MPI_Datatype receive_type) {
    return {sum(send_counts, c.destinations) * size_of(t, send_type),
            sum(receive_counts, c.sources) * size_of(t, receive_type)};
}

template <class Count, class Type>
CollectiveSizes neighbor_alltoallw_sizes(Thread& t, const Communicator& c, const Count* send_counts,
                                         const Type* send_types, const Count* receive_counts,
                                         const Type* receive_types) {
    return {sum_of_types(t, send_counts, send_types, c.destinations),
            sum_of_types(t, receive_counts, receive_types, c.sources)};
}

}  // namespace haichi::profiler
