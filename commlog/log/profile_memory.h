#pragma once

#include <bit>
#include <cstdint>

#include "commlog/log/call_log_memory.h"

namespace haichi {

/// The counters that a profiler keeps for one process besides its call log, in the layout of a part file. The
/// structures have a fixed size, contain no pointers and start as zero bytes. read_rank() (rank_record.h) reads them.

/// Class k contains the messages of [2^k, 2^(k+1)) bytes. The last class also contains all larger messages, and class 0
/// the messages of 0 bytes.
inline constexpr int kSizeClasses = 24;

constexpr int size_class(std::uint64_t bytes) {
    if (bytes <= 1) return 0;
    const int log = 63 - std::countl_zero(bytes);
    return log < kSizeClasses ? log : kSizeClasses - 1;
}

struct MessageCounters {
    std::uint64_t count, bytes_total, bytes_min, bytes_max;
    std::uint64_t empty;  ///< number of messages of 0 bytes
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

/// The counters of one function of the communication library. `sent` and `received` count messages of point-to-point
/// functions, and contributions and results of collectives. A receive is counted when it completes, with the bytes
/// received, for the function that posted it.
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

/// Point-to-point traffic with one rank in MPI_COMM_WORLD.
struct PeerCounters {
    std::uint64_t sent_messages, sent_bytes, received_messages, received_bytes;
};

/// Data that this process moved by one-sided operations on the memory of one rank in MPI_COMM_WORLD.
struct OneSidedCounters {
    std::uint64_t put_operations, put_bytes;  ///< MPI_Put and accumulate operations
    std::uint64_t got_operations, got_bytes;  ///< MPI_Get and fetch operations
};

struct PeerSlot {
    std::uint32_t peer_and_1;  ///< 1 + rank of the peer; 0 if the slot is free
    std::uint32_t unused;
    PeerCounters traffic;
    OneSidedCounters one_sided;
};

/// Calls of one function from one call site, on one communicator and in one region.
struct CallSite {
    std::uint64_t address;  ///< return address of the calls; 0 if not recorded
    std::uint64_t key;      ///< site_key(), with the module in the highest 16 bits; 0 if the slot is free
    std::uint64_t calls, ticks_total, ticks_min, ticks_max;
    std::uint64_t sent_bytes, received_bytes;  ///< bytes as counted in FunctionCounters

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

/// `region` is 1 + the region's index; 0 means no region.
constexpr std::uint64_t site_key(std::uint32_t function, std::uint32_t communicator, std::uint32_t region) {
    return std::uint64_t{function + 1} | std::uint64_t{communicator} << 16 | std::uint64_t{region} << 32;
}

/// A code region that the program has named.
struct RegionCounters {
    std::uint64_t entries, ticks_total;  ///< entries that have been left again; times include nested regions
};

inline constexpr std::size_t kLongestRegion = 64;
struct RegionEntry {
    char name[kLongestRegion];
};

/// A program or library that calls MPI and was loaded at addresses from `begin` to `end`. Memory addresses are `bias`
/// higher than the addresses in the file.
struct ModuleEntry {
    std::uint64_t begin, end, bias;
    std::uint32_t build_id_size;
    unsigned char build_id[20];
    char path[512];
};

/// A part of a communicator's members: `count` ranks in MPI_COMM_WORLD from `first` on, `stride` apart. kOutside
/// represents processes that are not in MPI_COMM_WORLD.
struct RankSegment {
    std::int32_t first, stride, count;
};

/// A communicator, as one process sees it. Entry 0 is MPI_COMM_WORLD, entry 1 is MPI_COMM_SELF.
struct CommunicatorEntry {
    /// The same in all processes of the communicator, and unique among communicators that exist at the same time. 0
    /// marks a free entry.
    std::uint64_t identity;
    std::int32_t size;         ///< size of the group that contains the process
    std::int32_t remote_size;  ///< 0 except for intercommunicators
    /// Segments of the local group, followed by those of the remote group.
    std::uint32_t first_segment, segments, remote_segments;
    std::uint32_t unused;
};

inline constexpr std::uint32_t kMostFunctions = 1024;
/// Maximum number of threads with counters and a log of their own.
inline constexpr std::uint32_t kMostThreads = 16;
/// Up to this size of MPI_COMM_WORLD, there is one counter for each rank.
inline constexpr std::int32_t kMostDensePeers = 1 << 13;
/// Slots of the hash table that is used for a larger MPI_COMM_WORLD.
inline constexpr std::uint32_t kPeerSlots = 1U << 14;
inline constexpr std::uint32_t kMostCommunicators = 1U << 12;
inline constexpr std::uint32_t kMostSegments = 1U << 16;
/// Represents all communicators that did not fit in the table.
inline constexpr std::uint32_t kUnknownCommunicator = kMostCommunicators;
inline constexpr std::uint32_t kMostSites = 1U << 13;
inline constexpr std::uint32_t kMostModules = 128;
inline constexpr std::uint32_t kMostRegions = 64;

/// How a process ended.
enum class RankState : std::uint32_t { kRunning = 0, kFinished = 1, kAborted = 2, kSignalled = 3 };

/// The counters for all ranks of a small MPI_COMM_WORLD.
struct DensePeers {
    PeerCounters traffic[kMostDensePeers];
    OneSidedCounters one_sided[kMostDensePeers];
};

struct ThreadMemory {
    std::uint64_t mpi_ticks;  ///< ticks in communication calls
    std::uint64_t first_ticks, last_ticks;
    std::uint64_t lost_peers;  ///< messages to or from peers that did not fit in the table
    std::uint64_t lost_bytes;
    PeerCounters outside;  ///< traffic with all processes that are not in MPI_COMM_WORLD
    FunctionCounters functions[kMostFunctions];
    union {
        DensePeers dense;
        PeerSlot hashed[kPeerSlots];
    } peers;
    std::uint64_t lost_regions;              ///< entries into regions that did not fit in the table
    std::uint64_t lost_site_calls;           ///< calls whose call site did not fit in the table
    alignas(64) CallSite sites[kMostSites];  ///< a hash table
    RegionCounters regions[kMostRegions];
    CallLogMemory calls;
};

struct ProfileHeader {
    char magic[8];             ///< kPartMagic
    std::uint32_t version;     ///< kPartVersion
    std::uint32_t byte_order;  ///< 0x01020304
    std::uint64_t size;        ///< sizeof(ProfileMemory)
    std::uint64_t job;         ///< the same in all parts of a job, different in other jobs
    std::int32_t rank, ranks;
    RankState state;
    std::int32_t signal;
    double ticks_per_second;
    std::uint64_t start_unix_ns;
    std::uint64_t start_ticks;  ///< clock after MPI_Init
    std::uint64_t end_ticks;    ///< clock before MPI_Finalize; 0 if not reached
    double own_ns_per_call;     ///< CPU time of the profiler per call
    std::uint32_t threads;      ///< threads that have counters
    std::uint32_t uncounted_threads;
    std::uint64_t uncounted_calls;  ///< calls of threads without counters
    std::uint64_t lost_requests;    ///< requests that did not fit in the table of requests in flight
    std::uint32_t thread_level;     ///< MPI_THREAD_SINGLE = 0, FUNNELED = 1, SERIALIZED = 2, MULTIPLE = 3
    std::uint32_t has_profile, has_calls;
    std::uint32_t function_count;
    std::uint32_t communicator_count, segment_count;
    std::uint32_t lost_communicators;
    std::uint32_t module_count, region_count;
    std::uint32_t has_call_sites;  ///< 0 if all addresses of call sites are 0
    char host[64];
    char library[64];  ///< for example "Open MPI 4.1.4"
    char program[256];
    char function_names[kMostFunctions][32];  ///< by function index, for example "MPI_Send"
};

inline constexpr char kPartMagic[8] = {'H', 'A', 'I', 'C', 'H', 'I', 'P', 'F'};
inline constexpr std::uint32_t kPartVersion = 4;
inline constexpr std::uint32_t kByteOrder = 0x01020304;

/// The layout of a part file.
struct ProfileMemory {
    ProfileHeader header;
    CommunicatorEntry communicators[kMostCommunicators];
    RankSegment segments[kMostSegments];
    ModuleEntry modules[kMostModules];
    RegionEntry regions[kMostRegions];
    ThreadMemory threads[kMostThreads];
};

}  // namespace haichi
