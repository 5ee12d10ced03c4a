#pragma once

#include <bit>
#include <cstdint>

#include "commlog/log/call_log_memory.h"

namespace haichi {

/// What a profiler keeps of one process beside its call log: counters of fixed size, without pointers, zero at first,
/// as they lie in a part file. encode_rank() (rank_bytes.h) reads them.

/// Class k holds the messages of [2^k, 2^(k+1)) bytes, the last one all larger ones; class 0 also those of 0 bytes.
inline constexpr int kSizeClasses = 24;

constexpr int size_class(std::uint64_t bytes) {
    if (bytes <= 1) return 0;
    const int log = 63 - std::countl_zero(bytes);
    return log < kSizeClasses ? log : kSizeClasses - 1;
}

struct MessageCounters {
    std::uint64_t count, bytes_total, bytes_min, bytes_max;
    std::uint64_t empty;  ///< of 0 bytes
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

/// A function of the communication library. `sent` and `received` are messages of point-to-point functions (a receive
/// counts when it is completed, with the bytes that came, under the function that posted it), and what the process
/// contributes and gets in collectives.
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

/// Point-to-point messages to and from one world rank.
struct PeerCounters {
    std::uint64_t sent_messages, sent_bytes, received_messages, received_bytes;
};

/// Data that this process has moved to and from the memory of one world rank, or inside of it, by one-sided operations.
struct OneSidedCounters {
    std::uint64_t put_operations, put_bytes;  ///< MPI_Put and what accumulates there
    std::uint64_t got_operations, got_bytes;  ///< MPI_Get and what fetches
};

struct PeerSlot {
    std::uint32_t peer_and_1;  ///< 0: free
    std::uint32_t unused;
    PeerCounters traffic;
    OneSidedCounters one_sided;
};

/// Calls of one function from one place of the program, on one communicator, in one region.
struct CallSite {
    std::uint64_t address;  ///< to which the calls return; 0: not recorded
    std::uint64_t key;      ///< site_key(), and in the highest 16 bits the module; 0: free
    std::uint64_t calls, ticks_total, ticks_min, ticks_max;
    std::uint64_t sent_bytes, received_bytes;  ///< of messages and collectives, as in FunctionCounters

    void add_call(std::uint64_t ticks) {
        if (calls == 0 || ticks < ticks_min) ticks_min = ticks;
        if (ticks > ticks_max) ticks_max = ticks;
        ++calls;
        ticks_total += ticks;
    }
};
static_assert(sizeof(CallSite) == 64, "a line of the cache");

inline constexpr std::uint32_t kNoCommunicator = 0xffff;  ///< of calls that are not on one
inline constexpr std::uint16_t kNoModule = 0xffff;
inline constexpr std::uint64_t kSiteKeyMask = 0xffff'ffff'ffffULL;

/// `region` is counted from 1; 0: none.
constexpr std::uint64_t site_key(std::uint32_t function, std::uint32_t communicator, std::uint32_t region) {
    return std::uint64_t{function + 1} | std::uint64_t{communicator} << 16 | std::uint64_t{region} << 32;
}

/// A part of the program that it has named.
struct RegionCounters {
    std::uint64_t entries, ticks_total;  ///< that have been left; those inside included
};

inline constexpr std::size_t kLongestRegion = 64;
struct RegionEntry {
    char name[kLongestRegion];
};

/// A program or library that MPI is called from, while it is loaded: `begin` to `end` in memory, `bias` more than in
/// its file.
struct ModuleEntry {
    std::uint64_t begin, end, bias;
    std::uint32_t build_id_size;
    unsigned char build_id[20];
    char path[512];
};

/// Members of a communicator: `count` world ranks from `first` on, `stride` apart. kOutside stands for processes that
/// are not in MPI_COMM_WORLD.
struct RankSegment {
    std::int32_t first, stride, count;
};

/// A communicator as one process knows it. Entry 0 is MPI_COMM_WORLD, 1 MPI_COMM_SELF.
struct CommunicatorEntry {
    /// The same in all processes for the same communicator, different for others that live at the same time. 0: free.
    std::uint64_t identity;
    std::int32_t size;                                       ///< of the group the process is in
    std::int32_t remote_size;                                ///< 0 but for intercommunicators
    std::uint32_t first_segment, segments, remote_segments;  ///< of the own group, then of the remote one
    std::uint32_t unused;
};

inline constexpr std::uint32_t kMostFunctions = 1024;
inline constexpr std::uint32_t kMostThreads = 16;         ///< with counters and a log of their own
inline constexpr std::int32_t kMostDensePeers = 1 << 13;  ///< a world of up to so many ranks has one counter for each
inline constexpr std::uint32_t kPeerSlots = 1U << 14;     ///< of a larger one: a hash table
inline constexpr std::uint32_t kMostCommunicators = 1U << 12;
inline constexpr std::uint32_t kMostSegments = 1U << 16;
/// Stands for communicators without room in the table.
inline constexpr std::uint32_t kUnknownCommunicator = kMostCommunicators;
inline constexpr std::uint32_t kMostSites = 1U << 13;
inline constexpr std::uint32_t kMostModules = 128;
inline constexpr std::uint32_t kMostRegions = 64;

/// How a process ended.
enum class RankState : std::uint32_t { kRunning = 0, kFinished = 1, kAborted = 2, kSignalled = 3 };

/// Counters of all ranks of a small world.
struct DensePeers {
    PeerCounters traffic[kMostDensePeers];
    OneSidedCounters one_sided[kMostDensePeers];
};

struct ThreadMemory {
    std::uint64_t mpi_ticks;  ///< inside calls
    std::uint64_t first_ticks, last_ticks;
    std::uint64_t lost_peers;  ///< messages to or from peers without room in the table
    std::uint64_t lost_bytes;
    PeerCounters outside;  ///< processes that are not in MPI_COMM_WORLD, together
    FunctionCounters functions[kMostFunctions];
    union {
        DensePeers dense;
        PeerSlot hashed[kPeerSlots];
    } peers;
    std::uint64_t lost_regions;              ///< entered, without room in the table
    std::uint64_t lost_site_calls;           ///< whose place, communicator and region found no room
    alignas(64) CallSite sites[kMostSites];  ///< a hash table
    RegionCounters regions[kMostRegions];
    CallLogMemory calls;
};

struct ProfileHeader {
    char magic[8];             ///< kPartMagic
    std::uint32_t version;     ///< kPartVersion
    std::uint32_t byte_order;  ///< 0x01020304
    std::uint64_t size;        ///< sizeof(ProfileMemory)
    std::uint64_t job;         ///< the same number in all parts of a job, another one in other jobs
    std::int32_t rank, ranks;
    RankState state;
    std::int32_t signal;
    double ticks_per_second;
    std::uint64_t start_unix_ns;
    std::uint64_t start_ticks;  ///< behind MPI_Init
    std::uint64_t end_ticks;    ///< before MPI_Finalize; 0: not reached
    double own_ns_per_call;     ///< what the profiler itself costs
    std::uint32_t threads;      ///< that have counters
    std::uint32_t uncounted_threads;
    std::uint64_t uncounted_calls;  ///< of those
    std::uint64_t lost_requests;    ///< without room in the table of requests in flight
    std::uint32_t thread_level;     ///< MPI_THREAD_SINGLE = 0, FUNNELED, SERIALIZED, MULTIPLE = 3
    std::uint32_t has_profile, has_calls;
    std::uint32_t function_count;
    std::uint32_t communicator_count, segment_count;
    std::uint32_t lost_communicators;
    std::uint32_t module_count, region_count;
    std::uint32_t has_call_sites;  ///< else the addresses of sites are 0
    char host[64];
    char library[64];  ///< "Open MPI 4.1.4"
    char program[256];
    char function_names[kMostFunctions][32];  ///< by number, "MPI_Send"
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
