#include "commlog/log/rank_record.h"

#include <algorithm>
#include <cstring>

#include "commlog/log/read_sites.h"
#include "commlog/log/record_checks.h"

namespace haichi {

namespace {

void add(MessageCounters& sum, const MessageCounters& more) {
    if (more.count == 0) return;
    sum.bytes_min = sum.count == 0 ? more.bytes_min : std::min(sum.bytes_min, more.bytes_min);
    sum.bytes_max = std::max(sum.bytes_max, more.bytes_max);
    sum.count += more.count;
    sum.bytes_total += more.bytes_total;
    sum.empty += more.empty;
    for (int k = 0; k < kSizeClasses; ++k) sum.classes[k] += more.classes[k];
}

void add(FunctionCounters& sum, const FunctionCounters& more) {
    if (more.calls != 0) {
        sum.ticks_min = sum.calls == 0 ? more.ticks_min : std::min(sum.ticks_min, more.ticks_min);
        sum.ticks_max = std::max(sum.ticks_max, more.ticks_max);
        sum.calls += more.calls;
        sum.ticks_total += more.ticks_total;
    }
    add(sum.sent, more.sent);
    add(sum.received, more.received);
}

void add(PeerCounters& sum, const PeerCounters& more) {
    sum.sent_messages += more.sent_messages;
    sum.sent_bytes += more.sent_bytes;
    sum.received_messages += more.received_messages;
    sum.received_bytes += more.received_bytes;
}

bool is_empty(const PeerCounters& traffic) { return traffic.sent_messages == 0 && traffic.received_messages == 0; }

void add(OneSidedCounters& sum, const OneSidedCounters& more) {
    sum.put_operations += more.put_operations;
    sum.put_bytes += more.put_bytes;
    sum.got_operations += more.got_operations;
    sum.got_bytes += more.got_bytes;
}

bool is_empty(const OneSidedCounters& traffic) { return traffic.put_operations == 0 && traffic.got_operations == 0; }

/// Sorts the entries of several threads by rank, and sums the entries of each rank.
template <class Row>
std::vector<Row> joined(std::vector<Row> rows, std::int32_t Row::*rank) {
    std::ranges::stable_sort(rows, {}, rank);
    std::vector<Row> result;
    for (const Row& row : rows) {
        if (!result.empty() && result.back().*rank == row.*rank) {
            add(result.back().traffic, row.traffic);
        } else {
            result.push_back(row);
        }
    }
    return result;
}

void read_functions(const ProfileMemory& memory, std::uint32_t threads, RankProfile& profile) {
    const ProfileHeader& header = memory.header;
    for (std::uint32_t f = 0; f < header.function_count; ++f) {
        FunctionCounters sum{};
        for (std::uint32_t t = 0; t < threads; ++t) add(sum, memory.threads[t].functions[f]);
        if (sum.calls == 0 && sum.sent.count == 0 && sum.received.count == 0) continue;
        const double tick = 1.0 / header.ticks_per_second;
        profile.functions.push_back(
            {text_of(header.function_names[f]), sum.calls, static_cast<double>(sum.ticks_total) * tick,
             static_cast<double>(sum.ticks_min) * tick, static_cast<double>(sum.ticks_max) * tick,
             statistics_of(sum.sent), statistics_of(sum.received)});
    }
    std::ranges::sort(profile.functions, {}, &FunctionProfile::name);
}

void read_peers(const ProfileMemory& memory, std::uint32_t threads, RankProfile& profile, const std::string& place) {
    const std::int32_t ranks = memory.header.ranks;
    std::vector<PeerTraffic> peers;
    std::vector<OneSidedTraffic> targets;
    for (std::uint32_t t = 0; t < threads; ++t) {
        const ThreadMemory& thread = memory.threads[t];
        profile.lost_messages += thread.lost_peers;
        profile.lost_bytes += thread.lost_bytes;
        if (!is_empty(thread.outside)) peers.push_back({kOutside, thread.outside});
        if (ranks <= kMostDensePeers) {
            for (std::int32_t r = 0; r < ranks; ++r) {
                const DensePeers& dense = thread.peers.dense;
                if (!is_empty(dense.traffic[r])) peers.push_back({r, dense.traffic[r]});
                if (!is_empty(dense.one_sided[r])) targets.push_back({r, dense.one_sided[r]});
            }
            continue;
        }
        for (const PeerSlot& slot : thread.peers.hashed) {
            if (slot.peer_and_1 == 0 || (is_empty(slot.traffic) && is_empty(slot.one_sided))) continue;
            const auto peer = static_cast<std::int32_t>(slot.peer_and_1 - 1);
            if (peer < 0 || peer >= ranks)
                fail_record(place, "invalid peer: " + std::to_string(peer) + " (the job has " + std::to_string(ranks) +
                                       " ranks)");
            if (!is_empty(slot.traffic)) peers.push_back({peer, slot.traffic});
            if (!is_empty(slot.one_sided)) targets.push_back({peer, slot.one_sided});
        }
    }
    profile.peers = joined(std::move(peers), &PeerTraffic::peer);
    profile.targets = joined(std::move(targets), &OneSidedTraffic::target);
}

std::vector<RankSegment> segments_of(const ProfileMemory& memory, std::uint64_t first, std::uint64_t count,
                                     const std::string& place) {
    check_count(first + count, memory.header.segment_count, "segments of communicators", place);
    return {memory.segments + first, memory.segments + first + count};
}

void check_header(const ProfileHeader& header, const std::string& place) {
    if (std::memcmp(header.magic, kPartMagic, sizeof(kPartMagic)) != 0) fail_record(place, "not a part of a profile");
    if (header.byte_order != kByteOrder)
        fail_record(place, "the file was written on a machine with another byte order");
    if (header.version != kPartVersion || header.size != sizeof(ProfileMemory)) {
        throw InputError(place + ": expected part version " + std::to_string(kPartVersion) + ", found " +
                             std::to_string(header.version),
                         "read the file with the version of haichi that wrote it");
    }
    if (header.ranks < 1 || header.rank < 0 || header.rank >= header.ranks) {
        fail_record(place, "invalid rank: " + std::to_string(header.rank) + " (the job has " +
                               std::to_string(header.ranks) + " ranks)");
    }
    if (!(header.ticks_per_second > 0) || header.ticks_per_second > 1e12)
        fail_record(place, "invalid rate of the clock");
    check_count(header.function_count, kMostFunctions, "functions", place);
    check_count(header.communicator_count, kMostCommunicators, "communicators", place);
    check_count(header.module_count, kMostModules, "modules", place);
    check_count(header.region_count, kMostRegions, "regions", place);
    check_count(header.segment_count, kMostSegments, "segments of communicators", place);
    if (static_cast<std::uint32_t>(header.state) > static_cast<std::uint32_t>(RankState::kSignalled)) {
        fail_record(place, "unknown state: " + std::to_string(static_cast<std::uint32_t>(header.state)));
    }
}

}  // namespace

MessageStatistics statistics_of(const MessageCounters& counters) {
    MessageStatistics statistics{counters.count,     counters.bytes_total, counters.bytes_min,
                                 counters.bytes_max, counters.empty,       {}};
    std::ranges::copy(counters.classes, statistics.classes.begin());
    return statistics;
}

RankRecord read_rank(const ProfileMemory& memory, const std::string& place) {
    const ProfileHeader& header = memory.header;
    check_header(header, place);
    const std::uint32_t threads = std::min(header.threads, kMostThreads);
    RankRecord rank;
    rank.job = header.job;
    rank.ranks = header.ranks;
    rank.has_profile = header.has_profile != 0;
    rank.has_calls = header.has_calls != 0;
    rank.lost_requests = header.lost_requests;
    rank.uncounted_calls = header.uncounted_calls;
    rank.lost_communicators = header.lost_communicators;
    RankLog& log = rank.log;
    log.rank = header.rank;
    log.state = header.state;
    log.signal = header.signal;
    log.host = text_of(header.host);
    log.program = text_of(header.program);
    log.library = text_of(header.library);
    log.own_ns_per_call = header.own_ns_per_call;

    std::uint64_t end = header.end_ticks;
    for (std::uint32_t t = 0; t < threads; ++t) {
        log.profile.mpi_seconds += static_cast<double>(memory.threads[t].mpi_ticks) / header.ticks_per_second;
        if (header.end_ticks == 0) end = std::max(end, memory.threads[t].last_ticks);
    }
    if (end > header.start_ticks) {
        log.profile.wall_seconds = static_cast<double>(end - header.start_ticks) / header.ticks_per_second;
    }
    read_functions(memory, threads, log.profile);
    read_peers(memory, threads, log.profile, place);
    read_sites(memory, threads, log.profile, place);

    for (std::uint32_t c = 0; c < header.communicator_count; ++c) {
        const CommunicatorEntry& entry = memory.communicators[c];
        rank.communicators.push_back(
            {entry.identity, segments_of(memory, entry.first_segment, entry.segments, place),
             segments_of(memory, std::uint64_t{entry.first_segment} + entry.segments, entry.remote_segments, place)});
    }
    if (rank.has_calls) {
        for (std::uint32_t t = 0; t < threads; ++t) {
            CallSequence calls = read_calls(memory.threads[t].calls, header.ticks_per_second, place);
            check_calls(calls, rank.ranks, rank.communicators.size(), place);
            if (!calls.sequence.empty()) log.threads.push_back(std::move(calls));
        }
    }
    return rank;
}

}  // namespace haichi
