// Writes a job file for the tests of `haichi log`: write_sample_log KIND RANKS FILE

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>

#include "tests/commlog/sample_logs.h"

namespace {

using haichi::RankRecord;

std::vector<RankRecord> hostile(std::int32_t ranks) {
    std::vector<RankRecord> records = haichi::samples::ring(ranks);
    for (RankRecord& record : records) {
        record.log.program = "</script><img src=x onerror=alert(1)>\x1b[31m\xff\"'&";
        record.log.host = "<b>host</b>\n";
        haichi::RankProfile& profile = record.log.profile;
        profile.functions[0].name = "<i>MPI_Allreduce</i>";
        profile.modules = {{"/opt/<u>app\x1b[0m", "ab01cd02"}};
        profile.regions = {{"<s>solve", 1, 0.1}};
        profile.sites = {{0, 0x40, 0, 0, 1, 10, 0.1, 0.01, 0.02, 80, 80}};
    }
    return records;
}

/// Rank 1 was killed, and the last rank left no record.
std::vector<RankRecord> killed(std::int32_t ranks) {
    std::vector<RankRecord> records = haichi::samples::ring(ranks);
    records[1].log.state = haichi::RankState::kSignalled;
    records[1].log.signal = 15;
    records.pop_back();
    return records;
}

/// Records with call logs but without profiles.
std::vector<RankRecord> calls_only(std::int32_t ranks) {
    std::vector<RankRecord> records = haichi::samples::ring(ranks);
    for (RankRecord& record : records) {
        record.has_profile = false;
        record.log.profile = {};
    }
    return records;
}

/// Profiles whose ranks recorded only received messages.
std::vector<RankRecord> received_only(std::int32_t ranks) {
    std::vector<RankRecord> records = haichi::samples::ring(ranks);
    for (RankRecord& record : records) {
        record.has_calls = false;
        record.log.threads.clear();
        for (haichi::PeerTraffic& peer : record.log.profile.peers) {
            peer.traffic.sent_messages = 0;
            peer.traffic.sent_bytes = 0;
        }
    }
    return records;
}

/// Broadcasts of 8 bytes in which all ranks wait for the same time.
std::vector<RankRecord> broadcasts(std::int32_t ranks) {
    using namespace haichi::samples;
    std::vector<RankRecord> records;
    for (std::int32_t r = 0; r < ranks; ++r) {
        RankRecord record = rank_record(r, ranks, 6.44);
        record.log.profile.functions = {
            function("MPI_Bcast", 1000, 4.0, messages({{8, 950}, {4096, 50}}), messages({{8, 950}, {4096, 50}}))};
        count_mpi_seconds(record);
        records.push_back(std::move(record));
    }
    return records;
}

/// Every rank exchanges messages with all others. There are no call logs.
std::vector<RankRecord> all_pairs(std::int32_t ranks) {
    using namespace haichi::samples;
    std::vector<RankRecord> records;
    for (std::int32_t r = 0; r < ranks; ++r) {
        RankRecord record = rank_record(r, ranks, 10);
        const auto sizes = messages({{4096, static_cast<std::uint64_t>(ranks - 1)}});
        record.log.profile.functions = {
            function("MPI_Sendrecv", static_cast<std::uint64_t>(ranks - 1), 3, sizes, sizes)};
        count_mpi_seconds(record);
        for (std::int32_t peer = 0; peer < ranks; ++peer) {
            if (peer != r) record.log.profile.peers.push_back({peer, {1, 4096, 1, 4096}});
        }
        records.push_back(std::move(record));
    }
    return records;
}

/// A ring in which receiving takes three times as long.
std::vector<RankRecord> slow_ring(std::int32_t ranks) {
    std::vector<RankRecord> records = haichi::samples::ring(ranks);
    for (RankRecord& record : records) {
        for (haichi::FunctionProfile& function : record.log.profile.functions) {
            if (function.name == "MPI_Recv") function.seconds_total *= 3;
        }
        haichi::samples::count_mpi_seconds(record);
    }
    return records;
}

}  // namespace

int main(int argc, char** argv) {
    const std::map<std::string, std::vector<RankRecord> (*)(std::int32_t)> kinds = {{"ring", haichi::samples::ring},
                                                                                    {"hostile", hostile},
                                                                                    {"killed", killed},
                                                                                    {"calls-only", calls_only},
                                                                                    {"received-only", received_only},
                                                                                    {"broadcasts", broadcasts},
                                                                                    {"slow-ring", slow_ring},
                                                                                    {"all-pairs", all_pairs}};
    if (argc != 4 || !kinds.contains(argv[1])) return EXIT_FAILURE;
    std::ofstream file(argv[3], std::ios::binary);
    file << haichi::samples::job_file(kinds.at(argv[1])(std::atoi(argv[2])));
    return file.good() ? EXIT_SUCCESS : EXIT_FAILURE;
}
