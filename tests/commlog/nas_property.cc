#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "commlog/log/log_file.h"
#include "commlog/log/logged_events.h"
#include "commlog/log/write_log.h"
#include "commlog/nas/nas_log.h"

namespace haichi {
namespace {

/// Source, destination, communicator, tag.
using PairAndTag = std::tuple<std::int32_t, std::int32_t, std::uint32_t, std::int32_t>;

struct Traffic {
    std::map<PairAndTag, std::uint64_t> sends, receives;
    /// Calls of each operation of each communicator, by rank.
    std::map<std::pair<std::uint32_t, std::uint16_t>, std::map<std::int32_t, std::uint64_t>> collectives;
};

Traffic traffic_of(const JobLog& log) {
    Traffic traffic;
    for (const RankLog& rank : log.ranks) {
        const CallSequence& calls = rank.threads.front();
        for (const LoggedEvent& event : calls.events) {
            const EventKey& key = event.key;
            const std::uint32_t in = communicator_of(rank, key.communicator);
            switch (key.kind) {
                case CallKind::kSend:
                    traffic.sends[{rank.rank, key.peer, in, key.tag}] += event.count;
                    break;
                case CallKind::kReceive:
                    if ((key.flags & kAnySource) != 0) break;
                    traffic.receives[{key.peer, rank.rank, in, key.tag}] += event.count;
                    break;
                case CallKind::kComplete:
                    for (std::uint32_t i = 0; i < event.completions; ++i) {
                        const Completion& one = calls.completions[event.first_completion + i];
                        if (one.source == kNobody) continue;
                        const EventKey& post = calls.events[one.event].key;
                        const std::uint32_t of = communicator_of(rank, post.communicator);
                        traffic.receives[{one.source, rank.rank, of, post.tag}] += event.count;
                    }
                    break;
                case CallKind::kCollective:
                    traffic.collectives[{in, key.operation}][rank.rank] += event.count;
                    break;
                default:
                    ADD_FAILURE() << "an event that no program makes";
            }
        }
    }
    return traffic;
}

/// Checks every program in all runs that it allows. The largest classes with few ranks or iterations also take little
/// time, because the logs contain loops.
template <typename Check>
void for_all_runs(Check check) {
    constexpr int kRanks[] = {1, 2, 4, 7, 8, 9, 16, 25, 32, 36, 49, 64, 100, 121, 128, 256, 512};
    for (const NasProgram& program : nas_programs()) {
        for (const char problem_class : program.classes) {
            for (const int ranks : kRanks) {
                if (!program.refusal(problem_class, ranks).empty()) continue;
                SCOPED_TRACE(program.name + "." + problem_class + "." + std::to_string(ranks));
                check(make_nas_log(program.name, {.problem_class = std::string(1, problem_class), .ranks = ranks}));
            }
        }
    }
}

TEST(NasProperty, every_send_has_its_receive_and_every_receive_its_send) {
    for_all_runs([](const JobLog& log) {
        const Traffic traffic = traffic_of(log);
        EXPECT_EQ(traffic.sends, traffic.receives);
    });
}

TEST(NasProperty, receivers_expect_as_much_as_is_sent_to_them) {
    for_all_runs([](const JobLog& log) {
        for (const RankLog& rank : log.ranks) {
            std::uint64_t messages = 0, bytes = 0, expected_messages = 0, expected_bytes = 0;
            for (const PeerTraffic& peer : rank.profile.peers) {
                messages += peer.traffic.received_messages;
                bytes += peer.traffic.received_bytes;
            }
            for (const FunctionProfile& function : rank.profile.functions) {
                if (function.name != "MPI_Recv" && function.name != "MPI_Irecv") continue;
                expected_messages += function.received.count;
                expected_bytes += function.received.bytes_total;
            }
            ASSERT_EQ(messages, expected_messages) << rank.rank;
            ASSERT_EQ(bytes, expected_bytes) << rank.rank;
        }
    });
}

TEST(NasProperty, all_members_of_a_communicator_make_its_collectives) {
    for_all_runs([](const JobLog& log) {
        for (const auto& [what, calls] : traffic_of(log).collectives) {
            const std::vector<std::int32_t>& members = log.communicators[what.first].members;
            ASSERT_EQ(calls.size(), members.size());
            for (const std::int32_t member : members) {
                ASSERT_TRUE(calls.contains(member));
                ASSERT_EQ(calls.at(member), calls.begin()->second);
            }
        }
    });
}

TEST(NasProperty, a_written_log_is_read_as_it_was) {
    for (const NasProgram& program : nas_programs()) {
        const int ranks = program.refusal('S', 16).empty() ? 16 : 4;
        const JobLog log = make_nas_log(program.name, {.problem_class = "S", .ranks = ranks, .compute_seconds = 1.0});
        std::string bytes;
        write_own_log(log, [&](std::string_view piece) { bytes += piece; });
        const JobLog read = parse_own_log(std::as_bytes(std::span(bytes)), program.name);
        ASSERT_EQ(read.ranks.size(), log.ranks.size());
        ASSERT_EQ(read.communicators.size(), log.communicators.size());
        for (std::size_t c = 0; c < log.communicators.size(); ++c) {
            EXPECT_EQ(read.communicators[c].members, log.communicators[c].members);
        }
        EXPECT_EQ(traffic_of(read).sends, traffic_of(log).sends) << program.name;
        EXPECT_EQ(traffic_of(read).collectives, traffic_of(log).collectives) << program.name;
        for (std::size_t r = 0; r < log.ranks.size(); ++r) {
            EXPECT_EQ(read.ranks[r].threads.front().sequence, log.ranks[r].threads.front().sequence);
            EXPECT_EQ(read.ranks[r].threads.front().body, log.ranks[r].threads.front().body);
        }
        EXPECT_TRUE(read.warnings.empty());
    }
}

/// Returns the computation time of all ranks together, in seconds.
double computing(const JobLog& log) {
    double ticks = 0;
    for (const RankLog& rank : log.ranks) {
        for (const LoggedEvent& event : rank.threads.front().events) ticks += static_cast<double>(event.gap_total);
        ticks += static_cast<double>(rank.threads.front().gap_behind);
    }
    return ticks / 1e9;
}

TEST(NasProperty, ranks_share_the_computing_time_of_one_process) {
    for (const NasProgram& program : nas_programs()) {
        for (const int ranks : {1, 16}) {
            const double alone =
                computing(make_nas_log(program.name, {.problem_class = "A", .ranks = ranks, .compute_seconds = 100.0}));
            // Before the first iteration, FT transforms once, and MG processes the finest level once.
            const double most = program.name == "nas-ft" ? 100.0 * 7 / 6 : program.name == "nas-mg" ? 107.0 : 100.0;
            EXPECT_GE(alone, 99.9) << program.name << " on " << ranks;
            EXPECT_LE(alone, most + 0.1) << program.name << " on " << ranks;
        }
    }
}

}  // namespace
}  // namespace haichi
