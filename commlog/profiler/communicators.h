#pragma once

#include <atomic>

#include "commlog/log/profile_memory.h"
#include "commlog/profiler/mpi_traits.h"

namespace haichi::profiler {

/// A communicator with the world ranks of those that messages go to and come from. Never freed: one that is made again
/// and again (the same parent, the same way, the same members) is one entry.
struct Communicator {
    const std::int32_t* world_ranks;     ///< of the remote group for an intercommunicator
    std::int32_t peers;                  ///< how many
    std::int32_t size, rank;             ///< of the own group
    std::int32_t remote_size;            ///< 0 but for intercommunicators
    std::uint32_t index;                 ///< in the part's table, or kUnknownCommunicator
    std::uint32_t position;              ///< in the profiler's own table
    std::int32_t sources, destinations;  ///< of neighbourhood collectives; -1: not asked yet
    std::uint64_t kind;                  ///< hash of parent, way of creation and members
    std::uint64_t identity;
    bool live;

    [[nodiscard]] bool is_intercommunicator() const { return remote_size != 0; }

    /// kNobody for MPI_PROC_NULL and the like, kOutside for processes that are not in MPI_COMM_WORLD.
    [[nodiscard]] std::int32_t world_rank(int peer) const {
        return static_cast<std::uint32_t>(peer) < static_cast<std::uint32_t>(peers) ? world_ranks[peer] : kNobody;
    }
};

/// Changes whenever a handle may get another meaning: what threads remember of handles is then forgotten.
extern std::atomic<std::uint32_t> handle_epoch;

inline void forget_handles() { handle_epoch.fetch_add(1, std::memory_order_relaxed); }

/// Enters MPI_COMM_WORLD and MPI_COMM_SELF. False without memory.
bool start_communicators(ProfileMemory* memory, int rank, int ranks);

/// Not for MPI_COMM_NULL. One that was made in a way that is not known is entered now.
Communicator& communicator(MPI_Comm handle);

/// By Communicator::position.
const Communicator& communicator_at(std::uint32_t position);

/// Enters a new communicator; `way` is the number of the function that has made it, `parent` the identity of what it
/// was made of. Of MPI_COMM_NULL nothing.
void enter_communicator(std::uint64_t parent, MPI_Comm made, std::uint32_t way);

void release_communicator(MPI_Comm handle);

/// Asks once for the number of neighbours.
void find_neighbors(MPI_Comm handle, Communicator& of);

}  // namespace haichi::profiler
