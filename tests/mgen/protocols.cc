#include <gtest/gtest.h>

#include "mgen/waiting_text.h"
#include "tests/mgen/scripted_program.h"

// Two ranks on neighbouring nodes unless stated otherwise; every expected time is a sum of the machine's values.
//
//   rank 0 (node 0) ---- rank 1 (node 1) ---- node 2 ---- node 3
namespace haichi {
namespace {

using namespace mgen_tests;

constexpr SendOptions kZeroCopy{.zero_copy = true};

TEST(Eager, a_posted_receive_is_complete_on_delivery_and_the_send_when_copied) {
    ScriptRun run({{send_to(1, kSmall), Call::wait()}, {receive_from(0, kSmall), Call::wait()}});
    run.model.run();
    const std::int64_t sent_ps = kOverheadPs + copy_time_ps(kSmall);
    EXPECT_EQ(run.done_ps(0, 1), sent_ps);
    EXPECT_EQ(run.end_ps(0), sent_ps + kOverheadPs);
    EXPECT_EQ(run.done_ps(1, 1), sent_ps + flight_ps(kSmall));
    EXPECT_EQ(run.end_ps(1), sent_ps + flight_ps(kSmall));
    const RankTimes times = run.model.times(RankId(1));
    EXPECT_EQ(times.call_ps, 2 * kOverheadPs);
    EXPECT_EQ(times.wait_ps, sent_ps + flight_ps(kSmall) - 2 * kOverheadPs);
}

TEST(Eager, an_unexpected_message_is_copied_again_by_the_receive_call) {
    constexpr std::int64_t kBusyPs = 10'000'000;
    ScriptRun run({{send_to(1, kSmall)}, {Call::compute(kBusyPs), receive_from(0, kSmall), Call::wait()}});
    run.model.run();
    EXPECT_EQ(run.done_ps(1, 1), kBusyPs + kOverheadPs + copy_time_ps(kSmall));
    EXPECT_EQ(run.end_ps(1), kBusyPs + 2 * kOverheadPs + copy_time_ps(kSmall));
    EXPECT_EQ(run.model.times(RankId(1)).compute_ps, kBusyPs);
    EXPECT_EQ(run.model.times(RankId(1)).wait_ps, 0);
}

TEST(Eager, with_zero_copy_the_send_is_complete_when_the_last_packet_has_left) {
    ScriptRun run({{send_to(1, kSmall, 1, kZeroCopy), Call::wait()}, {receive_from(0, kSmall), Call::wait()}});
    run.model.run();
    EXPECT_EQ(run.done_ps(0, 1), kOverheadPs + stream_ps(kSmall));
    EXPECT_EQ(run.done_ps(1, 1), kOverheadPs + flight_ps(kSmall));
    EXPECT_EQ(run.end_ps(0), std::max(2 * kOverheadPs, kOverheadPs + stream_ps(kSmall)));
}

TEST(Eager, has_a_host_time_of_its_own_and_copies_unless_the_machine_never_does) {
    ProcessOptions process = plain_process();
    process.eager_overhead_ps = 700'000;
    process.send_copy = SendCopy::kNever;
    ScriptRun run({{send_to(1, kSmall)}, {receive_from(0, kSmall)}}, process);
    run.model.run();
    EXPECT_EQ(run.done_ps(1, 1), 700'000 + flight_ps(kSmall));
    EXPECT_EQ(run.end_ps(0), 700'000);
}

TEST(Eager, an_empty_message_is_a_packet_and_completes_a_receive) {
    ScriptRun run({{send_to(1, 0)}, {receive_from(0, 0), Call::wait()}});
    run.model.run();
    EXPECT_EQ(run.done_ps(1, 1), kOverheadPs + flight_ps(0));
    EXPECT_EQ(run.model.engine().counts().packets_injected, 1);
}

TEST(Rendezvous, asks_waits_for_the_answer_and_streams) {
    ScriptRun run({{send_to(1, kLarge), Call::wait()}, {receive_from(0, kLarge), Call::wait()}});
    run.model.run();
    const std::int64_t data_ps = kOverheadPs + kAskPs + 2 * flight_ps(0);
    EXPECT_EQ(run.done_ps(0, 1), data_ps + stream_ps(kLarge));
    EXPECT_EQ(run.done_ps(1, 1), data_ps + flight_ps(kLarge));
    EXPECT_EQ(run.model.times(RankId(0)).call_ps, 2 * kOverheadPs + kAskPs);
}

TEST(Rendezvous, the_answer_waits_for_the_receive) {
    constexpr std::int64_t kBusyPs = 10'000'000;
    ScriptRun run(
        {{send_to(1, kLarge), Call::wait()}, {Call::compute(kBusyPs), receive_from(0, kLarge), Call::wait()}});
    run.model.run();
    const std::int64_t answer_ps = kBusyPs + kOverheadPs;
    EXPECT_EQ(run.done_ps(1, 1), answer_ps + flight_ps(0) + flight_ps(kLarge));
    EXPECT_EQ(run.done_ps(0, 1), answer_ps + flight_ps(0) + stream_ps(kLarge));
}

TEST(Rendezvous, a_network_interface_answers_while_both_compute) {
    constexpr std::int64_t kBusyPs = 50'000'000;
    ScriptRun run({{send_to(1, kLarge), Call::compute(kBusyPs), Call::wait()},
                   {receive_from(0, kLarge), Call::compute(kBusyPs), Call::wait()}});
    run.model.run();
    EXPECT_EQ(run.done_ps(1, 1), kOverheadPs + kAskPs + 2 * flight_ps(0) + flight_ps(kLarge));
    EXPECT_EQ(run.end_ps(1), 2 * kOverheadPs + kBusyPs);
}

TEST(Rendezvous, without_one_request_and_answer_wait_for_the_next_calls) {
    constexpr std::int64_t kReceiverPs = 20'000'000;
    constexpr std::int64_t kSenderPs = 50'000'000;
    ProcessOptions process = plain_process();
    process.progress = Progress::kCalls;
    ScriptRun run({{send_to(1, kLarge), Call::compute(kSenderPs), Call::wait()},
                   {receive_from(0, kLarge), Call::compute(kReceiverPs), Call::wait()}},
                  process);
    run.model.run();
    // The receiver answers when it enters its wait; the sender handles the answer when it enters its own wait.
    const std::int64_t data_ps = kOverheadPs + kAskPs + kSenderPs;
    EXPECT_EQ(run.done_ps(0, 1), data_ps + stream_ps(kLarge));
    EXPECT_EQ(run.done_ps(1, 1), data_ps + flight_ps(kLarge));
}

TEST(Rendezvous, without_one_a_rank_that_waits_or_calls_answers_at_once) {
    ProcessOptions process = plain_process();
    process.progress = Progress::kCalls;
    constexpr std::int64_t kReceiverPs = 20'000'000;
    ScriptRun run(
        {{send_to(1, kLarge), Call::wait()}, {receive_from(0, kLarge), Call::compute(kReceiverPs), Call::wait()}},
        process);
    run.model.run();
    EXPECT_EQ(run.done_ps(1, 1), kOverheadPs + kReceiverPs + flight_ps(0) + flight_ps(kLarge));
}

TEST(Rendezvous, can_be_asked_for_by_the_call_as_eager_can) {
    constexpr SendOptions kAsked{.protocol = Protocol::kRendezvous};
    constexpr SendOptions kUnasked{.protocol = Protocol::kEager};
    ScriptRun run({{send_to(1, 8, 1, kAsked), Call::wait(), send_to(1, kLarge, 2, kUnasked)},
                   {receive_from(0, 8, 1), Call::wait(), receive_from(0, kLarge, 2)}});
    run.model.run();
    const std::int64_t first_ps = kOverheadPs + kAskPs + 2 * flight_ps(0) + flight_ps(8);
    EXPECT_EQ(run.done_ps(1, 1), first_ps);
    const std::int64_t again_ps = first_ps - flight_ps(8) + stream_ps(8);
    EXPECT_EQ(run.done_ps(0, 2), again_ps + kOverheadPs + copy_time_ps(kLarge));
    EXPECT_EQ(run.done_ps(1, 2), run.done_ps(0, 2) + flight_ps(kLarge));
}

TEST(Rendezvous, copies_first_where_the_machine_always_does) {
    ProcessOptions process = plain_process();
    process.send_copy = SendCopy::kAlways;
    ScriptRun run({{send_to(1, kLarge), Call::wait()}, {receive_from(0, kLarge), Call::wait()}}, process);
    run.model.run();
    EXPECT_EQ(run.done_ps(1, 1), kOverheadPs + kAskPs + copy_time_ps(kLarge) + 2 * flight_ps(0) + flight_ps(kLarge));
}

TEST(SameNode, ranks_talk_through_shared_memory) {
    ScriptRun run({{send_to(1, kSmall)}, {receive_from(0, kSmall), Call::wait()}}, plain_process(), {2, 2});
    run.model.run();
    // The sender copies the message through the memory at 10 GB/s with a latency of 50 ns.
    EXPECT_EQ(run.done_ps(1, 1), kOverheadPs + 2 * copy_time_ps(kSmall) + 50'000);
    EXPECT_EQ(run.model.engine().counts().packet_hops, 0);
}

TEST(SameNode, a_rank_may_send_to_itself) {
    ScriptRun run({{receive_from(0, kLarge, 1), send_to(0, kLarge, 2), Call::wait()}});
    run.model.run();
    EXPECT_EQ(run.done_ps(0, 1), 2 * kOverheadPs + kAskPs + 2 * 50'000 + copy_time_ps(kLarge) + 50'000);
    EXPECT_TRUE(run.model.all_finished());
}

TEST(Barrier, all_go_on_together_after_the_last) {
    std::vector<std::vector<Call>> calls;
    for (std::int32_t r = 0; r < 4; ++r) {
        calls.push_back({Call::compute(1'000'000 * (r + 1)), Call::barrier(0), Call::compute(7), Call::barrier(0)});
    }
    ScriptRun run(calls, plain_process(), {}, {{RankId(0), RankId(1), RankId(2), RankId(3)}});
    run.model.run();
    for (std::int32_t r = 0; r < 4; ++r) {
        EXPECT_EQ(run.end_ps(r), 4'000'000 + kBarrierPs + 7 + kBarrierPs);
        EXPECT_EQ(run.model.times(RankId(r)).wait_ps, 4'000'000 - 1'000'000 * (r + 1) + 2 * kBarrierPs);
    }
}

TEST(Barrier, groups_do_not_know_of_each_other_and_may_cost_nothing) {
    ProcessOptions process = plain_process();
    process.barrier_ps = 0;
    ScriptRun run({{Call::barrier(0)}, {Call::compute(10), Call::barrier(0)}, {Call::compute(500), Call::barrier(1)}},
                  process, {}, {{RankId(0), RankId(1)}, {RankId(2)}});
    run.model.run();
    EXPECT_EQ(run.end_ps(0), 10);
    EXPECT_EQ(run.end_ps(1), 10);
    EXPECT_EQ(run.end_ps(2), 500);
}

TEST(SeveralNics, messages_of_a_pair_match_in_the_order_of_their_sends) {
    ProcessOptions process = plain_process();
    process.nics = 4;
    process.eager_limit_bytes = 1 << 20;
    process.memory_bandwidth_bytes_per_s = 0;
    ScriptRun run({{send_to(1, kLarge, 1), send_to(1, 8, 2)}, {receive_from(0, kLarge, 1), receive_from(0, kLarge, 2)}},
                  process);
    run.model.run();
    // The second message, on its own NIC, arrives long before, but matches only after the first.
    const std::int64_t first_ps = run.done_ps(1, 1);
    EXPECT_GE(first_ps, kOverheadPs + flight_ps(kLarge));
    EXPECT_EQ(run.done_ps(1, 2), first_ps);
    EXPECT_EQ(run.program.completions.at({1, 1}).bytes, kLarge);
    EXPECT_EQ(run.program.completions.at({1, 2}).bytes, 8);
}

TEST(OneNic, messages_of_a_pair_match_in_the_order_of_their_sends_where_it_interleaves_their_packets) {
    ProcessOptions process = plain_process();
    process.eager_limit_bytes = 1 << 20;
    process.memory_bandwidth_bytes_per_s = 0;
    ScriptRun run({{send_to(1, kLarge, 1), send_to(1, 8, 2)}, {receive_from(0, kLarge, 1), receive_from(0, kLarge, 2)}},
                  process, {}, {}, 1, true);
    run.model.run();
    // The packets of the second message are sent between packets of the first.
    EXPECT_EQ(run.program.completions.at({1, 1}).bytes, kLarge);
    EXPECT_EQ(run.program.completions.at({1, 2}).bytes, 8);
    EXPECT_EQ(run.done_ps(1, 2), run.done_ps(1, 1));
    EXPECT_GE(run.done_ps(1, 1), kOverheadPs + flight_ps(kLarge));
}

TEST(SeveralNics, take_the_messages_of_a_rank_in_turn_unless_the_call_names_one) {
    ProcessOptions process = plain_process();
    process.nics = 2;
    process.call_overhead_ps = process.eager_overhead_ps = 0;
    process.send_copy = SendCopy::kNever;
    const auto last_ps = [&](SendOptions options) {
        ScriptRun run({{send_to(1, kSmall, 1, options), send_to(3, kSmall, 2, options)}, {}, {}, {}}, process,
                      {1, 0, 3, 2});
        run.model.run();
        return std::max(run.done_ps(0, 1), run.done_ps(0, 2));
    };
    EXPECT_EQ(last_ps({}), stream_ps(kSmall));
    EXPECT_EQ(last_ps({.nic = 1}), 2 * stream_ps(kSmall));
}

TEST(AnySource, takes_the_message_that_came_first_and_says_whose_it_was) {
    ScriptRun run({{Call::compute(1'000'000), Call::send(RankId(1), 8, 5)},
                   {Call::receive_any(64, Call::kAnyTag, 1), Call::receive_any(64, 5, 2), Call::wait()},
                   {Call::send(RankId(1), 16, 6)}});
    run.model.run();
    EXPECT_EQ(run.program.completions.at({1, 1}).partner, RankId(2));
    EXPECT_EQ(run.program.completions.at({1, 1}).tag, 6);
    EXPECT_EQ(run.program.completions.at({1, 2}).partner, RankId(0));
    EXPECT_EQ(run.program.completions.at({1, 2}).bytes, 8);
}

TEST(Stuck, counts_the_requests_that_it_does_not_list) {
    EXPECT_EQ(list_text({}, 1), " 1 request");
    EXPECT_EQ(list_text({"a"}, 1), " a");
    EXPECT_EQ(list_text({"a"}, 2), " a, and for 1 more request");
    EXPECT_EQ(list_text({"a", "b", "c", "d"}, 5), " a, and for b, and for c, and for 2 more requests");
}

TEST(Stuck, names_who_waits_for_what) {
    ScriptRun run({{send_to(1, kLarge), Call::wait()},
                   {Call::receive(RankId(2), 8, 7, 1), Call::receive_any(9, 4), Call::wait()},
                   {Call::barrier(0)},
                   {}},
                  plain_process(), {}, {{RankId(2), RankId(3)}});
    try {
        run.model.run();
        FAIL() << "it cannot end";
    } catch (const InputError& error) {
        const std::string words = error.what();
        EXPECT_NE(words.find("3 ranks have not finished:\n  rank 0 waits"), std::string::npos) << words;
        EXPECT_NE(words.find("rank 0 waits for rank 1 to receive a message, tag 0, 25600 bytes"), std::string::npos)
            << words;
        EXPECT_NE(words.find("rank 1 waits for a message from rank 2, tag 7, at most 8 bytes, and for a message from "
                             "any rank, tag 4, at most 9 bytes"),
                  std::string::npos)
            << words;
        EXPECT_NE(words.find("rank 2 waits in a barrier that 1 of 2 ranks have reached"), std::string::npos) << words;
    }
}

TEST(ProcessModel, refuses_faulty_nodes_wrong_partners_and_times_beyond_its_range) {
    EXPECT_THROW(ScriptRun({{}}, plain_process(), {4}), OptionError);
    ScriptRun wrong({{send_to(7, 8)}});
    EXPECT_THROW(wrong.model.run(), OptionError);
    ScriptRun late({{Call::compute(kLongestSimulationPs), Call::compute(1)}});
    EXPECT_THROW(late.model.run(), UnsupportedError);
    ProcessOptions process = plain_process();
    process.barrier_ps = kLongestSimulationPs / 2;
    ScriptRun barriers({{Call::barrier(0), Call::barrier(0), Call::barrier(0)}}, process);
    barriers.model.add_group({RankId(0)});
    EXPECT_THROW(barriers.model.run(), UnsupportedError);
    process = plain_process();
    process.call_overhead_ps = process.rendezvous_overhead_ps = std::int64_t{1} << 62;
    process.eager_limit_bytes = 0;
    ScriptRun sums({{send_to(1, 8)}, {}}, process);
    EXPECT_THROW(sums.model.run(), UnsupportedError);
}

}  // namespace
}  // namespace haichi
