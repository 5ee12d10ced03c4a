#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "commlog/log/call_log_memory.h"
#include "commlog/log/profile_memory.h"
#include "commlog/log/rank_schedule.h"

namespace haichi {

/// Messages that a function sent or received, or bytes of a collective; see MessageCounters.
struct MessageStatistics {
    std::uint64_t count = 0, bytes_total = 0, bytes_min = 0, bytes_max = 0, empty = 0;
    std::array<std::uint64_t, kSizeClasses> classes{};
};

struct FunctionProfile {
    std::string name;
    std::uint64_t calls = 0;
    double seconds_total = 0, seconds_min = 0, seconds_max = 0;
    MessageStatistics sent, received;
};

struct PeerTraffic {
    std::int32_t peer = 0;  ///< rank in MPI_COMM_WORLD, or kOutside for all processes outside it
    PeerCounters traffic{};
};

/// Data moved by the rank's one-sided operations.
struct OneSidedTraffic {
    std::int32_t target = 0;  ///< rank in MPI_COMM_WORLD
    OneSidedCounters traffic{};
};

/// A program or library that contains calls of MPI.
struct Module {
    std::string path;      ///< empty if unknown
    std::string build_id;  ///< hexadecimal digits; empty if the file has no build ID
};

/// A code region that the program has named.
struct RegionProfile {
    std::string name;
    std::uint64_t entries = 0;
    double seconds = 0;  ///< includes nested regions
};

/// Calls of one function from one call site, on one communicator and in one region.
struct SiteProfile {
    std::uint32_t module = kNoModule;  ///< index in RankProfile::modules, or kNoModule
    /// Return address as an offset in the module's file; 0 if not recorded.
    std::uint64_t offset = 0;
    std::uint32_t function = 0;                    ///< index in RankProfile::functions
    std::uint32_t communicator = kNoCommunicator;  ///< index in RankLog::communicators, kUnknownCommunicator or
                                                   ///< kNoCommunicator
    /// 1 + index in RankProfile::regions; 0 if the calls are in none of the regions.
    std::uint32_t region = 0;
    std::uint64_t calls = 0;
    double seconds_total = 0, seconds_min = 0, seconds_max = 0;
    std::uint64_t sent_bytes = 0, received_bytes = 0;
};

/// The profile of one rank, with functions sorted by name, and peers and targets by rank.
struct RankProfile {
    double wall_seconds = 0;  ///< from MPI_Init to MPI_Finalize, or to the last recorded call
    double mpi_seconds = 0;   ///< in MPI calls, summed over threads
    std::vector<FunctionProfile> functions;
    std::vector<PeerTraffic> peers;
    std::vector<OneSidedTraffic> targets;
    std::vector<Module> modules;
    std::vector<RegionProfile> regions;
    std::vector<SiteProfile> sites;
    std::uint64_t lost_site_calls = 0;  ///< calls whose call site did not fit in the profiler's table
    std::uint64_t lost_regions = 0;     ///< entries into regions that did not fit in the profiler's table
    std::uint64_t lost_messages = 0;    ///< messages to or from peers that did not fit in the profiler's table
    std::uint64_t lost_bytes = 0;
};

/// The ordered calls of one thread of a rank. `sequence` consists of events and loops; loop bodies consist of events
/// and other loops. The contents have been validated: indices are in range, loops contain only earlier loops, and each
/// loop has at least one iteration.
struct CallSequence {
    std::vector<LoggedEvent> events;  ///< gaps are in ticks; first_completion and completions refer to `completions`
    std::vector<Completion> completions;
    std::vector<LoopBody> bodies;  ///< first and length refer to `body`
    std::vector<Loop> loops;
    std::vector<Symbol> body;
    std::vector<Symbol> sequence;
    double ticks_per_second = 1e9;
    std::uint64_t gap_behind = 0;  ///< ticks outside communication calls after the last event
    std::uint64_t lost_events = 0, lost_symbols = 0, lost_completions = 0;
};

/// A communicator, with its members in rank order: each is a rank in MPI_COMM_WORLD or kOutside.
struct LoggedCommunicator {
    std::uint64_t identity = 0;  ///< the same value in all ranks
    std::vector<std::int32_t> members;
    std::vector<std::int32_t> remote_members;  ///< for an intercommunicator: the group that receives its messages

    [[nodiscard]] bool is_intercommunicator() const { return !remote_members.empty(); }
};

struct RankLog {
    std::int32_t rank = 0;
    RankState state = RankState::kFinished;
    int signal = 0;
    std::string host, program, library;
    double own_ns_per_call = 0;  ///< CPU time of the profiler per call; 0 if unknown
    RankProfile profile;
    /// Maps the communicator index of an event to the index in JobLog::communicators.
    std::vector<std::uint32_t> communicators;
    std::vector<CallSequence> threads;  ///< usually one; empty if there is no call log
    /// The dependencies of a schedule (GOAL); `threads` then has one order that satisfies them. It is null for other
    /// logs.
    std::shared_ptr<const RankSchedule> schedule;
};

/// The data about a job's communication: profiles, call logs, or both. Ranks are in ascending order; a rank whose part
/// is missing has neither profile nor call log.
struct JobLog {
    std::string format;  ///< key of the reader in the registry of formats
    std::int32_t rank_count = 0;
    bool has_profile = false;
    /// The log has the order of calls, so communication sets can be extracted.
    bool has_calls = false;
    std::vector<LoggedCommunicator> communicators;  ///< entry 0 is MPI_COMM_WORLD
    std::vector<RankLog> ranks;
    /// Number of calls that move data in a way that the reader does not support. For each kind of such calls,
    /// `warnings` has a warning with the name or number in the trace.
    std::uint64_t left_out_calls = 0;
    /// Warnings for the user, for example about missing parts, killed ranks and full tables.
    std::vector<std::string> warnings;
};

}  // namespace haichi
