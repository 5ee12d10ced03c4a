#include <gtest/gtest.h>

#include "tests/mgen/scripted_program.h"

// Puts, gets, atomic operations and polls between ranks on neighbouring nodes unless stated otherwise. Every expected
// time is a sum of the machine's values.
//
//   rank 0 (node 0) ---- rank 1 (node 1) ---- node 2 ---- node 3
namespace haichi {
namespace {

using namespace mgen_tests;

constexpr std::int64_t kRdmaPs = 300'000;

ProcessOptions rdma_process() {
    ProcessOptions options = plain_process();
    options.rdma_overhead_ps = kRdmaPs;
    return options;
}

Call put_to(std::int32_t rank, std::int64_t bytes, std::int32_t tag = 0, std::uint32_t request = 1,
            SendOptions options = {}) {
    return Call::put(RankId(rank), bytes, tag, options, request);
}

TEST(Put, arrives_as_a_message_and_is_complete_when_the_control_packet_is_back) {
    ScriptRun run({{put_to(1, kLarge), Call::wait()}, {Call::poll(0)}}, rdma_process());
    run.model.run();
    EXPECT_EQ(run.end_ps(1), kRdmaPs + flight_ps(kLarge));
    EXPECT_EQ(run.done_ps(0, 1), kRdmaPs + flight_ps(kLarge) + flight_ps(0));
    EXPECT_EQ(run.end_ps(0), run.done_ps(0, 1));
    const CompletedRequest& done = run.program.completions.at({0, 1});
    EXPECT_TRUE(done.is_access);
    EXPECT_EQ(done.partner, RankId(1));
    EXPECT_EQ(done.bytes, kLarge);
    EXPECT_EQ(run.model.engine().counts().packets_injected, 101);
}

TEST(Put, that_has_arrived_before_the_poll_is_kept_and_costs_the_poll_alone) {
    constexpr std::int64_t kBusyPs = 50'000'000;
    ScriptRun run({{put_to(1, kSmall)}, {Call::compute(kBusyPs), Call::poll(0)}}, rdma_process());
    run.model.run();
    EXPECT_EQ(run.end_ps(1), kBusyPs + kRdmaPs);
    EXPECT_EQ(run.model.times(RankId(1)).wait_ps, 0);
    EXPECT_EQ(run.done_ps(0, 1), kRdmaPs + flight_ps(kSmall) + flight_ps(0));  // the target computes meanwhile
}

TEST(Put, two_of_one_tag_are_two_arrivals) {
    ScriptRun run({{put_to(1, kSmall, 7), put_to(1, kSmall, 7, 2)}, {Call::poll(7), Call::poll(7)}}, rdma_process());
    run.model.run();
    EXPECT_EQ(run.end_ps(1), 2 * kRdmaPs + flight_ps(kSmall));

    ScriptRun one({{put_to(1, kSmall, 7)}, {Call::poll(7), Call::poll(7)}}, rdma_process());
    EXPECT_THROW(one.model.run(), InputError);
}

TEST(Put, arrivals_are_counted_by_tag_whoever_sent_them) {
    ScriptRun run(
        {{put_to(2, kSmall, 1)}, {Call::compute(20'000'000), put_to(2, kSmall, 2)}, {Call::poll(2), Call::poll(1)}},
        rdma_process());
    run.model.run();
    EXPECT_EQ(run.end_ps(2), 20'000'000 + kRdmaPs + flight_ps(kSmall) + kRdmaPs);
}

TEST(Put, one_that_is_not_counted_ends_no_poll) {
    ScriptRun run({{Call::put_uncounted(RankId(1), kSmall, {}, 1), Call::wait()}, {Call::poll(0)}}, rdma_process());
    EXPECT_THROW(run.model.run(), InputError);
    EXPECT_EQ(run.done_ps(0, 1), kRdmaPs + flight_ps(kSmall) + flight_ps(0));
}

TEST(Put, a_short_one_overtakes_a_long_one_by_another_nic) {
    ProcessOptions process = rdma_process();
    process.nics = 2;
    ScriptRun run({{put_to(1, kLarge, 1, 1), put_to(1, kSmall, 2, 2), Call::wait()}, {Call::poll(2), Call::poll(1)}},
                  process);
    run.model.run();
    EXPECT_LT(run.done_ps(0, 2), run.done_ps(0, 1));

    SendOptions first;
    first.nic = 0;
    ScriptRun chosen({{put_to(1, kLarge, 1, 1, first), put_to(1, kSmall, 2, 2, first), Call::wait()}, {}}, process);
    chosen.model.run();
    EXPECT_GT(chosen.done_ps(0, 2), chosen.done_ps(0, 1));
}

TEST(Put, packets_of_one_nic_interleave_where_it_takes_messages_in_turn) {
    ScriptRun run({{put_to(1, kLarge, 1, 1), put_to(1, kSmall, 2, 2), Call::wait()}, {}}, rdma_process(), {}, {}, 1,
                  true);
    run.model.run();
    EXPECT_LT(run.done_ps(0, 2), run.done_ps(0, 1));
}

TEST(Put, to_a_rank_that_has_ended_is_complete) {
    ScriptRun run({{Call::compute(9'000'000), put_to(1, kSmall), Call::wait()}, {}}, rdma_process());
    run.model.run();
    EXPECT_EQ(run.end_ps(1), 0);
    EXPECT_EQ(run.end_ps(0), 9'000'000 + kRdmaPs + flight_ps(kSmall) + flight_ps(0));
}

TEST(Put, of_no_bytes_is_a_packet_each_way) {
    ScriptRun run({{put_to(1, 0), Call::wait()}, {Call::poll(0)}}, rdma_process());
    run.model.run();
    EXPECT_EQ(run.end_ps(1), kRdmaPs + flight_ps(0));
    EXPECT_EQ(run.end_ps(0), kRdmaPs + 2 * flight_ps(0));
}

TEST(Put, on_one_node_goes_through_its_memory) {
    ScriptRun run({{put_to(1, kSmall), Call::wait()}, {Call::poll(0)}}, rdma_process(), {2, 2});
    run.model.run();
    const std::int64_t arrival_ps = kRdmaPs + copy_time_ps(kSmall) + 50'000;
    EXPECT_EQ(run.end_ps(1), arrival_ps);
    EXPECT_EQ(run.done_ps(0, 1), arrival_ps + 50'000);
    EXPECT_EQ(run.model.engine().counts().packets_injected, 0);
}

TEST(Put, to_a_rank_that_is_none_is_refused) {
    ScriptRun run({{put_to(3, kSmall)}, {}}, rdma_process());
    EXPECT_THROW(run.model.run(), OptionError);
}

TEST(Poll, for_a_put_that_never_comes_is_named_with_what_is_there) {
    ScriptRun run({{put_to(1, 8, 3), put_to(1, 8, 4, 2)}, {Call::poll(5)}}, rdma_process());
    try {
        run.model.run();
        FAIL();
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what())
                      .find("rank 1 polls for a put with tag 5; arrived puts: 1 with tag 3, 1 with tag 4"),
                  std::string::npos)
            << error.what();
    }
}

TEST(Get, asks_and_is_answered_by_the_targets_nic) {
    ScriptRun run({{Call::get(RankId(1), kLarge, {}, 1), Call::wait()}, {Call::compute(99'000'000)}}, rdma_process());
    run.model.run();
    EXPECT_EQ(run.end_ps(0), kRdmaPs + flight_ps(0) + flight_ps(kLarge));
    EXPECT_EQ(run.program.completions.at({0, 1}).bytes, kLarge);
}

TEST(Get, leaves_a_gap_behind_every_packet_of_its_data) {
    SendOptions gap;
    gap.gap_ps = 10'000;
    ScriptRun run({{Call::get(RankId(1), kLarge, gap, 1), Call::wait()}, {}}, rdma_process());
    run.model.run();
    EXPECT_EQ(run.end_ps(0), kRdmaPs + flight_ps(0) + flight_ps(kLarge) + 99 * 10'000);
}

TEST(Atomic, is_done_by_the_nic_while_the_target_computes_or_by_the_target_at_its_next_call) {
    constexpr std::int64_t kBusyPs = 99'000'000;
    const Call add = Call::atomic(RankId(1), 8, 8, {}, 1);
    ScriptRun by_nic({{add, Call::wait()}, {Call::compute(kBusyPs)}}, rdma_process());
    by_nic.model.run();
    EXPECT_EQ(by_nic.end_ps(0), kRdmaPs + 2 * flight_ps(8));

    ScriptRun by_rank({{add.by_target(), Call::wait()}, {Call::compute(kBusyPs), Call::spend(1)}}, rdma_process());
    by_rank.model.run();
    EXPECT_EQ(by_rank.end_ps(0), kBusyPs + flight_ps(8));

    ScriptRun at_its_end({{add.by_target(), Call::wait()}, {Call::compute(kBusyPs)}}, rdma_process());
    at_its_end.model.run();
    EXPECT_EQ(at_its_end.end_ps(0), kBusyPs + flight_ps(8));
}

/// Records each access to a rank's memory with its time.
struct AccessedProgram : ScriptedProgram {
    std::map<std::int32_t, std::vector<std::pair<RemoteAccess, std::int64_t>>> seen{};
    TargetAnswer accessed(const RemoteAccess& access, std::int64_t now_ps) override {
        seen[access.target.value].emplace_back(access, now_ps);
        return TargetAnswer::kNow;
    }
};

TEST(Access, is_told_to_the_program_when_it_is_done_at_its_target) {
    const Network network = packetsim_machines::grid_network({4});
    PacketTimingOptions timing = packetsim_machines::torus_study();
    timing.buffer_packets = 32;
    AccessedProgram program;
    program.calls = {{put_to(1, kSmall, 4, 11), Call::get(RankId(1), kLarge, {}, 12).in(9), Call::wait()}, {}};
    ProcessModel model({.network = &network,
                        .timing = PacketTiming(timing),
                        .process = rdma_process(),
                        .node_of_rank = {NodeId(0), NodeId(1)}},
                       program);
    model.run();
    const auto& seen = program.seen.at(1);
    ASSERT_EQ(seen.size(), 2u);
    EXPECT_EQ(seen[0].second, kRdmaPs + flight_ps(kSmall));
    EXPECT_EQ(seen[0].first.kind, RemoteAccess::Kind::kPut);
    EXPECT_EQ(seen[0].first.origin, RankId(0));
    EXPECT_EQ(seen[0].first.request, 11u);
    EXPECT_EQ(seen[0].first.tag, 4);
    EXPECT_EQ(seen[0].first.bytes, kSmall);
    EXPECT_EQ(seen[1].first.kind, RemoteAccess::Kind::kGet);
    EXPECT_EQ(seen[1].first.context, 9u);
    EXPECT_EQ(seen[1].first.bytes, 0);
    EXPECT_EQ(seen[1].first.answer_bytes, kLarge);
}

/// All ranks put to all others, and poll for the puts they receive: the result is independent of partitions and
/// threads.
TEST(Access, results_do_not_depend_on_threads) {
    const auto times = [](int threads) {
        std::vector<std::vector<Call>> calls(4);
        for (std::int32_t r = 0; r < 4; ++r) {
            for (std::int32_t k = 0; k < 12; ++k) {
                const std::int32_t to = (r + 1 + k % 3) % 4;
                calls[r].push_back(k % 4 == 3 ? Call::get(RankId(to), 3000 + 70 * k, {}, 100 + k)
                                              : put_to(to, 4000 - 300 * k, 0, 100 + k));
            }
            for (int k = 0; k < 9; ++k) calls[r].push_back(Call::poll(0));
            calls[r].push_back(Call::wait());
        }
        ProcessOptions process = rdma_process();
        process.nics = 2;
        ScriptRun run(calls, process, {}, {}, threads);
        run.model.run();
        return run.program.done_ps;
    };
    const auto one = times(1);
    EXPECT_EQ(one.size(), 48u);
    EXPECT_EQ(times(2), one);
    EXPECT_EQ(times(4), one);
}

}  // namespace
}  // namespace haichi
