#pragma once

#include <bit>
#include <cstdint>

#include "commlog/log/call_log_memory.h"

namespace haichi {

/// The counters that a profiler keeps of one process besides its call log, in the layout of a part file. They have a
/// fixed size, hold no pointers and start as zero bytes. read_rank() (rank_record.h) reads them.

/// Class k holds the messages of [2^k, 2^(k+1)) bytes. The last class also holds all larger messages, and class 0 those
/// of 0 bytes.
inline constexpr int kSizeClasses = 24;

constexpr int size_class(std::uint64_t bytes) {
    if (bytes <= 1) return 0;
    const int log = 63 - std::countl_zero(bytes);
    return log < kSizeClasses ? log : kSizeClasses - 1;
}

struct MessageCounters {
    std::uint64_t count, bytes_total, bytes_min, bytes_max;
    std::uint64_t empty;  ///< messages of 0 bytes
    std::uint64_t classes[kSizeClasses];

    void add(std::uint64_t bytes) {
        if (count == 0 || bytes < bytes_min) bytes_min = bytes;
        if (bytes > bytes_max) bytes_max = bytes;
        ++count;
        bytes_total += bytes;
        empty += bytes == 0 ? 1 : 0;
        ++classes[size_class(bytes)];
    }
};

/// The counters of a function of the communication library. `sent` and `received` count the messages of point-to-point
/// functions, and the process's contributions and results in collectives. A receive counts on completion, with the
/// received bytes, for the function that posted it.
struct FunctionCounters {
    std::uint64_t calls, ticks_total, ticks_min, ticks_max;
    MessageCounters sent, received;

    void add_call(std::uint64_t ticks) {
        if (calls == 0 || ticks < ticks_min) ticks_min = ticks;
        if (ticks > ticks_max) ticks_max = ticks;
        ++calls;
        ticks_total += ticks;
    }
};

/// Point-to-point messages to and from one rank in MPI_COMM_WORLD.
struct PeerCounters {
    std::uint64_t sent_messages, sent_bytes, received_messages, received_bytes;
};

/// Data that this process moved by one-sided operations to, from or within the memory of one rank in MPI_COMM_WORLD.
struct OneSidedCounters {
    std::uint64_t put_operations, put_bytes;  ///< MPI_Put and accumulating operations
    std::uint64_t got_operations, got_bytes;  ///< MPI_Get and fetching operations
};

struct PeerSlot {
    std::uint32_t peer_and_1;  ///< 0: free
    std::uint32_t unused;
    PeerCounters traffic;
    OneSidedCounters one_sided;
};

/// Calls of one function from one call site, on one communicator, in one region.
struct CallSite {
    std::uint64_t address;  ///< return address of the calls, or 0 if not recorded
    std::uint64_t key;      ///< site_key(), with the module in the highest 16 bits, or 0 if free
    std::uint64_t calls, ticks_total, ticks_min, ticks_max;
    std::uint64_t sent_bytes, received_bytes;  ///< bytes of messages and collectives, as in FunctionCounters

    void add_call(std::uint64_t ticks) {
        if (calls == 0 || ticks < ticks_min) ticks_min = ticks;
        if (ticks > ticks_max) ticks_max = ticks;
        ++calls;
        ticks_total += ticks;
    }
};
static_assert(sizeof(CallSite) == 64, "a line of the cache");

inline constexpr std::uint32_t kNoCommunicator = 0xffff;  ///< for calls without a communicator
inline constexpr std::uint16_t kNoModule = 0xffff;
inline constexpr std::uint64_t kSiteKeyMask = 0xffff'ffff'ffffULL;

/// `region` counts from 1; 0 means none.
constexpr std::uint64_t site_key(std::uint32_t function, std::uint32_t communicator, std::uint32_t region) {
    return std::uint64_t{function + 1} | std::uint64_t{communicator} << 16 | std::uint64_t{region} << 32;
}

/// A region of the program that the program has named.
struct RegionCounters {
    std::uint64_t entries, ticks_total;  ///< entries that have been left; nested regions included
};

inline constexpr std::size_t kLongestRegion = 64;
struct RegionEntry {
    char name[kLongestRegion];
};

/// A program or library that calls MPI, while it is loaded from `begin` to `end`. Addresses in memory are `bias` above
/// those in its file.
struct ModuleEntry {
    std::uint64_t begin, end, bias;
    std::uint32_t build_id_size;
    unsigned char build_id[20];
    char path[512];
};

/// Members of a communicator: `count` ranks in MPI_COMM_WORLD from `first` on, `stride` apart. kOutside represents
/// processes that are not in MPI_COMM_WORLD.
struct RankSegment {
    std::int32_t first, stride, count;
};

/// A communicator as one process knows it. Entry 0 is MPI_COMM_WORLD, entry 1 is MPI_COMM_SELF.
struct CommunicatorEntry {
    /// Equal in all processes of the communicator, and different from other communicators that exist at the same time.
    /// 0 means free.
    std::uint64_t identity;
    std::int32_t size;                                       ///< size of the group that contains the process
    std::int32_t remote_size;                                ///< 0 except for intercommunicators
    std::uint32_t first_segment, segments, remote_segments;  ///< segments of the local group, then of the remote group
    std::uint32_t unused;
};

inline constexpr std::uint32_t kMostFunctions = 1024;
inline constexpr std::uint32_t kMostThreads = 16;         ///< threads with their own counters and log
inline constexpr std::int32_t kMostDensePeers = 1 << 13;  ///< an MPI_COMM_WORLD of up to this size has one counter for
                                                          ///< each rank
inline constexpr std::uint32_t kPeerSlots = 1U << 14;     ///< slots of the hash table for a larger MPI_COMM_WORLD
inline constexpr std::uint32_t kMostCommunicators = 1U << 12;
inline constexpr std::uint32_t kMostSegments = 1U << 16;
/// Represents communicators that did not fit in the table.
inline constexpr std::uint32_t kUnknownCommunicator = kMostCommunicators;
inline constexpr std::uint32_t kMostSites = 1U << 13;
inline constexpr std::uint32_t kMostModules = 128;
inline constexpr std::uint32_t kMostRegions = 64;

/// How a process ended.
enum class RankState : std::uint32_t { kRunning = 0, kFinished = 1, kAborted = 2, kSignalled = 3 };

/// The counters of all ranks of a small MPI_COMM_WORLD.
struct DensePeers {
    PeerCounters traffic[kMostDensePeers];
    OneSidedCounters one_sided[kMostDensePeers];
};

struct ThreadMemory {
    std::uint64_t mpi_ticks;  ///< inside calls
    std::uint64_t first_ticks, last_ticks;
    std::uint64_t lost_peers;  ///< messages to or from peers that did not fit in the table
    std::uint64_t lost_bytes;
    PeerCounters outside;  ///< sum over processes that are not in MPI_COMM_WORLD
    FunctionCounters functions[kMostFunctions];
    union {
        DensePeers dense;
        PeerSlot hashed[kPeerSlots];
    } peers;
    std::uint64_t lost_regions;              ///< entries of regions that did not fit in the table
    std::uint64_t lost_site_calls;           ///< calls whose site did not fit in the table
    alignas(64) CallSite sites[kMostSites];  ///< a hash table
    RegionCounters regions[kMostRegions];
    CallLogMemory calls;
};

struct ProfileHeader {
    char magic[8];             ///< kPartMagic
    std::uint32_t version;     ///< kPartVersion
    std::uint32_t byte_order;  ///< 0x01020304
    std::uint64_t size;        ///< sizeof(ProfileMemory)
    std::uint64_t job;         ///< equal in all parts of a job, different in other jobs
    std::int32_t rank, ranks;
    RankState state;
    std::int32_t signal;
    double ticks_per_second;
    std::uint64_t start_unix_ns;
    std::uint64_t start_ticks;  ///< after MPI_Init
    std::uint64_t end_ticks;    ///< before MPI_Finalize, or 0 if not reached
    double own_ns_per_call;     ///< cost of the profiler itself
    std::uint32_t threads;      ///< threads that have counters
    std::uint32_t uncounted_threads;
    std::uint64_t uncounted_calls;  ///< calls of the uncounted threads
    std::uint64_t lost_requests;    ///< requests that did not fit in the table of requests in flight
    std::uint32_t thread_level;     ///< MPI_THREAD_SINGLE = 0, FUNNELED, SERIALIZED, MULTIPLE = 3
    std::uint32_t has_profile, has_calls;
    std::uint32_t function_count;
    std::uint32_t communicator_count, segment_count;
    std::uint32_t lost_communicators;
    std::uint32_t module_count, region_count;
    std::uint32_t has_call_sites;  ///< 0: the addresses of sites are 0
    char host[64];
    char library[64];  ///< for example "Open MPI 4.1.4"
    char program[256];
    char function_names[kMostFunctions][32];  ///< by number, for example "MPI_Send"
};

inline constexpr char kPartMagic[8] = {'H', 'A', 'I', 'C', 'H', 'I', 'P', 'F'};
inline constexpr std::uint32_t kPartVersion = 4;
inline constexpr std::uint32_t kByteOrder = 0x01020304;

/// A whole part file.
struct ProfileMemory {
    ProfileHeader header;
    CommunicatorEntry communicators[kMostCommunicators];
    RankSegment segments[kMostSegments];
    ModuleEntry modules[kMostModules];
    RegionEntry regions[kMostRegions];
    ThreadMemory threads[kMostThreads];
};

}  // namespace haichi
