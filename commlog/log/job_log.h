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

/// Messages of one direction of a function, or bytes of a collective: see MessageCounters.
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
    std::int32_t peer = 0;  ///< world rank; kOutside: all others
    PeerCounters traffic{};
};

/// Data moved by one-sided operations that this rank has called.
struct OneSidedTraffic {
    std::int32_t target = 0;  ///< world rank
    OneSidedCounters traffic{};
};

/// A program or library that MPI is called from.
struct Module {
    std::string path;      ///< empty: not known
    std::string build_id;  ///< in hexadecimal digits; empty: it has none
};

/// A part of the program that it has named.
struct RegionProfile {
    std::string name;
    std::uint64_t entries = 0;
    double seconds = 0;  ///< those inside included
};

/// Calls of one function from one place, on one communicator, in one region.
struct SiteProfile {
    std::uint32_t module = kNoModule;              ///< of RankProfile::modules, or kNoModule
    std::uint64_t offset = 0;                      ///< in the module's file, to which the calls return; 0: not recorded
    std::uint32_t function = 0;                    ///< of RankProfile::functions
    std::uint32_t communicator = kNoCommunicator;  ///< of RankLog::communicators, kUnknownCommunicator, kNoCommunicator
    std::uint32_t region = 0;                      ///< of RankProfile::regions, from 1; 0: none
    std::uint64_t calls = 0;
    double seconds_total = 0, seconds_min = 0, seconds_max = 0;
    std::uint64_t sent_bytes = 0, received_bytes = 0;
};

/// Functions by name, peers and targets by rank.
struct RankProfile {
    double wall_seconds = 0;  ///< between MPI_Init and MPI_Finalize, or the last call seen
    double mpi_seconds = 0;   ///< inside calls; of several threads the sum
    std::vector<FunctionProfile> functions;
    std::vector<PeerTraffic> peers;
    std::vector<OneSidedTraffic> targets;
    std::vector<Module> modules;
    std::vector<RegionProfile> regions;
    std::vector<SiteProfile> sites;
    std::uint64_t lost_site_calls = 0;  ///< calls whose site found no room
    std::uint64_t lost_regions = 0;     ///< entries of regions without room
    std::uint64_t lost_messages = 0;    ///< to or from peers the profiler had no room for
    std::uint64_t lost_bytes = 0;
};

/// What one thread of a rank did, in order: `sequence` of events and loops; loops consist of events and other loops.
/// Checked: every index is in range, loops are made of earlier loops only, all repetitions are 1 or more.
struct CallSequence {
    std::vector<LoggedEvent> events;  ///< gaps in ticks; first_completion and completions index `completions`
    std::vector<Completion> completions;
    std::vector<LoopBody> bodies;  ///< first and length index `body`
    std::vector<Loop> loops;
    std::vector<Symbol> body;
    std::vector<Symbol> sequence;
    double ticks_per_second = 1e9;
    std::uint64_t gap_behind = 0;  ///< ticks outside communication calls after the last event
    std::uint64_t lost_events = 0, lost_symbols = 0, lost_completions = 0;
};

/// Members by rank in it, as world ranks or kOutside.
struct LoggedCommunicator {
    std::uint64_t identity = 0;  ///< the same in all ranks
    std::vector<std::int32_t> members;
    std::vector<std::int32_t> remote_members;  ///< of an intercommunicator: the group that messages go to

    [[nodiscard]] bool is_intercommunicator() const { return !remote_members.empty(); }
};

struct RankLog {
    std::int32_t rank = 0;
    RankState state = RankState::kFinished;
    int signal = 0;
    std::string host, program, library;
    double own_ns_per_call = 0;  ///< cost of the profiler; 0: not known
    RankProfile profile;
    std::vector<std::uint32_t> communicators;  ///< of the events' index: index in JobLog::communicators
    std::vector<CallSequence> threads;         ///< most have one; empty without a log
    /// Of a schedule (GOAL): what depends on what; `threads` is one order in which it could be done. Else null.
    std::shared_ptr<const RankSchedule> schedule;
};

/// What is known of a job's communication: profiles, call logs, or both. Ranks in order; a rank whose part is missing
/// has neither.
struct JobLog {
    std::string format;  ///< the row of the registry that read it
    std::int32_t rank_count = 0;
    bool has_profile = false;
    bool has_calls = false;                         ///< ordered: communication sets can be extracted
    std::vector<LoggedCommunicator> communicators;  ///< 0 is the world
    std::vector<RankLog> ranks;
    /// For the user: parts that are missing, ranks that were killed, tables that ran full.
    std::vector<std::string> warnings;
};

}  // namespace haichi
