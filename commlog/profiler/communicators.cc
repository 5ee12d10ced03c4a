#include "commlog/profiler/communicators.h"

#include <cstdlib>
#include <mutex>
#include <new>

#include "commlog/log/loop_finder.h"
#include "commlog/profiler/real_functions.h"

namespace haichi::profiler {

std::atomic<std::uint32_t> handle_epoch{1};

namespace {

ProfileMemory* memory = nullptr;
std::mutex making;  // held while communicators are created; never taken where messages are counted
Communicator table[kMostCommunicators];
Communicator unknown{nullptr, 0, 0, 0, 0, kUnknownCommunicator, kMostCommunicators, -1, -1, 0, 0, true};
MPI_Group world_group;

// Handles of live communicators, which are written under the lock and read without it.
constexpr std::uint32_t kHandles = 4 * kMostCommunicators;
constexpr std::uint64_t kRemoved = 1;
struct HandleSlot {
    std::atomic<std::uint64_t> handle;  // 0 if free
    std::atomic<Communicator*> is;
};
HandleSlot handle_table[kHandles];

std::uint32_t first_slot(std::uint64_t handle) {
    return static_cast<std::uint32_t>(handle * 0x9e3779b97f4a7c15ULL >> 32) & (kHandles - 1);
}

Communicator* find(MPI_Comm handle) {
    const std::uint64_t wanted = number_of(handle);
    std::uint32_t at = first_slot(wanted);
    for (std::uint32_t i = 0; i < kHandles; ++i, at = (at + 1) & (kHandles - 1)) {
        const std::uint64_t found = handle_table[at].handle.load(std::memory_order_acquire);
        if (found == wanted) return handle_table[at].is.load(std::memory_order_relaxed);
        if (found == 0) return nullptr;
    }
    return nullptr;
}

void forget(std::uint64_t handle) {
    std::uint32_t at = first_slot(handle);
    for (std::uint32_t i = 0; i < kHandles; ++i, at = (at + 1) & (kHandles - 1)) {
        const std::uint64_t found = handle_table[at].handle.load(std::memory_order_relaxed);
        if (found == 0) return;
        if (found != handle) continue;
        const std::uint32_t next = (at + 1) & (kHandles - 1);
        const bool is_last = handle_table[next].handle.load(std::memory_order_relaxed) == 0;
        handle_table[at].handle.store(is_last ? 0 : kRemoved, std::memory_order_release);
        return;
    }
}

void remember(std::uint64_t handle, Communicator* is) {
    forget(handle);
    std::uint32_t at = first_slot(handle);
    for (std::uint32_t i = 0; i < kHandles; ++i, at = (at + 1) & (kHandles - 1)) {
        if (handle_table[at].handle.load(std::memory_order_relaxed) > kRemoved) continue;
        handle_table[at].is.store(is, std::memory_order_relaxed);
        handle_table[at].handle.store(handle, std::memory_order_release);
        return;
    }
}

/// Returns the members of a group as ranks in MPI_COMM_WORLD, or null if there is no memory.
std::int32_t* world_ranks_of(MPI_Group group, int size) {
    const auto count = static_cast<std::size_t>(size > 0 ? size : 1);
    auto* const world = new (std::nothrow) std::int32_t[count];
    auto* const own = new (std::nothrow) int[count];
    if (world != nullptr && own != nullptr) {
        for (int i = 0; i < size; ++i) own[i] = i;
        if (size > 0 && real.Group_translate_ranks(group, size, own, world_group, world) != MPI_SUCCESS) size = 0;
        for (int i = 0; i < size; ++i) {
            if (world[i] == MPI_UNDEFINED) world[i] = kOutside;
        }
    }
    delete[] own;
    return world;
}

std::uint64_t hash_of(const std::int32_t* ranks, int size) {
    std::uint64_t hash = mixed(static_cast<std::uint64_t>(size) + 1);
    for (int i = 0; i < size; ++i) hash = mixed(hash ^ static_cast<std::uint32_t>(ranks[i]));
    return hash;
}

/// Writes the ranks to the part as segments of equal stride. Returns false if the segments do not fit.
bool write_segments(const std::int32_t* ranks, int size, std::uint32_t& count) {
    ProfileHeader& h = memory->header;
    count = 0;
    for (int i = 0; i < size;) {
        const std::int32_t stride = i + 1 < size && ranks[i] >= 0 && ranks[i + 1] >= 0 ? ranks[i + 1] - ranks[i] : 0;
        int end = i + 1;
        while (end < size && ranks[end] == ranks[end - 1] + stride) ++end;
        if (h.segment_count == kMostSegments) return false;
        memory->segments[h.segment_count++] = {ranks[i], stride, end - i};
        ++count;
        i = end;
    }
    return true;
}

/// Writes a communicator's definition to the part and sets its index.
void define(Communicator& made, const std::int32_t* own_ranks) {
    ProfileHeader& h = memory->header;
    const std::uint32_t before = h.segment_count;
    CommunicatorEntry entry{made.identity, made.size, made.remote_size, before, 0, 0, 0};
    if (h.communicator_count == kMostCommunicators || !write_segments(own_ranks, made.size, entry.segments) ||
        (made.remote_size > 0 && !write_segments(made.world_ranks, made.remote_size, entry.remote_segments))) {
        h.segment_count = before;
        ++h.lost_communicators;
        made.index = kUnknownCommunicator;
        return;
    }
    made.index = h.communicator_count;
    memory->communicators[made.index] = entry;
    std::atomic_ref(h.communicator_count).store(made.index + 1, std::memory_order_release);
}

/// Returns the table entry of an earlier, equal communicator if there is one, otherwise a new entry. The caller must
/// hold the lock.
Communicator* enter(std::uint64_t parent, MPI_Comm handle, std::uint64_t way) {
    int inter = 0;
    int size = 0;
    int rank = 0;
    int remote_size = 0;
    MPI_Group group;
    MPI_Group remote_group;
    if (real.Comm_test_inter(handle, &inter) != MPI_SUCCESS || real.Comm_size(handle, &size) != MPI_SUCCESS ||
        real.Comm_rank(handle, &rank) != MPI_SUCCESS || real.Comm_group(handle, &group) != MPI_SUCCESS) {
        return nullptr;
    }
    std::int32_t* const own = world_ranks_of(group, size);
    real.Group_free(&group);
    std::int32_t* remote = nullptr;
    if (inter != 0 && own != nullptr) {
        if (real.Comm_remote_size(handle, &remote_size) != MPI_SUCCESS ||
            real.Comm_remote_group(handle, &remote_group) != MPI_SUCCESS) {
            delete[] own;
            return nullptr;
        }
        remote = world_ranks_of(remote_group, remote_size);
        real.Group_free(&remote_group);
    }
    if (own == nullptr || (inter != 0 && remote == nullptr)) {
        delete[] own;
        return nullptr;
    }
    std::uint64_t kind = hash_of(own, size);
    if (inter != 0) {
        // Both sides must compute the same hash, so the hashes of the groups are put in order and the parent is
        // omitted.
        const std::uint64_t other = hash_of(remote, remote_size);
        kind = mixed((kind < other ? kind : other) ^ mixed(kind < other ? other : kind));
        parent = 0;
    }
    kind = mixed(kind ^ mixed(parent ^ mixed(way + 1)));
    // Finds the smallest number that no live communicator of this kind has. All members find the same number, because
    // they create and free such communicators together.
    for (std::uint64_t number = 0;; ++number) {
        const std::uint64_t identity = mixed(kind + number) | 1;
        Communicator* found = nullptr;
        Communicator* free = nullptr;
        for (Communicator& c : table) {
            if (c.identity == identity) found = &c;
            if (c.identity == 0) {
                free = &c;
                break;
            }
            if (found != nullptr) break;
        }
        if (found != nullptr && found->live) continue;
        if (found != nullptr) {
            delete[] own;
            delete[] remote;
            found->sources = found->destinations = -1;
            found->live = true;
            return found;
        }
        if (free == nullptr) {
            ++memory->header.lost_communicators;
            delete[] own;
            delete[] remote;
            return nullptr;
        }
        const auto position = static_cast<std::uint32_t>(free - table);
        *free = {inter != 0 ? remote : own,
                 inter != 0 ? remote_size : size,
                 size,
                 rank,
                 remote_size,
                 0,
                 position,
                 -1,
                 -1,
                 kind,
                 identity,
                 true};
        define(*free, own);
        if (inter != 0) delete[] own;
        return free;
    }
}

}  // namespace

bool start_communicators(ProfileMemory* part, int rank, int ranks) {
    memory = part;
    if (real.Comm_group(handles.world, &world_group) != MPI_SUCCESS) return false;
    const std::lock_guard lock(making);
    Communicator* const world = enter(0, handles.world, 0);
    Communicator* const self = enter(0, handles.self, 1);
    if (world == nullptr || self == nullptr || world->size != ranks || world->rank != rank) return false;
    remember(number_of(handles.world), world);
    remember(number_of(handles.self), self);
    return true;
}

const Communicator& communicator_at(std::uint32_t position) {
    return position < kMostCommunicators ? table[position] : unknown;
}

Communicator& communicator(MPI_Comm handle) {
    if (Communicator* const found = find(handle); found != nullptr) return *found;
    const std::lock_guard lock(making);
    Communicator* const entered = enter(0, handle, kFunctions);
    if (entered == nullptr) return unknown;
    remember(number_of(handle), entered);
    return *entered;
}

void enter_communicator(std::uint64_t parent, MPI_Comm made, std::uint32_t way) {
    if (made == handles.no_communicator) return;
    const std::lock_guard lock(making);
    Communicator* const entered = enter(parent, made, way + 2);
    if (entered != nullptr) {
        remember(number_of(made), entered);
    } else {
        forget(number_of(made));
    }
    forget_handles();
}

void release_communicator(MPI_Comm handle) {
    const std::lock_guard lock(making);
    if (Communicator* const found = find(handle); found != nullptr && found != &unknown) found->live = false;
    forget(number_of(handle));
    forget_handles();
}

void find_neighbors(MPI_Comm handle, Communicator& of) {
    if (of.sources >= 0) return;
    int topology = MPI_UNDEFINED;
    int in = 0;
    int out = 0;
    if (real.Topo_test(handle, &topology) != MPI_SUCCESS) topology = MPI_UNDEFINED;
    if (topology == MPI_CART) {
        real.Cartdim_get(handle, &in);
        in *= 2;
        out = in;
    } else if (topology == MPI_GRAPH) {
        real.Graph_neighbors_count(handle, of.rank, &in);
        out = in;
    } else if (topology == MPI_DIST_GRAPH) {
        int weighted = 0;
        real.Dist_graph_neighbors_count(handle, &in, &out, &weighted);
    }
    of.destinations = out;
    of.sources = in;
}

}  // namespace haichi::profiler
