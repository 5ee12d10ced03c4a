#include <gtest/gtest.h>

#include <cmath>

#include "base/stop_flag.h"
#include "mgen/replay/replay.h"
#include "mgen/replay/simulation.h"
#include "tests/mgen/scripted_program.h"

namespace haichi {
namespace {

using namespace mgen_tests;
using Rule = SimulatedIterations::Rule;

struct ReplayedWorkload {
    explicit ReplayedWorkload(Workload of, ProcessOptions process = plain_process())
        : workload(std::move(of)), network(packetsim_machines::grid_network({4})) {
        request.workload = &workload;
        request.network = &network;
        request.timing = packetsim_machines::torus_study();
        request.timing.buffer_packets = 32;
        request.timing.nics = process.nics;
        request.process = process;
        for (std::int32_t r = 0; r < workload.rank_count(); ++r) request.node_of_rank.emplace_back(r);
        request.iterations = {Rule::kAll, 0};
    }
    SimulationResult run() const { return simulate(request); }

    Workload workload;
    Network network;
    SimulationRequest request;
};

/// A rank's time in a set with one eager send and one receive, from its start to the end of its send call.
constexpr std::int64_t kPostPs = 2 * kOverheadPs + copy_time_ps(kSmall);
/// All ranks are in step: each message is delivered one flight after its send.
constexpr std::int64_t kSetPs = kPostPs + flight_ps(kSmall);

Workload exchange(std::int64_t iterations, double compute_seconds = 0) {
    Workload workload(2, iterations);
    workload.add_set("there and back", compute_seconds);
    workload.add_message(RankId(0), RankId(1), kSmall);
    workload.add_message(RankId(1), RankId(0), kSmall);
    return workload;
}

TEST(Replay, an_exchange_takes_two_calls_a_copy_and_a_flight_per_iteration) {
    for (const std::int64_t iterations : {1, 2, 7}) {
        const SimulationResult result = ReplayedWorkload(exchange(iterations)).run();
        EXPECT_EQ(result.seconds, seconds(iterations * kSetPs));
        EXPECT_EQ(result.simulated_iterations, iterations);
        EXPECT_FALSE(result.extrapolated);
        EXPECT_EQ(result.payload_bytes, 2 * kSmall * iterations);
    }
}

TEST(Replay, a_set_by_put_is_put_polled_for_and_completed_in_every_iteration) {
    ProcessOptions process = plain_process();
    process.rdma_overhead_ps = kOverheadPs;
    Workload workload(2, 3);
    workload.add_set("there and back", 0, Transfer::kPut);
    workload.add_message(RankId(0), RankId(1), kSmall);
    workload.add_message(RankId(1), RankId(0), kSmall);
    const SimulationResult result = ReplayedWorkload(workload, process).run();
    EXPECT_EQ(result.seconds, seconds(3 * (kOverheadPs + flight_ps(kSmall) + flight_ps(0))));
    EXPECT_EQ(result.payload_bytes, 3 * 2 * kSmall);
    EXPECT_EQ(workload.with_message_size(9).set(0).transfer, Transfer::kPut);
}

/// Rank 0 puts without waiting for its slower receiver: the puts of later iterations wait for their polls.
TEST(Replay, puts_of_ranks_that_are_ahead_are_for_later_iterations) {
    Workload workload(3, 4);
    workload.add_set("to the slow one", 0, Transfer::kPut);
    workload.add_message(RankId(0), RankId(2), kSmall);
    workload.add_message(RankId(1), RankId(2), 100 * kSmall);
    ProcessOptions process = plain_process();
    process.rdma_overhead_ps = kOverheadPs;
    const SimulationResult result = ReplayedWorkload(workload, process).run();
    // Rank 1 is the slowest rank: the receiver ends with rank 1's last put.
    EXPECT_LT(result.ranks[0].end_ps, result.ranks[2].end_ps);
    EXPECT_EQ(result.ranks[1].end_ps, result.ranks[2].end_ps + flight_ps(0));
}

TEST(Replay, computes_before_a_set_and_pays_for_the_barrier) {
    ReplayedWorkload replayed(exchange(3, 2e-6));
    EXPECT_EQ(replayed.run().seconds, seconds(3 * (2'000'000 + kSetPs)));
    replayed.request.replay.barriers = {true};
    EXPECT_EQ(replayed.run().seconds, seconds(3 * (2'000'000 + kBarrierPs + kSetPs)));
}

/// Two exchanges; all ranks are in step, except that rank 0 computes longer before the first exchange.
Workload two_exchanges() {
    Workload workload = exchange(3, 2e-6);
    workload.add_set("again", 1e-6);
    workload.add_message(RankId(0), RankId(1), kSmall);
    workload.add_message(RankId(1), RankId(0), kSmall);
    return workload;
}

TEST(Replay, a_barrier_costs_only_before_the_sets_that_have_one) {
    ReplayedWorkload replayed(two_exchanges());
    constexpr std::int64_t kBothPs = 3'000'000 + 2 * kSetPs;
    EXPECT_EQ(replayed.run().seconds, seconds(3 * kBothPs));
    for (const std::vector<bool>& barriers : {std::vector<bool>{false, true}, {true, false}}) {
        replayed.request.replay.barriers = barriers;
        EXPECT_EQ(replayed.run().seconds, seconds(3 * (kBothPs + kBarrierPs)));
    }
    replayed.request.replay.barriers = {true, true};
    EXPECT_EQ(replayed.run().seconds, seconds(3 * (kBothPs + 2 * kBarrierPs)));
    replayed.request.replay.barriers = {true};
    EXPECT_THROW(replayed.run(), OptionError);
}

TEST(Replay, an_imbalance_spreads_computing_evenly_around_the_workloads_and_alike_in_every_iteration) {
    constexpr std::int32_t kRanks = 64;
    Workload workload(kRanks, 5);
    workload.add_set("alone", 1e-3);
    for (std::int32_t r = 0; r < kRanks; ++r) workload.add_message(RankId(r), RankId(r), 0);
    ReplayedWorkload replayed(std::move(workload));
    replayed.request.node_of_rank.assign(kRanks, NodeId(0));
    replayed.request.replay.imbalance = {.share = 0.25, .most_ps = 0, .seed = 3};
    const SimulationResult result = replayed.run();
    double sum = 0;
    for (const RankTimes& rank : result.ranks) {
        const double share = static_cast<double>(rank.compute_ps) / 5e9;
        EXPECT_GE(share, 0.75);
        EXPECT_LE(share, 1.25);
        EXPECT_EQ(rank.compute_ps % 5, 0);
        sum += share;
    }
    EXPECT_NEAR(sum / kRanks, 1, 0.06);
    EXPECT_NE(result.ranks[0].compute_ps, result.ranks[1].compute_ps);

    replayed.request.replay.imbalance.seed = 4;
    EXPECT_NE(replayed.run().ranks[0].compute_ps, result.ranks[0].compute_ps);
    replayed.request.replay.imbalance.share = 1.5;
    EXPECT_THROW(replayed.run(), OptionError);
}

TEST(Replay, an_imbalance_in_seconds_delays_sets_that_do_not_compute) {
    ReplayedWorkload replayed(exchange(1));
    replayed.request.replay.imbalance = {.share = 0, .most_ps = 10'000'000, .seed = 1};
    const SimulationResult result = replayed.run();
    EXPECT_GT(result.ranks[0].compute_ps + result.ranks[1].compute_ps, 0);
    EXPECT_LT(std::max(result.ranks[0].compute_ps, result.ranks[1].compute_ps), 10'000'000);
    EXPECT_GT(result.seconds, seconds(kSetPs));
}

/// 64 ranks that compute for 1 ms and then send to themselves.
ReplayedWorkload computing_ranks(std::int64_t iterations) {
    constexpr std::int32_t kRanks = 64;
    Workload workload(kRanks, iterations);
    workload.add_set("alone", 1e-3);
    for (std::int32_t r = 0; r < kRanks; ++r) workload.add_message(RankId(r), RankId(r), 0);
    ReplayedWorkload replayed(std::move(workload));
    replayed.request.node_of_rank.assign(kRanks, NodeId(0));
    return replayed;
}

TEST(Replay, a_spread_differs_by_rank_and_iteration_and_barriers_wait_for_the_last_rank) {
    ReplayedWorkload replayed = computing_ranks(100);
    replayed.request.workload = &replayed.workload;
    replayed.request.network = &replayed.network;
    replayed.request.replay.imbalance = {.share = 0.25, .most_ps = 0, .seed = 3, .varies = true};
    const SimulationResult result = replayed.run();
    double sum = 0;
    for (const RankTimes& rank : result.ranks) {
        // The mean of 100 draws in [0.75, 1.25) has a standard deviation of 0.0144.
        EXPECT_NEAR(static_cast<double>(rank.compute_ps) / 1e11, 1, 0.06);
        sum += static_cast<double>(rank.compute_ps) / 1e11;
    }
    EXPECT_NEAR(sum / static_cast<double>(result.ranks.size()), 1, 0.01);
    EXPECT_NE(result.ranks[0].compute_ps, result.ranks[1].compute_ps);
    // The latest of 64 ranks computes for about 1 + 0.25 * (2 * 64 / 65 - 1) times the mean.
    replayed.request.replay.barriers = {true};
    const SimulationResult held = replayed.run();
    EXPECT_EQ(held.ranks[5].compute_ps, result.ranks[5].compute_ps);
    EXPECT_NEAR(held.seconds / result.seconds, 1.242 / 1.03, 0.01);
    // Iterations whose times are equal by chance do not end the run.
    replayed.request.iterations = {Rule::kAuto, 0};
    replayed.request.replay.imbalance.share = 1e-6;
    EXPECT_GE(replayed.run().simulated_iterations, 64);
    // The rest of the iterations takes the mean of the second half, not of five.
    replayed.request.replay.imbalance.share = 0.25;
    replayed.request.iterations = {Rule::kCount, 80};
    const SimulationResult part = replayed.run();
    EXPECT_EQ(part.simulated_iterations, 80);
    EXPECT_NEAR(part.seconds / held.seconds, 1, 0.002);
}

TEST(Replay, interruptions_come_at_their_interval_and_delay_the_next_set) {
    ReplayedWorkload replayed = computing_ranks(1000);
    replayed.request.workload = &replayed.workload;
    replayed.request.network = &replayed.network;
    replayed.request.replay.imbalance = {
        .share = 0, .most_ps = 2'000'000'000, .seed = 3, .varies = true, .interval_ps = 20'000'000'000};
    const SimulationResult result = replayed.run();
    double lost_ps = 0;
    double run_ps = 0;
    for (const RankTimes& rank : result.ranks) {
        lost_ps += static_cast<double>(rank.compute_ps) - 1e12;
        run_ps += static_cast<double>(rank.end_ps);
    }
    // On average, interruptions take 1 ms every 20 ms.
    EXPECT_NEAR(lost_ps / run_ps, 0.05, 0.002);
    for (const std::int32_t threads : {1, 2}) {
        replayed.request.threads = threads;
        const SimulationResult again = replayed.run();
        EXPECT_EQ(again.ranks[7].end_ps, result.ranks[7].end_ps);
    }
    replayed.request.replay.imbalance.interval_ps = 1'000'000'000;
    EXPECT_THROW(replayed.run(), OptionError);
}

// Above 4,096 interruptions of a set, their sum is drawn at once.
TEST(Replay, many_interruptions_have_the_mean_and_the_spread_of_single_ones) {
    for (const std::int64_t interval_ps : {300'000, 200'000, 1'000}) {
        ReplayedWorkload replayed = computing_ranks(50);
        replayed.request.workload = &replayed.workload;
        replayed.request.network = &replayed.network;
        const std::int64_t most_ps = interval_ps / 5;
        replayed.request.replay.imbalance = {
            .share = 0, .most_ps = most_ps, .seed = 3, .varies = true, .interval_ps = interval_ps};
        const SimulationResult result = replayed.run();
        std::vector<double> lost;
        double mean = 0;
        for (const RankTimes& rank : result.ranks) {
            lost.push_back(static_cast<double>(rank.compute_ps) - 50e9);
            mean += lost.back() / 64;
        }
        double variance = 0;
        for (const double one : lost) variance += (one - mean) * (one - mean) / 63;
        // Until the last set begins, interruptions take a tenth of the time.
        const double time_ps = 49e9 / 0.9;
        EXPECT_NEAR(mean / time_ps, 0.1, 0.001) << interval_ps;
        // A longer run has more interruptions.
        const double expected =
            time_ps / static_cast<double>(interval_ps) * std::pow(static_cast<double>(most_ps) / 0.9, 2) / 6;
        EXPECT_NEAR(std::sqrt(variance / expected), 1, 0.35) << interval_ps;
    }
}

TEST(Replay, the_shortest_interruptions_end) {
    ReplayedWorkload replayed = computing_ranks(1000);
    replayed.request.workload = &replayed.workload;
    replayed.request.network = &replayed.network;
    replayed.request.replay.imbalance = {.share = 0, .most_ps = 1, .seed = 3, .varies = true, .interval_ps = 1};
    EXPECT_NEAR(replayed.run().seconds, 2, 0.01);
}

TEST(Replay, a_ring_of_four_takes_as_long_as_an_exchange_where_no_link_is_shared) {
    // On a mesh of 4, the message from 3 to 0 uses the three downward links, which carry no other message.
    Workload workload(4, 1);
    workload.add_set("ring");
    for (std::int32_t r = 0; r < 4; ++r) workload.add_message(RankId(r), RankId((r + 1) % 4), kSmall);
    const SimulationResult result = ReplayedWorkload(workload).run();
    constexpr std::int64_t kTwoMoreHopsPs = 2 * 246'000;
    EXPECT_EQ(result.seconds, seconds(kSetPs + kTwoMoreHopsPs));
    EXPECT_EQ(result.ranks[1].end_ps, kSetPs);
    EXPECT_EQ(result.ranks[0].end_ps, kSetPs + kTwoMoreHopsPs);
}

TEST(Replay, ranks_without_messages_end_at_once_and_those_without_a_part_in_a_set_pass_it) {
    Workload workload(4, 2);
    workload.add_set("0 and 1", 1e-6);
    workload.add_message(RankId(0), RankId(1), kSmall);
    workload.add_set("nobody");
    workload.add_set("2 alone", 3e-6);
    workload.add_message(RankId(2), RankId(0), 0);
    const SimulationResult result = ReplayedWorkload(workload).run();
    EXPECT_EQ(result.ranks[3].end_ps, 0);
    // A rank without messages in a set still has the set's computation time.
    EXPECT_EQ(result.ranks[1].compute_ps, 2 * 4'000'000);
    EXPECT_EQ(result.ranks[2].compute_ps, 2 * 4'000'000);
    EXPECT_EQ(result.ranks[2].end_ps, 2 * (4'000'000 + 2 * kOverheadPs));
    for (const RankTimes& rank : result.ranks) EXPECT_EQ(rank.compute_ps + rank.call_ps + rank.wait_ps, rank.end_ps);
}

TEST(Replay, messages_to_oneself_and_on_one_node_are_counted_apart_and_are_no_packets) {
    // Messages from rank 0 to itself, to rank 1 on its node, and to rank 2 on another node; eager and by rendezvous.
    for (const std::int64_t bytes : {kSmall, std::int64_t{25'600}}) {
        Workload workload(3, 1);
        workload.add_set("");
        workload.add_message(RankId(0), RankId(0), bytes);
        workload.add_message(RankId(0), RankId(1), bytes + 1);
        workload.add_message(RankId(0), RankId(2), bytes + 2);
        ReplayedWorkload replayed(workload);
        replayed.request.node_of_rank = {NodeId(0), NodeId(0), NodeId(1)};
        const SimulationResult result = replayed.run();
        EXPECT_EQ(result.payload_bytes, bytes + 2);
        EXPECT_EQ(result.on_node_bytes, bytes + bytes + 1);
        const std::int64_t packets = PacketTiming(replayed.request.timing).packet_count(bytes + 2);
        // In addition, the rendezvous request and its answer.
        EXPECT_EQ(result.packets, packets + (bytes > kSmall ? 2 : 0));
        EXPECT_EQ(result.packet_hops, 2 * result.packets);
    }
    Workload workload(1, 1);
    workload.add_set("itself");
    workload.add_message(RankId(0), RankId(0), 100);
    const SimulationResult result = ReplayedWorkload(workload).run();
    EXPECT_EQ(result.payload_bytes, 0);
    EXPECT_EQ(result.on_node_bytes, 100);
    EXPECT_EQ(result.packets, 0);
    EXPECT_EQ(result.packet_hops, 0);
    EXPECT_EQ(result.used_links, 0);
}

TEST(Replay, links_have_carried_what_the_messages_hold_with_headers) {
    ReplayedWorkload replayed(exchange(5));
    replayed.request.timing.packet_header_bytes = 8;
    const SimulationResult result = replayed.run();
    constexpr std::int64_t kPackets = 4;  // 800 bytes in packets of 256
    EXPECT_EQ(result.packets, 2 * 5 * kPackets);
    EXPECT_EQ(result.packet_hops, 2 * result.packets);
    EXPECT_EQ(result.existing_links, 6);
    EXPECT_EQ(result.used_links, 2);
    ASSERT_EQ(result.most_loaded_links.size(), 4U);
    for (const LinkTraffic& link : result.most_loaded_links) {
        EXPECT_EQ(link.bytes, 5 * (kSmall + kPackets * 8));
        EXPECT_DOUBLE_EQ(link.efficiency, static_cast<double>(link.bytes) / (result.seconds * 8e9));
    }
    EXPECT_DOUBLE_EQ(result.used_link_efficiency, result.most_loaded_links[0].efficiency);
    EXPECT_DOUBLE_EQ(result.link_efficiency, result.used_link_efficiency / 3);
}

TEST(SimulatedIterations, auto_stops_when_the_time_repeats_and_multiplies) {
    ReplayedWorkload replayed(exchange(1'000'000));
    replayed.request.iterations = {};
    const SimulationResult result = replayed.run();
    EXPECT_EQ(result.simulated_iterations, 10);
    EXPECT_TRUE(result.extrapolated);
    EXPECT_DOUBLE_EQ(result.seconds, seconds(1'000'000 * kSetPs));
    EXPECT_DOUBLE_EQ(result.seconds_per_iteration, seconds(kSetPs));
}

TEST(SimulatedIterations, auto_simulates_all_of_a_few) {
    ReplayedWorkload replayed(exchange(9));
    replayed.request.iterations = {};
    const SimulationResult result = replayed.run();
    EXPECT_EQ(result.simulated_iterations, 9);
    EXPECT_FALSE(result.extrapolated);
}

TEST(SimulatedIterations, a_number_is_simulated_and_the_rest_follows_the_last_five) {
    ReplayedWorkload replayed(exchange(100));
    replayed.request.iterations = {Rule::kCount, 7};
    const SimulationResult result = replayed.run();
    EXPECT_EQ(result.simulated_iterations, 7);
    EXPECT_TRUE(result.extrapolated);
    EXPECT_DOUBLE_EQ(result.seconds, seconds(100 * kSetPs));
    EXPECT_EQ(result.payload_bytes, 7 * 2 * kSmall);
}

TEST(IterationClock, times_that_never_repeat_settle_by_their_mean) {
    // Iterations alternately take 100 and 120; the first 40 take 10 % longer.
    IterationClock clock(1, 1'000'000, {});
    std::int64_t now_ps = 0;
    for (std::int64_t i = 0; !clock.is_settled(); ++i) {
        ASSERT_LT(i, 1'000);
        now_ps += (i % 2 == 0 ? 100 : 120) * (i < 40 ? 11 : 10);
        clock.finish(i, now_ps);
    }
    EXPECT_TRUE(clock.settled_by_mean());
    EXPECT_EQ(clock.done(), 128);  // not after 64, because the third quarter is 4 % slower than the fourth
    EXPECT_DOUBLE_EQ(*clock.seconds(), (static_cast<double>(now_ps) + (1'000'000 - 128) * 1'100.0) / 1e12);
}

TEST(IterationClock, a_limit_ends_what_does_not_settle_with_the_mean_of_its_second_half) {
    const SimulatedIterations limited{.rule = Rule::kAuto, .count = 21};
    IterationClock clock(1, 1000, limited);
    std::int64_t now_ps = 0;
    for (std::int64_t i = 0; !clock.is_settled(); ++i)
        clock.finish(i, now_ps += i < 10 ? 500 + 10 * i : i % 2 == 0 ? 100 : 120);
    EXPECT_EQ(clock.done(), 21);
    EXPECT_TRUE(clock.reached_limit());
    EXPECT_FALSE(clock.settled_by_mean());
    // Iterations 10 to 20: six of 100 and five of 120.
    EXPECT_DOUBLE_EQ(*clock.seconds(), (static_cast<double>(now_ps) + (1000 - 21) * (1200.0 / 11)) / 1e12);

    IterationClock steady(1, 1000, limited);
    for (std::int64_t i = 0; !steady.is_settled(); ++i) steady.finish(i, 100 * (i + 1));
    EXPECT_EQ(steady.done(), 10);
    EXPECT_FALSE(steady.reached_limit());
}

TEST(IterationClock, settles_by_the_ends_of_iterations_however_far_ranks_have_run_ahead) {
    IterationClock together(2, 100, {});
    IterationClock apart(2, 100, {});
    // Iteration times are 100, 50, then 10 each: settled after ten iterations, not before.
    const auto end_ps = [](std::int64_t i) { return i == 0 ? 100 : 140 + 10 * i; };
    for (std::int64_t i = 0; i < 100; ++i) apart.finish(i, end_ps(i) / 2);
    EXPECT_EQ(apart.done(), 0);
    for (std::int64_t i = 0; i < 30; ++i) {
        together.finish(i, end_ps(i) - 1);
        together.finish(i, end_ps(i));
        apart.finish(i, end_ps(i));
        EXPECT_EQ(together.is_settled(), i >= 9);
        EXPECT_EQ(apart.is_settled(), i >= 9);
    }
    EXPECT_EQ(together.done(), 10);
    EXPECT_EQ(together.end_ps(), end_ps(9));
    EXPECT_DOUBLE_EQ(*together.seconds(), seconds(end_ps(9) + 90 * 10));
    EXPECT_DOUBLE_EQ(*apart.seconds(), *together.seconds());
}

TEST(IterationClock, does_not_settle_while_times_differ_by_more_than_a_thousandth_and_their_mean_grows) {
    IterationClock clock(1, 1000, {});
    std::int64_t now_ps = 0;
    for (std::int64_t i = 0; i < 500; ++i) clock.finish(i, now_ps += 10'000 + 20 * i);
    EXPECT_FALSE(clock.is_settled());
    for (std::int64_t i = 500; i < 505; ++i) clock.finish(i, now_ps += i % 2 == 0 ? 10'000 : 10'010);
    EXPECT_TRUE(clock.is_settled());
    EXPECT_EQ(clock.done(), 505);
}

TEST(Simulation, an_interruption_gives_what_is_known) {
    ReplayedWorkload replayed(exchange(1000));
    const StopFlag stop(true);
    const SimulationResult result = simulate(replayed.request, {{}, &stop});
    EXPECT_TRUE(result.interrupted);
    EXPECT_LT(result.simulated_iterations, 1000);
}

TEST(Simulation, computing_that_never_ends_is_refused_with_its_set) {
    ReplayedWorkload replayed(exchange(1, 1e9));
    EXPECT_THROW(replayed.run(), InputError);
}

}  // namespace
}  // namespace haichi
