#pragma once

#include <atomic>

#include "commlog/log/profile_memory.h"
#include "commlog/profiler/mpi_traits.h"

namespace haichi::profiler {

/// A communicator, with the ranks in MPI_COMM_WORLD of all possible peers. Entries are never freed: a communicator that
/// is created repeatedly (with equal parent, function and members) has one entry.
struct Communicator {
    /// Ranks in MPI_COMM_WORLD of the members; for an intercommunicator, of the remote group.
    const std::int32_t* world_ranks;
    std::int32_t peers;                  ///< number of entries of `world_ranks`
    std::int32_t size, rank;             ///< size of the local group, and this process's rank in it
    std::int32_t remote_size;            ///< 0 except for intercommunicators
    std::uint32_t index;                 ///< index in the part's table, or kUnknownCommunicator
    std::uint32_t position;              ///< index in the profiler's own table
    std::int32_t sources, destinations;  ///< numbers of neighbours; -1 if not requested yet
    std::uint64_t kind;                  ///< hash of parent, creating function and members
    std::uint64_t identity;
    bool live;

    [[nodiscard]] bool is_intercommunicator() const { return remote_size != 0; }

    /// Returns kNobody for MPI_PROC_NULL and other special values, and kOutside for processes that are not in
    /// MPI_COMM_WORLD.
    [[nodiscard]] std::int32_t world_rank(int peer) const {
        return static_cast<std::uint32_t>(peer) < static_cast<std::uint32_t>(peers) ? world_ranks[peer] : kNobody;
    }
};

/// Changes whenever a handle may get a new meaning. Threads then discard the results that they stored for handles.
extern std::atomic<std::uint32_t> handle_epoch;

inline void forget_handles() { handle_epoch.fetch_add(1, std::memory_order_relaxed); }

/// Adds MPI_COMM_WORLD and MPI_COMM_SELF. Returns false if there is no memory.
bool start_communicators(ProfileMemory* memory, int rank, int ranks);

/// `handle` must not be MPI_COMM_NULL. A communicator that an unknown function created is added here.
Communicator& communicator(MPI_Comm handle);

/// Returns the entry at Communicator::position.
const Communicator& communicator_at(std::uint32_t position);

/// Adds a new communicator; does nothing for MPI_COMM_NULL. `way` is the index of the function that created it, and
/// `parent` is the identity of its parent.
void enter_communicator(std::uint64_t parent, MPI_Comm made, std::uint32_t way);

void release_communicator(MPI_Comm handle);

/// Requests the number of neighbours from MPI, unless it is already known.
void find_neighbors(MPI_Comm handle, Communicator& of);

}  // namespace haichi::profiler
