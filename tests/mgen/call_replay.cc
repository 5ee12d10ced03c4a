#include "mgen/replay/call_replay.h"

#include <gtest/gtest.h>

#include "base/errors.h"
#include "collectives/recorded_rounds.h"
#include "commlog/traces/trace_readers.h"
#include "mgen/replay/simulation.h"
#include "tests/commlog/logged_program.h"
#include "tests/mgen/scripted_program.h"

namespace haichi {
namespace {

using namespace mgen_tests;
using Rank = LoggedProgram::Rank;

constexpr std::int64_t kNsPs = 1000;

/// Calls and copies take no time.
ProcessOptions free_process() {
    ProcessOptions options = plain_process();
    options.call_overhead_ps = options.eager_overhead_ps = options.rendezvous_overhead_ps = 0;
    options.memory_bandwidth_bytes_per_s = 0;
    return options;
}

struct ReplayedLog {
    explicit ReplayedLog(JobLog of, ProcessOptions process = free_process(), std::vector<std::int32_t> sizes = {8})
        : log(std::move(of)), network(packetsim_machines::grid_network(sizes)) {
        request.log = &log;
        request.network = &network;
        request.timing = packetsim_machines::torus_study();
        request.timing.buffer_packets = 32;
        request.process = process;
        for (std::int32_t r = 0; r < log.rank_count; ++r) request.node_of_rank.emplace_back(r);
    }
    [[nodiscard]] SimulationResult run() const { return simulate(request); }

    JobLog log;
    Network network;
    SimulationRequest request;
};

TEST(CallReplay, computing_hides_a_message_that_is_waited_for_behind_it) {
    constexpr int kSteps = 10;
    constexpr std::int64_t kBytes = 20'000'000;
    constexpr std::int64_t kComputeNs = 10'000'000;
    const auto program = [](std::int64_t bytes, bool overlaps) {
        return [=](Rank& rank) {
            for (int step = 0; step < kSteps; ++step) {
                if (!overlaps) rank.compute(kComputeNs);
                const auto in = rank.irecv(1 - rank.rank());
                const auto out = rank.isend(1 - rank.rank(), static_cast<std::uint64_t>(bytes));
                if (overlaps) rank.compute(kComputeNs);
                rank.wait(in);
                rank.wait(out);
            }
        };
    };
    ProcessOptions process = free_process();
    process.eager_limit_bytes = 1 << 30;
    const auto step_ps = [&](std::int64_t bytes, bool overlaps) {
        const LoggedProgram logged(2, program(bytes, overlaps));
        return ReplayedLog(logged.log(), process).run().seconds * 1e12 / kSteps;
    };
    const auto transfer_ps = static_cast<double>(flight_ps(kBytes));
    EXPECT_NEAR(step_ps(kBytes, true), kComputeNs * kNsPs, 1);  // the transfer of 2.5 ms is hidden
    EXPECT_NEAR(step_ps(kBytes, false), kComputeNs * kNsPs + transfer_ps, 1);
    // A message eight times as large takes longer than the computation.
    EXPECT_NEAR(step_ps(8 * kBytes, true), static_cast<double>(flight_ps(8 * kBytes)), 1);
}

TEST(CallReplay, tags_that_count_up_take_the_time_of_one_tag) {
    // Rank 0 has more different messages than its log distinguishes; rank 1 answers with one tag.
    const auto run = [](bool counts) {
        const LoggedProgram logged(2, [counts](Rank& rank) {
            for (int step = 0; step < 200; ++step) {
                const int tag = counts ? step : 0;
                rank.compute(1'000);
                if (rank.rank() == 0) {
                    const auto out = rank.isend(1, 800, tag);
                    rank.receive(1, 5000);
                    rank.wait(out);
                } else {
                    rank.receive(0, tag);
                    rank.send(0, 16, 5000);
                }
            }
        });
        return ReplayedLog(logged.log()).run().seconds;
    };
    EXPECT_EQ(run(true), run(false));
}

TEST(CallReplay, a_rank_that_computes_longer_is_waited_for) {
    const LoggedProgram logged(4, [](Rank& rank) {
        rank.compute(rank.rank() == 2 ? 5'000 : 1'000);
        rank.sendrecv((rank.rank() + 1) % 4, (rank.rank() + 3) % 4, 800);
    });
    const SimulationResult result = ReplayedLog(logged.log(), free_process(), {-4}).run();
    // Rank 3 waits for the message from rank 2; no rank waits for rank 3.
    EXPECT_EQ(result.seconds, seconds(5'000 * kNsPs + flight_ps(800)));
    EXPECT_EQ(result.ranks[3].wait_ps, 4'000 * kNsPs + flight_ps(800));
    EXPECT_EQ(result.ranks[1].wait_ps, flight_ps(800));
    EXPECT_EQ(result.ranks[0].compute_ps, 1'000 * kNsPs);
    const RunShares shares = run_shares(result);
    EXPECT_NEAR(shares.computing, 8.0 / 4 / (result.seconds * 1e6), 1e-9);
    EXPECT_LT(shares.computing + shares.calls + shares.waiting, 1);  // some ranks ended earlier
}

TEST(CallReplay, waits_for_what_the_program_waited_for_and_for_nothing_else) {
    // The program waits for the second request first; the first request completes late.
    const LoggedProgram logged(4, [](Rank& rank) {
        if (rank.rank() == 3) {
            rank.receive(0);
        } else if (rank.rank() == 0) {
            const auto late = rank.irecv(1);
            const auto early = rank.irecv(2);
            rank.wait(early);
            rank.compute(1'000);
            rank.send(3, 8);
            rank.wait(late);
        } else {
            rank.compute(rank.rank() == 1 ? 50'000 : 0);
            rank.send(0, 800);
        }
    });
    const SimulationResult result = ReplayedLog(logged.log()).run();
    const std::int64_t two_links_ps = flight_ps(800) + 246'000;
    EXPECT_EQ(result.ranks[0].compute_ps, 1'000 * kNsPs);
    EXPECT_EQ(result.seconds, seconds(50'000 * kNsPs + flight_ps(800)));
    EXPECT_EQ(result.ranks[0].wait_ps, 50'000 * kNsPs + flight_ps(800) - 1'000 * kNsPs);
    EXPECT_LT(two_links_ps, 50'000 * kNsPs);
}

TEST(CallReplay, a_receive_from_any_source_takes_the_source_that_the_log_says_came) {
    // In the log, the message from rank 2 arrived first, although rank 1 is first in the simulation.
    const LoggedProgram logged(3, [](Rank& rank) {
        if (rank.rank() == 0) {
            const auto first = rank.irecv_any();
            rank.wait(first, 2);
            const auto second = rank.irecv_any();
            rank.wait(second, 1);
            rank.send(2, 8);
        } else {
            rank.compute(rank.rank() == 2 ? 9'000 : 0);
            rank.send(0, 800);
            if (rank.rank() == 2) rank.receive(0);
        }
    });
    const ReplayedLog replayed(logged.log());
    const SimulationResult result = replayed.run();
    // The message from rank 1 is received after the message from rank 2, although it arrived earlier.
    EXPECT_GE(result.ranks[0].wait_ps, 9'000 * kNsPs);
    EXPECT_EQ(result.gaps->unknown_sources, 0);
}

TEST(CallReplay, a_receive_that_nothing_completes_is_left_out_and_takes_no_message) {
    const LoggedProgram logged(2, [](Rank& rank) {
        for (int step = 0; step < 100; ++step) {
            if (rank.rank() == 0) {
                (void)rank.irecv(1);  // cancelled
                rank.receive(1);
            } else {
                rank.send(0, 800);
            }
        }
    });
    const SimulationResult result = ReplayedLog(logged.log()).run();
    EXPECT_EQ(result.gaps->never_completed, 100);
    EXPECT_EQ(result.payload_bytes, 100 * 800);
}

struct CollectiveCase {
    CollectiveOperation operation;
    collectives::CollectiveKind collective;
    std::int64_t bytes, received;
    const char* choice;
    int root;
};

TEST(CallReplay, collectives_are_the_messages_of_their_rounds) {
    using Op = CollectiveOperation;
    using Kind = collectives::CollectiveKind;
    const CollectiveCase cases[] = {
        {Op::kAllreduce, Kind::kAllreduce, 800, 800, "allreduce=recursive-doubling", kNobody},
        {Op::kAllreduce, Kind::kAllreduce, 80'000, 80'000, "allreduce=ring", kNobody},
        {Op::kBroadcast, Kind::kBroadcast, 800, 800, "broadcast=binomial", 3},
        {Op::kBroadcast, Kind::kBroadcast, 80'000, 80'000, "broadcast=scatter-ring", 2},
        {Op::kReduce, Kind::kReduce, 800, 800, "reduce=binomial", 1},
        {Op::kGather, Kind::kGather, 800, 8'000, "gather=binomial", 0},
        {Op::kAllgather, Kind::kAllgather, 800, 6'400, "allgather=recursive-doubling", kNobody},
        {Op::kAllgather, Kind::kAllgather, 800, 5'600, "allgather=ring", kNobody},
        {Op::kAlltoall, Kind::kAlltoall, 6'400, 6'400, "alltoall=bruck", kNobody},
        {Op::kAlltoall, Kind::kAlltoall, 6'400, 6'400, "alltoall=pairwise", kNobody},
        {Op::kReduceScatter, Kind::kReduceScatter, 6'400, 800, "reduce-scatter=pairwise", kNobody},
        {Op::kScan, Kind::kScan, 800, 800, "scan=recursive-doubling", kNobody},
    };
    for (const CollectiveCase& c : cases) {
        for (const int ranks : {2, 7, 8}) {
            if (c.root >= ranks) continue;
            const LoggedProgram logged(ranks, [&](Rank& rank) {
                rank.collective(c.operation, static_cast<std::uint64_t>(c.bytes),
                                static_cast<std::uint64_t>(c.received), 0, c.root);
            });
            ReplayedLog replayed(logged.log());
            replayed.request.calls.algorithms.set(c.choice);
            const SimulationResult result = replayed.run();

            collectives::CallRecorder recorder(replayed.request.calls.algorithms);
            const collectives::SizedCall call{
                .collective = c.collective, .root = std::max(c.root, 0), .sent = c.bytes, .received = c.received};
            Workload workload(ranks);
            for (const collectives::Round& round : recorder.record(call, ranks).rounds) {
                workload.add_set("");
                for (const auto& [from, to, bytes] : round) workload.add_message(RankId(from), RankId(to), bytes);
            }
            SimulationRequest sets = replayed.request;
            sets.log = nullptr;
            sets.workload = &workload;
            const SimulationResult expected = simulate(sets);
            EXPECT_EQ(result.payload_bytes, expected.payload_bytes) << c.choice << " " << ranks;
            EXPECT_EQ(result.packet_hops, expected.packet_hops) << c.choice << " " << ranks;
            // A ring posts receives ahead, so a member need not wait for the slowest member in each round.
            if (c.choice == std::string_view("allreduce=ring") && ranks > 2) {
                EXPECT_LT(result.seconds, expected.seconds) << ranks;
            } else {
                EXPECT_EQ(result.seconds, expected.seconds) << c.choice << " " << ranks;
            }
        }
    }
}

TEST(CallReplay, the_algorithms_are_those_of_the_library_that_the_log_names) {
    LoggedProgram logged(8, [](Rank& rank) { rank.collective(CollectiveOperation::kBarrier, 0, 0); });
    const auto packets = [&](const char* library, const char* set) {
        JobLog log = logged.log();
        for (RankLog& rank : log.ranks) rank.library = library;
        ReplayedLog replayed(log);
        replayed.request.process.barrier_ps = 0;
        if (set != nullptr) replayed.request.calls.algorithms.set(set);
        return replayed.run().packets;
    };
    // Dissemination and recursive doubling have 3 steps; a tree and a ring send 2 messages for each member except one.
    EXPECT_EQ(packets("MPICH Version: 4.0.2", nullptr), 24);
    EXPECT_EQ(packets("Open MPI v4.1.4", nullptr), 24);
    EXPECT_EQ(packets("haichi MPICH 4.0.2 collectives: barrier=tree", nullptr), 14);
    EXPECT_EQ(packets("haichi MPICH 4.0.2 collectives: barrier=tree", "barrier=double-ring"), 16);
    EXPECT_EQ(packets("haichi MPICH 4.0.2 collectives: barrier=tree", "mpich"), 24);
}

TEST(CallReplay, members_with_different_sizes_take_one_algorithm) {
    // By their own sizes, rank 0 would send all blocks at once, and the others would exchange pairwise.
    const LoggedProgram logged(6, [](Rank& rank) {
        for (int step = 0; step < 3; ++step) {
            rank.collective(CollectiveOperation::kAlltoall, rank.rank() == 0 ? 240 : 600'000, 500'000);
        }
    });
    const SimulationResult result = ReplayedLog(logged.log()).run();
    EXPECT_EQ(result.payload_bytes, 3 * 5 * (40 + 5 * 100'000));
}

TEST(CallReplay, members_with_the_same_sizes_in_another_order_take_one_algorithm) {
    // Ranks take turns in having large blocks, so in each step their own sizes would lead to different algorithms.
    const LoggedProgram logged(4, [](Rank& rank) {
        for (int step = 0; step < 8; ++step) {
            rank.collective(CollectiveOperation::kAlltoall, step % 4 == rank.rank() ? 400'000 : 40, 100'000);
        }
    });
    EXPECT_EQ(ReplayedLog(logged.log()).run().payload_bytes, 3 * 8 * (100'000 + 3 * 10));
}

TEST(CallReplay, members_with_the_same_sizes_choose_call_by_call) {
    const LoggedProgram logged(4, [](Rank& rank) {
        for (int step = 0; step < 8; ++step) {
            const std::uint64_t bytes = step % 2 == 0 ? 400'000 : 40;
            rank.collective(CollectiveOperation::kAlltoall, bytes, bytes);
        }
    });
    ReplayedLog replayed(logged.log());
    replayed.request.calls.algorithms.set("alltoall=bruck:1KiB,pairwise");
    // Bruck's algorithm sends 2 blocks in each of its 2 steps; the pairwise algorithm sends 1 block in each of 3 steps.
    EXPECT_EQ(replayed.run().payload_bytes, 4 * 4 * (3 * 100'000 + 2 * 2 * 10));
}

TEST(CallReplay, a_collective_that_is_not_waited_for_at_once_overlaps_with_computing) {
    const auto program = [](bool overlaps) {
        return [=](Rank& rank) {
            const auto number = rank.recorder().collective(CollectiveOperation::kAllreduce, 0, kNobody, 8, 8, 0);
            const LoggedProgram::Request request{number, rank.recorder().last_event()};
            if (overlaps) rank.compute(100'000);
            rank.wait(request);
            if (!overlaps) rank.compute(100'000);
        };
    };
    const LoggedProgram two(2, program(true));
    EXPECT_EQ(ReplayedLog(two.log()).run().seconds, seconds(100'000 * kNsPs));
    // With eight ranks only the first step overlaps: later steps progress only when the rank is inside a call again.
    const LoggedProgram eight(8, program(true));
    const LoggedProgram one_by_one(8, program(false));
    const double overlapped = ReplayedLog(eight.log()).run().seconds;
    EXPECT_GT(overlapped, seconds(100'000 * kNsPs));
    EXPECT_LT(overlapped, ReplayedLog(one_by_one.log()).run().seconds);
}

TEST(CallReplay, a_barrier_is_the_machines_or_messages_of_no_bytes) {
    const LoggedProgram logged(8, [](Rank& rank) {
        rank.compute(rank.rank() == 5 ? 3'000 : 0);
        rank.collective(CollectiveOperation::kBarrier, 0, 0);
    });
    ReplayedLog replayed(logged.log());
    EXPECT_EQ(replayed.run().seconds, seconds(3'000 * kNsPs + kBarrierPs));
    replayed.request.process.barrier_ps = 0;
    const SimulationResult result = replayed.run();
    EXPECT_EQ(result.packets, 8 * 3);
    EXPECT_EQ(result.payload_bytes, 0);
    EXPECT_GT(result.seconds, seconds(3'000 * kNsPs));
}

TEST(CallReplay, messages_of_different_communicators_do_not_match) {
    const LoggedProgram logged(2, [](Rank& rank) {
        const std::uint32_t other = rank.communicator(77, {0, 1, 2});
        if (rank.rank() == 0) {
            rank.recorder().send(1, 5, other, 3'000, kBlocking);
            rank.recorder().send(1, 5, 0, 100, kBlocking);
        } else {
            const auto world = rank.irecv(0, 5);
            rank.wait(world);
            rank.recorder().receive(0, 5, other, kBlocking);
        }
    });
    ProcessOptions process = free_process();
    process.eager_limit_bytes = 1 << 20;
    const SimulationResult result = ReplayedLog(logged.log(), process).run();
    EXPECT_EQ(result.payload_bytes, 3'100);
    EXPECT_TRUE(result.ranks[1].finished);
}

TEST(CallReplay, computing_times_are_means_or_drawn_around_them) {
    const LoggedProgram logged(2, [](Rank& rank) {
        for (int step = 0; step < 1000; ++step) {
            rank.compute(step % 10 == 0 ? 10'000 : 1'000);
            if (rank.rank() == 0) rank.send(1, 8);
            if (rank.rank() == 1) rank.receive(0);
        }
    });
    const auto mean_ps = [](const SimulationResult& result) {
        return static_cast<double>(result.ranks[0].compute_ps) / 1000;
    };
    ReplayedLog replayed(logged.log());
    auto& computing = replayed.request.calls.computing;
    const double mean = mean_ps(replayed.run());
    EXPECT_NEAR(mean, 1'900 * kNsPs, 1);
    computing.factor = 0.5;
    EXPECT_NEAR(mean_ps(replayed.run()), mean / 2, 1);
    computing.factor = 1;
    computing.rule = ReplayedComputing::Rule::kNone;
    EXPECT_EQ(replayed.run().ranks[0].compute_ps, 0);
    computing.rule = ReplayedComputing::Rule::kDrawn;
    const SimulationResult drawn = replayed.run();
    EXPECT_NEAR(mean_ps(drawn), mean, 0.2 * mean);
    EXPECT_EQ(replayed.run().seconds, drawn.seconds);
    computing.seed = 2;
    EXPECT_NE(replayed.run().seconds, drawn.seconds);
}

TEST(CallReplay, one_program_in_three_formats_takes_equal_times) {
    constexpr int kSteps = 5;
    const LoggedProgram logged(3, [](Rank& rank) {
        for (int step = 0; step < kSteps; ++step) {
            rank.compute(2'000);
            const auto in = rank.irecv((rank.rank() + 2) % 3);
            const auto out = rank.isend((rank.rank() + 1) % 3, 5'000);
            rank.compute(1'000);
            rank.wait(in);
            rank.wait(out);
        }
    });
    std::string goal = "num_ranks 3\n";
    std::string tit;
    for (int r = 0; r < 3; ++r) {
        const std::string rank = std::to_string(r);
        const std::string from = std::to_string((r + 2) % 3);
        const std::string to = std::to_string((r + 1) % 3);
        goal += "rank " + rank + " {\n";
        tit += rank + " init\n";
        for (int step = 0; step < kSteps; ++step) {
            const std::string s = std::to_string(step);
            goal += "a" + s + ": calc 2000\nr" + s + ": recv 5000b from " + from + " tag 0\ns" + s +
                    ": send 5000b to " + to + " tag 0\nb" + s + ": calc 1000\nr" + s + " requires a" + s + "\ns" + s +
                    " requires a" + s + "\nb" + s + " irequires s" + s + "\nb" + s + " irequires r" + s + "\n";
            if (step > 0) {
                for (const char* const of : {"r", "s", "b"}) {
                    goal += "a" + s + " requires " + of + std::to_string(step - 1) + "\n";
                }
            }
            tit += rank + " compute 2000\n" + rank + " irecv " + from + " 0 5000 6\n" + rank + " isend " + to +
                   " 0 5000 6\n" + rank + " compute 1000\n" + rank + " waitall 2\n";
        }
        goal += "}\n";
        tit += rank + " finalize\n";
    }
    const SimulationResult own = ReplayedLog(logged.log()).run();
    EXPECT_EQ(own.payload_bytes, 3 * kSteps * 5'000);
    EXPECT_EQ(ReplayedLog(parse_goal(goal, "ring.goal")).run().seconds, own.seconds);
    EXPECT_EQ(ReplayedLog(parse_tit(tit, "ring.tit")).run().seconds, own.seconds);
}

TEST(ScheduleReplay, chains_of_dependencies_wait_for_themselves_alone) {
    // Two chains in rank 0: the first one in the file waits for a late message, the second continues meanwhile.
    const std::string goal =
        "num_ranks 3\n"
        "rank 0 {\n"
        "l1: recv 800b from 1 tag 0\nl2: calc 5000\nl2 requires l1\n"
        "l3: recv 800b from 2 tag 0\nl4: calc 5000\nl4 requires l3\n"
        "l5: send 800b to 2 tag 1\nl5 requires l4\n"
        "}\n"
        "rank 1 {\nl1: calc 20000\nl2: send 800b to 0 tag 0\nl2 requires l1\n}\n"
        "rank 2 {\nl1: send 800b to 0 tag 0\nl2: recv 800b from 0 tag 1\nl2 irequires l1\n}\n";
    const SimulationResult result = ReplayedLog(parse_goal(goal, "chains.goal")).run();
    const std::int64_t two_links_ps = flight_ps(800) + 246'000;
    EXPECT_EQ(result.ranks[2].end_ps, 5'000 * kNsPs + 2 * two_links_ps);
    EXPECT_EQ(result.ranks[0].end_ps, 25'000 * kNsPs + flight_ps(800));
    EXPECT_EQ(result.ranks[0].compute_ps, 10'000 * kNsPs);
}

TEST(CallReplay, results_depend_neither_on_partitions_nor_on_threads) {
    const LoggedProgram logged(64, [](Rank& rank) {
        for (int step = 0; step < 3; ++step) {
            rank.compute(1'000 + 37 * static_cast<std::uint64_t>(rank.rank() % 5));
            rank.sendrecv((rank.rank() + 1) % 64, (rank.rank() + 63) % 64, 3'000);
            rank.collective(CollectiveOperation::kAllreduce, 8, 8);
            rank.collective(CollectiveOperation::kAlltoall, 6'400, 6'400);
        }
    });
    ReplayedLog replayed(logged.log(), plain_process(), {-4, -4, -4});
    const SimulationResult one = replayed.run();
    for (const int partitions : {7, 64}) {
        for (const int threads : {1, 2}) {
            replayed.request.partitions = partitions;
            replayed.request.threads = threads;
            const SimulationResult other = replayed.run();
            EXPECT_EQ(other.seconds, one.seconds);
            EXPECT_EQ(other.packet_hops, one.packet_hops);
            for (std::size_t r = 0; r < one.ranks.size(); ++r) EXPECT_EQ(other.ranks[r].wait_ps, one.ranks[r].wait_ps);
        }
    }
}

TEST(CallReplay, collectives_of_communicators_whose_ranks_are_not_known_are_left_out) {
    constexpr auto kCount = static_cast<int>(CollectiveOperation::kCount);
    const LoggedProgram logged(2, [](Rank& rank) {
        for (int operation = 0; operation < kCount; ++operation) {
            rank.collective(static_cast<CollectiveOperation>(operation), 8, 8);
        }
        rank.sendrecv(1 - rank.rank(), 1 - rank.rank(), 8);
    });
    JobLog log = logged.log();
    log.communicators.push_back({2, {}, {}});
    for (RankLog& rank : log.ranks) rank.communicators = {1};
    const SimulationResult result = ReplayedLog(log).run();
    EXPECT_EQ(result.payload_bytes, 2 * 8);
    EXPECT_EQ(result.gaps->other_collectives + result.gaps->neighborhood_collectives, 2 * kCount);
}

TEST(CallReplay, a_log_that_does_not_say_all_is_refused_with_the_option_that_helps) {
    const LoggedProgram logged(2, [](Rank& rank) { rank.sendrecv(1 - rank.rank(), 1 - rank.rank(), 8); });
    const auto refusal = [](const JobLog& log) {
        try {
            const CallReplay replay(log, {});
        } catch (const UnsupportedError& error) {
            return std::string(error.what()) + error.hint();
        }
        return std::string("taken");
    };
    JobLog log = logged.log();
    EXPECT_EQ(refusal(log), "taken");
    log.ranks[1].threads[0].lost_events = 1;
    EXPECT_NE(refusal(log).find("rank 1"), std::string::npos);
    log = logged.log();
    log.ranks[1].threads.push_back(log.ranks[1].threads[0]);
    EXPECT_NE(refusal(log).find("several threads"), std::string::npos);
    log = logged.log();
    log.ranks[0].state = RankState::kAborted;
    EXPECT_NE(refusal(log).find("§form sets"), std::string::npos);
    log = logged.log();
    log.ranks[1].state = RankState::kRunning;
    log.ranks[1].threads.clear();
    EXPECT_NE(refusal(log).find("the trace of rank 1 is missing"), std::string::npos);
    log = logged.log();
    log.ranks.pop_back();
    EXPECT_NE(refusal(log).find("1 of the 2 ranks"), std::string::npos);
    log = logged.log();
    log.has_calls = false;
    EXPECT_NE(refusal(log).find("order"), std::string::npos);
}

}  // namespace
}  // namespace haichi
