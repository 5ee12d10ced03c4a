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

/// Messages of a function in one direction, or bytes of a collective; see MessageCounters.
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

/// Data moved by the one-sided operations of this rank.
struct OneSidedTraffic {
    std::int32_t target = 0;  ///< rank in MPI_COMM_WORLD
    OneSidedCounters traffic{};
};

/// A program or library that calls MPI.
struct Module {
    std::string path;      ///< empty: unknown
    std::string build_id;  ///< hexadecimal digits, or empty if the file has none
};

/// A region of the program that the program has named.
struct RegionProfile {
    std::string name;
    std::uint64_t entries = 0;
    double seconds = 0;  ///< nested regions included
};

/// Calls of one function from one call site, on one communicator, in one region.
struct SiteProfile {
    std::uint32_t module = kNoModule;              ///< index in RankProfile::modules, or kNoModule
    std::uint64_t offset = 0;                      ///< return address in the module's file, or 0 if not recorded
    std::uint32_t function = 0;                    ///< index in RankProfile::functions
    std::uint32_t communicator = kNoCommunicator;  ///< index in RankLog::communicators, kUnknownCommunicator or
                                                   ///< kNoCommunicator
    std::uint32_t region = 0;                      ///< index in RankProfile::regions, from 1, or 0 for none
    std::uint64_t calls = 0;
    double seconds_total = 0, seconds_min = 0, seconds_max = 0;
    std::uint64_t sent_bytes = 0, received_bytes = 0;
};

/// Functions are sorted by name, peers and targets by rank.
struct RankProfile {
    double wall_seconds = 0;  ///< from MPI_Init to MPI_Finalize, or to the last recorded call
    double mpi_seconds = 0;   ///< inside calls, summed over the threads
    std::vector<FunctionProfile> functions;
    std::vector<PeerTraffic> peers;
    std::vector<OneSidedTraffic> targets;
    std::vector<Module> modules;
    std::vector<RegionProfile> regions;
    std::vector<SiteProfile> sites;
    std::uint64_t lost_site_calls = 0;  ///< calls whose site did not fit in the table
    std::uint64_t lost_regions = 0;     ///< entries of regions that did not fit in the table
    std::uint64_t lost_messages = 0;    ///< to or from peers that did not fit in the profiler's table
    std::uint64_t lost_bytes = 0;
};

/// The calls of one thread of a rank, in order. `sequence` consists of events and loops; loops consist of events and
/// other loops. It has been checked: every index is in range, loops consist only of earlier loops, and every loop has
/// at least one iteration.
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

/// Members in rank order, as ranks in MPI_COMM_WORLD or kOutside.
struct LoggedCommunicator {
    std::uint64_t identity = 0;  ///< equal in all ranks
    std::vector<std::int32_t> members;
    std::vector<std::int32_t> remote_members;  ///< for an intercommunicator: the group that receives its messages

    [[nodiscard]] bool is_intercommunicator() const { return !remote_members.empty(); }
};

struct RankLog {
    std::int32_t rank = 0;
    RankState state = RankState::kFinished;
    int signal = 0;
    std::string host, program, library;
    double own_ns_per_call = 0;  ///< cost of the profiler, or 0 if unknown
    RankProfile profile;
    std::vector<std::uint32_t> communicators;  ///< by an event's index: the index in JobLog::communicators
    std::vector<CallSequence> threads;         ///< usually one; empty without a log
    /// The dependencies of a schedule (GOAL); `threads` is one order that satisfies them. Null for other logs.
    std::shared_ptr<const RankSchedule> schedule;
};

/// The data on a job's communication: profiles, call logs, or both. Ranks are in order; a rank whose part is missing
/// has neither.
struct JobLog {
    std::string format;  ///< the registry entry of the reader
    std::int32_t rank_count = 0;
    bool has_profile = false;
    bool has_calls = false;                         ///< the log has an order, so communication sets can be extracted
    std::vector<LoggedCommunicator> communicators;  ///< entry 0 is MPI_COMM_WORLD
    std::vector<RankLog> ranks;
    /// Calls that move data in a way that the reader does not know. The trace's name or number of each, and a warning,
    /// are in `warnings`.
    std::uint64_t left_out_calls = 0;
    /// Warnings for the user: missing parts, killed ranks, full tables.
    std::vector<std::string> warnings;
};

}  // namespace haichi
