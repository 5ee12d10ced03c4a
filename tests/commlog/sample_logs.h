#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "commlog/log/call_recorder.h"
#include "commlog/log/log_file.h"
#include "commlog/log/rank_bytes.h"

namespace haichi::samples {

inline MessageStatistics messages(std::initializer_list<std::pair<std::uint64_t, std::uint64_t>> counts_of_sizes) {
    MessageCounters counters{};
    for (const auto& [size, count] : counts_of_sizes) {
        for (std::uint64_t i = 0; i < count; ++i) counters.add(size);
    }
    MessageStatistics out{counters.count,     counters.bytes_total, counters.bytes_min,
                          counters.bytes_max, counters.empty,       {}};
    for (int k = 0; k < kSizeClasses; ++k) out.classes[static_cast<std::size_t>(k)] = counters.classes[k];
    return out;
}

/// A function whose calls all take the same time.
inline FunctionProfile function(const std::string& name, std::uint64_t calls, double seconds_total,
                                MessageStatistics sent = {}, MessageStatistics received = {}) {
    const double each = seconds_total / static_cast<double>(calls);
    return {name, calls, seconds_total, each, each, sent, received};
}

inline RankRecord rank_record(std::int32_t rank, std::int32_t ranks, double wall_seconds) {
    RankRecord record;
    record.job = 7;
    record.ranks = ranks;
    record.has_profile = true;
    record.log.rank = rank;
    record.log.host = "node" + std::to_string(rank / 2);
    record.log.program = "/opt/app/ring";
    record.log.library = "Open MPI 4.1.4";
    record.log.own_ns_per_call = 30;
    record.log.profile.wall_seconds = wall_seconds;
    record.communicators.push_back({1, {{0, 1, ranks}}, {}});
    record.communicators.push_back({2, {{rank, 1, 1}}, {}});
    return record;
}

inline void count_mpi_seconds(RankRecord& record) {
    record.log.profile.mpi_seconds = 0;
    for (const FunctionProfile& f : record.log.profile.functions) record.log.profile.mpi_seconds += f.seconds_total;
}

/// Every rank sends 1 MiB to the next one, 10 times, and takes part in an 8-byte Allreduce each time. Rank r computes
/// for 1 + r / 10 s in a run of 2 s.
inline std::vector<RankRecord> ring(std::int32_t ranks) {
    std::vector<RankRecord> records;
    constexpr std::uint64_t kTimes = 10;
    constexpr std::uint64_t kBytes = 1 << 20;
    for (std::int32_t r = 0; r < ranks; ++r) {
        RankRecord record = rank_record(r, ranks, 2);
        const double mpi = 1 - 0.1 * (r % 10);
        record.log.profile.functions = {
            function("MPI_Allreduce", kTimes, 0.25 * mpi, messages({{8, kTimes}}), messages({{8, kTimes}})),
            function("MPI_Barrier", 100'000, 0.05 * mpi),
            function("MPI_Recv", kTimes, 0.5 * mpi, {}, messages({{kBytes, kTimes}})),
            function("MPI_Send", kTimes, 0.2 * mpi, messages({{kBytes, kTimes}}))};
        count_mpi_seconds(record);
        const std::int32_t next = (r + 1) % ranks;
        const std::int32_t before = (r + ranks - 1) % ranks;
        record.log.profile.peers.push_back({std::min(next, before), {}});
        if (next != before) record.log.profile.peers.push_back({std::max(next, before), {}});
        for (PeerTraffic& peer : record.log.profile.peers) {
            if (peer.peer == next) peer.traffic.sent_messages = kTimes;
            if (peer.peer == next) peer.traffic.sent_bytes = kTimes * kBytes;
            if (peer.peer == before) peer.traffic.received_messages = kTimes;
            if (peer.peer == before) peer.traffic.received_bytes = kTimes * kBytes;
        }
        record.has_calls = true;
        const auto memory = std::make_unique<CallLogMemory>();
        CallRecorder calls(memory.get());
        for (std::uint64_t i = 0; i < kTimes; ++i) {
            calls.add_gap(1000);
            calls.send(next, 3, 0, kBytes, kBlocking);
            calls.receive(before, 3, 0, kBlocking);
            calls.collective(CollectiveOperation::kAllreduce, 0, kNobody, 8, 8, kBlocking);
        }
        calls.collective(CollectiveOperation::kBarrier, 0, kNobody, 0, 0, kBlocking);
        record.log.threads.push_back(read_calls(*memory, 1e9, "ring"));
        records.push_back(std::move(record));
    }
    return records;
}

/// The bytes of a job file.
inline std::string job_file(const std::vector<RankRecord>& records) {
    JobFileHeader header{{}, kJobVersion, kByteOrder, records.size()};
    std::memcpy(header.magic, kJobMagic, sizeof(kJobMagic));
    std::string text(reinterpret_cast<const char*>(&header), sizeof(header));
    for (const RankRecord& record : records) {
        const std::vector<std::byte> bytes = encode_rank(record);
        const std::uint64_t length = bytes.size();
        text.append(reinterpret_cast<const char*>(&length), sizeof(length));
        text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    }
    return text;
}

}  // namespace haichi::samples
