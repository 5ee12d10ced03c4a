#pragma once

#include <atomic>

#include "commlog/log/profile_memory.h"
#include "commlog/profiler/mpi_traits.h"

namespace haichi::profiler {

/// A communicator with the ranks in MPI_COMM_WORLD of its possible peers. It is never freed: a communicator that is
/// made repeatedly (the same parent, function and members) has one entry.
struct Communicator {
    const std::int32_t* world_ranks;     ///< ranks in MPI_COMM_WORLD; for an intercommunicator those of the remote
                                         ///< group
    std::int32_t peers;                  ///< number of `world_ranks`
    std::int32_t size, rank;             ///< size of the local group, and the rank in it
    std::int32_t remote_size;            ///< 0 except for intercommunicators
    std::uint32_t index;                 ///< index in the part's table, or kUnknownCommunicator
    std::uint32_t position;              ///< index in the profiler's own table
    std::int32_t sources, destinations;  ///< numbers of neighbours, or -1 if not yet requested
    std::uint64_t kind;                  ///< hash of parent, way of creation and members
    std::uint64_t identity;
    bool live;

    [[nodiscard]] bool is_intercommunicator() const { return remote_size != 0; }

    /// Returns kNobody for MPI_PROC_NULL and the like, and kOutside for processes that are not in MPI_COMM_WORLD.
    [[nodiscard]] std::int32_t world_rank(int peer) const {
        return static_cast<std::uint32_t>(peer) < static_cast<std::uint32_t>(peers) ? world_ranks[peer] : kNobody;
    }
};

/// Changes whenever a handle may get another meaning. Threads then forget what they have stored about handles.
extern std::atomic<std::uint32_t> handle_epoch;

inline void forget_handles() { handle_epoch.fetch_add(1, std::memory_order_relaxed); }

/// Enters MPI_COMM_WORLD and MPI_COMM_SELF. Returns false without memory.
bool start_communicators(ProfileMemory* memory, int rank, int ranks);

/// `handle` must not be MPI_COMM_NULL. A communicator that an unknown function made is entered now.
Communicator& communicator(MPI_Comm handle);

/// Returns the entry at Communicator::position.
const Communicator& communicator_at(std::uint32_t position);

/// Enters a new communicator, or does nothing for MPI_COMM_NULL. `way` is the number of the function that made it, and
/// `parent` is the identity of its parent.
void enter_communicator(std::uint64_t parent, MPI_Comm made, std::uint32_t way);

void release_communicator(MPI_Comm handle);

/// Requests the number of neighbours from MPI, once.
void find_neighbors(MPI_Comm handle, Communicator& of);

}  // namespace haichi::profiler
