#include <gtest/gtest.h>

#include "netmodel/routing/clusters_topology.h"
#include "tests/mgen/scripted_program.h"

// Sends one by one, limited buffers, rendezvous with several round trips. Two ranks on neighbouring nodes unless stated
// otherwise; every expected time is a sum of the machine's values.
namespace haichi {
namespace {

using namespace mgen_tests;

constexpr std::int64_t kPacket = 256;
constexpr std::int64_t kRoundTripPs = 2 * flight_ps(0);

/// Zero copy as three round trips: two with empty messages, one with the data and its acknowledgement.
ProcessOptions three_round_trips() {
    ProcessOptions options = plain_process();
    options.rendezvous_round_trips = 2;
    options.sends_one_by_one = true;
    return options;
}

/// Calls and copies take no time.
ProcessOptions free_calls(ProcessOptions options) {
    options.call_overhead_ps = options.eager_overhead_ps = options.rendezvous_overhead_ps = 0;
    options.memory_bandwidth_bytes_per_s = 0;
    return options;
}

ProcessOptions buffers(std::int64_t bytes) {
    ProcessOptions options = plain_process();
    options.eager_limit_bytes = 1 << 30;
    options.send_buffer_bytes = bytes;
    return options;
}

/// `count` independent sends to rank 1.
std::vector<std::vector<Call>> several(std::uint32_t count, std::int64_t bytes) {
    std::vector<std::vector<Call>> calls(2);
    for (std::uint32_t i = 1; i <= count; ++i) calls[0].push_back(send_to(1, bytes, i));
    for (std::uint32_t i = 1; i <= count; ++i) calls[1].push_back(receive_from(0, bytes, i));
    for (auto& of_rank : calls) of_rank.push_back(Call::wait());
    return calls;
}

TEST(RoundTrips, each_delays_the_data_of_a_rendezvous_by_its_time) {
    for (const std::int32_t round_trips : {1, 2, 5}) {
        ProcessOptions process = plain_process();
        process.rendezvous_round_trips = round_trips;
        ScriptRun run(several(1, kLarge), process);
        run.model.run();
        const std::int64_t data_ps = kOverheadPs + kAskPs + round_trips * kRoundTripPs;
        EXPECT_EQ(run.done_ps(0, 1), data_ps + stream_ps(kLarge)) << round_trips;
        EXPECT_EQ(run.done_ps(1, 1), data_ps + flight_ps(kLarge)) << round_trips;
    }
}

TEST(RoundTrips, are_none_of_eager_messages) {
    ScriptRun run(several(1, 800), three_round_trips());
    run.model.run();
    EXPECT_EQ(run.done_ps(1, 1), kOverheadPs + copy_time_ps(800) + flight_ps(800));
    EXPECT_EQ(run.done_ps(0, 1), kOverheadPs + copy_time_ps(800));
}

TEST(RoundTrips, without_a_network_interface_that_answers_wait_for_the_calls_of_both) {
    ProcessOptions process = plain_process();
    process.rendezvous_round_trips = 2;
    process.progress = Progress::kCalls;
    constexpr std::int64_t kBusyPs = 50'000'000;
    ScriptRun run({{send_to(1, kLarge), Call::wait()},
                   {receive_from(0, kLarge), Call::compute(kBusyPs), Call::spend(1'000'000), Call::compute(kBusyPs),
                    Call::wait()}},
                  process);
    run.model.run();
    // The receiver acknowledges the request when the first computation ends. It answers the second round trip within
    // the microsecond of Call::spend. If this call is shorter, the receiver answers only at the wait.
    const std::int64_t acknowledged_ps = kOverheadPs + kBusyPs;
    EXPECT_EQ(run.done_ps(1, 1), acknowledged_ps + flight_ps(0) + kRoundTripPs + flight_ps(kLarge));
    ScriptRun late(
        {{send_to(1, kLarge), Call::wait()},
         {receive_from(0, kLarge), Call::compute(kBusyPs), Call::spend(1'000), Call::compute(kBusyPs), Call::wait()}},
        process);
    late.model.run();
    EXPECT_EQ(late.done_ps(1, 1), kOverheadPs + 2 * kBusyPs + 1'000 + flight_ps(0) + flight_ps(kLarge));
}

TEST(OneByOne, a_zero_copy_send_alone_is_three_round_trips) {
    ScriptRun run(several(1, kLarge), three_round_trips());
    run.model.run();
    const std::int64_t asked_ps = kOverheadPs + kAskPs;
    EXPECT_EQ(run.done_ps(1, 1), asked_ps + 2 * kRoundTripPs + flight_ps(kLarge));
    EXPECT_EQ(run.done_ps(0, 1), asked_ps + 3 * kRoundTripPs + stream_ps(kLarge));
    EXPECT_EQ(run.program.completions.at({0, 1}).bytes, kLarge);
    EXPECT_EQ(run.program.completions.at({0, 1}).partner, RankId(1));
}

TEST(OneByOne, successive_zero_copy_sends_do_not_overlap) {
    constexpr std::uint32_t kCount = 7;
    ScriptRun run(several(kCount, kLarge), free_calls(three_round_trips()));
    run.model.run();
    for (std::uint32_t i = 1; i <= kCount; ++i) {
        EXPECT_EQ(run.done_ps(0, i), i * (3 * kRoundTripPs + stream_ps(kLarge))) << i;
    }
}

TEST(OneByOne, side_by_side_the_round_trips_of_all_overlap_and_the_data_stream) {
    constexpr std::uint32_t kCount = 7;
    ProcessOptions process = free_calls(three_round_trips());
    process.sends_one_by_one = false;
    ScriptRun run(several(kCount, kLarge), process);
    run.model.run();
    for (std::uint32_t i = 1; i <= kCount; ++i) {
        EXPECT_EQ(run.done_ps(0, i), 2 * kRoundTripPs + i * stream_ps(kLarge)) << i;
        EXPECT_EQ(run.done_ps(1, i), run.done_ps(0, i) + flight_ps(0)) << i;
    }
}

TEST(OneByOne, an_eager_message_behind_a_rendezvous_waits_and_one_before_it_does_not) {
    ScriptRun run({{send_to(1, 8, 1), send_to(1, kLarge, 2), send_to(1, 8, 3), Call::wait()},
                   {receive_from(0, 8, 1), receive_from(0, kLarge, 2), receive_from(0, 8, 3), Call::wait()}},
                  free_calls(three_round_trips()));
    run.model.run();
    EXPECT_EQ(run.done_ps(1, 1), flight_ps(8));
    // The request leaves after the first message.
    const std::int64_t over_ps = stream_ps(8) + 3 * kRoundTripPs + stream_ps(kLarge);
    EXPECT_EQ(run.done_ps(0, 2), over_ps);
    EXPECT_EQ(run.done_ps(1, 3), over_ps + flight_ps(8));
    EXPECT_EQ(run.done_ps(0, 3), 0);  // copied
}

TEST(OneByOne, a_send_without_its_receive_lets_others_pass_and_has_its_turn_later) {
    constexpr std::int64_t kBusyPs = 50'000'000;
    ScriptRun run({{send_to(1, kLarge, 1), send_to(2, kLarge, 2), Call::wait()},
                   {Call::compute(kBusyPs), receive_from(0, kLarge), Call::wait()},
                   {receive_from(0, kLarge), Call::wait()}},
                  free_calls(three_round_trips()));
    run.model.run();
    // Rank 1 answers that it has no receive; node 2 is one hop of 246 ns farther.
    constexpr std::int64_t kHopPs = 246'000;
    EXPECT_EQ(run.done_ps(0, 2), kRoundTripPs + 3 * (kRoundTripPs + 2 * kHopPs) + stream_ps(kLarge));
    EXPECT_EQ(run.done_ps(1, 1), kBusyPs + flight_ps(0) + kRoundTripPs + flight_ps(kLarge));
    EXPECT_TRUE(run.model.all_finished());
}

TEST(OneByOne, one_that_was_passed_over_waits_for_its_turn_again) {
    // Rank 1 posts its receive while the send to rank 2 is in progress.
    constexpr std::int64_t kBusyPs = 3'000'000;
    ScriptRun run({{send_to(1, kLarge, 1), send_to(2, kLarge, 2), send_to(2, kLarge, 3), Call::wait()},
                   {Call::compute(kBusyPs), receive_from(0, kLarge), Call::wait()},
                   {receive_from(0, kLarge, 1), receive_from(0, kLarge, 2), Call::wait()}},
                  free_calls(three_round_trips()));
    run.model.run();
    constexpr std::int64_t kHopPs = 246'000;
    const std::int64_t first_ps = kRoundTripPs + 3 * (kRoundTripPs + 2 * kHopPs) + stream_ps(kLarge);
    EXPECT_EQ(run.done_ps(0, 2), first_ps);
    EXPECT_EQ(run.done_ps(0, 1), first_ps + 2 * kRoundTripPs + stream_ps(kLarge));
    EXPECT_EQ(run.done_ps(0, 3), run.done_ps(0, 1) + 3 * (kRoundTripPs + 2 * kHopPs) + stream_ps(kLarge));
}

TEST(OneByOne, sends_that_wait_for_each_other_through_a_third_rank_end) {
    ScriptRun run({{send_to(1, kLarge, 1), send_to(2, kLarge, 2), Call::wait()},
                   {receive_from(2, kLarge, 1), Call::wait(), receive_from(0, kLarge, 2), Call::wait()},
                   {receive_from(0, kLarge, 1), Call::wait(), send_to(1, kLarge, 2), Call::wait()}},
                  three_round_trips());
    run.model.run();
    EXPECT_TRUE(run.model.all_finished());
}

TEST(OneByOne, who_waits_for_what_names_the_sends_that_wait_for_their_turn) {
    ScriptRun run({{send_to(1, kLarge, 1), send_to(1, kLarge, 2), Call::wait()}, {receive_from(0, kLarge, 1)}},
                  three_round_trips());
    try {
        run.model.run();
        FAIL();
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("rank 0 waits for rank 1 to receive a message"), std::string::npos)
            << error.what();
    }
}

TEST(SendBuffer, bandwidth_is_the_buffer_per_round_trip) {
    constexpr std::int64_t kPieces = 8;
    constexpr std::int64_t kRounds = 12;
    constexpr std::int64_t kBytes = kRounds * kPieces * kPacket;
    ScriptRun run(several(1, kBytes), buffers(kPieces * kPacket));
    run.model.run();
    const std::int64_t round_trip_ps = flight_ps(kPacket) + flight_ps(0);
    ASSERT_LT(stream_ps(kPieces * kPacket), round_trip_ps);
    const std::int64_t begin_ps = kOverheadPs + copy_time_ps(kBytes);
    const std::int64_t last_ps = begin_ps + (kRounds - 1) * round_trip_ps + stream_ps((kPieces - 1) * kPacket);
    EXPECT_EQ(run.done_ps(1, 1), last_ps + flight_ps(kPacket));
    // In the last round, buffer space becomes free one piece at a time.
    EXPECT_EQ(run.done_ps(0, 1), last_ps);
    EXPECT_EQ(run.program.completions.at({1, 1}).bytes, kBytes);
    EXPECT_EQ(run.model.engine().counts().payload_bytes_delivered, kBytes);
}

TEST(SendBuffer, that_covers_the_round_trip_costs_nothing) {
    constexpr std::int64_t kBytes = 400 * kPacket;
    const auto done_ps = [&](std::int64_t buffer_bytes) {
        ScriptRun run(several(1, kBytes), buffers(buffer_bytes));
        run.model.run();
        return run.done_ps(1, 1);
    };
    EXPECT_EQ(done_ps(0), kOverheadPs + copy_time_ps(kBytes) + flight_ps(kBytes));
    EXPECT_EQ(done_ps(64 * kPacket), done_ps(0));
    EXPECT_GT(done_ps(8 * kPacket), done_ps(0));
}

TEST(SendBuffer, is_shared_by_the_messages_of_a_rank_in_the_order_of_their_sends) {
    constexpr std::int64_t kBytes = 64;
    constexpr std::uint32_t kInFlight = 4;
    constexpr std::uint32_t kCount = 5 * kInFlight;
    ScriptRun run(several(kCount, kBytes), free_calls(buffers(kInFlight * kBytes)));
    run.model.run();
    const std::int64_t round_trip_ps = flight_ps(kBytes) + flight_ps(0);
    for (std::uint32_t i = 0; i < kCount; ++i) {
        const std::int64_t begin_ps = i / kInFlight * round_trip_ps + stream_ps(i % kInFlight * kBytes);
        EXPECT_EQ(run.done_ps(1, i + 1), begin_ps + flight_ps(kBytes)) << i;
        EXPECT_EQ(run.done_ps(0, i + 1), i < kInFlight ? 0 : begin_ps) << i;
    }
}

TEST(SendBuffer, smaller_than_a_packet_takes_one_at_a_time) {
    constexpr std::int64_t kPieces = 5;
    ScriptRun run(several(1, kPieces * kPacket), free_calls(buffers(1)));
    run.model.run();
    EXPECT_EQ(run.done_ps(1, 1), kPieces * (flight_ps(kPacket) + flight_ps(0)) - flight_ps(0));
}

TEST(SendBuffer, does_not_hold_messages_without_bytes_messages_of_a_node_or_zero_copy) {
    ProcessOptions process = free_calls(buffers(1));
    process.eager_limit_bytes = 10 * kPacket;
    ScriptRun run({{send_to(1, kPacket, 1), send_to(1, 20 * kPacket, 2), Call::wait()},
                   {receive_from(0, kPacket, 1), receive_from(0, 20 * kPacket, 2), Call::wait()}},
                  process);
    run.model.run();
    EXPECT_EQ(run.done_ps(1, 2), stream_ps(kPacket) + kRoundTripPs + flight_ps(20 * kPacket));
    ScriptRun on_node(several(3, 10 * kPacket), process, {2, 2});
    on_node.model.run();
    EXPECT_EQ(on_node.done_ps(0, 3), 0);
    ScriptRun empty(several(3, 0), process);
    empty.model.run();
    EXPECT_EQ(empty.done_ps(1, 3), flight_ps(0));
}

TEST(SendBuffer, is_filled_again_only_in_calls_where_no_network_interface_does) {
    ProcessOptions process = free_calls(buffers(kPacket));
    process.progress = Progress::kCalls;
    constexpr std::int64_t kBusyPs = 50'000'000;
    ScriptRun run(
        {{send_to(1, 2 * kPacket), Call::compute(kBusyPs), Call::wait()}, {receive_from(0, 2 * kPacket), Call::wait()}},
        process);
    run.model.run();
    EXPECT_EQ(run.done_ps(1, 1), kBusyPs + flight_ps(kPacket));
    EXPECT_EQ(run.done_ps(0, 1), kBusyPs);
}

TEST(SendBuffer, of_a_send_that_is_not_copied_is_complete_when_its_last_piece_has_left) {
    ProcessOptions process = free_calls(buffers(2 * kPacket));
    process.send_copy = SendCopy::kNever;
    ScriptRun run(several(1, 4 * kPacket), process);
    run.model.run();
    EXPECT_EQ(run.done_ps(0, 1), flight_ps(kPacket) + flight_ps(0) + stream_ps(2 * kPacket));
    EXPECT_EQ(run.program.completions.at({0, 1}).bytes, 4 * kPacket);
}

TEST(SendBuffer, pieces_of_a_trunked_message_take_its_nics_in_turn) {
    ProcessOptions process = free_calls(buffers(4 * kPacket));
    process.nics = process.trunk = 4;
    ScriptRun run(several(1, 8 * kPacket), process);
    run.model.run();
    EXPECT_EQ(run.program.completions.at({1, 1}).bytes, 8 * kPacket);
    EXPECT_EQ(run.model.engine().counts().packets_injected, 8 + 8);  // and an acknowledgement for each
}

/// Two switches with two nodes each, joined by a bridge that holds packets for 2 ms.
struct FarApart {
    FarApart(std::vector<std::vector<Call>> calls, const ProcessOptions& process, int threads = 1, int partitions = 0)
        : program{std::move(calls)}, network(joined()) {
        PacketTimingOptions timing;
        timing.switch_latency_ps = kSwitchPs;
        timing.packet_payload_bytes = kMtu;
        timing.virtual_channels = 0;
        timing.buffer_packets = 64;
        const std::vector<NodeId> nodes{NodeId(0), NodeId(2), NodeId(1), NodeId(3)};
        model =
            std::make_unique<ProcessModel>(ProcessModel::Parameters{.network = &network,
                                                                    .timing = PacketTiming(timing),
                                                                    .process = process,
                                                                    .node_of_rank = {nodes.begin(), nodes.begin() + 2},
                                                                    .threads = threads,
                                                                    .partitions = partitions},
                                           program);
        model->run();
    }
    static Network joined() {
        const auto cluster = [] { return fat_tree_topology(FatTree({2}, {1})); };
        BridgeOptions bridges;
        bridges.bandwidth_bytes_per_s = 50'000'000;
        bridges.delay_ps = kDelayPs;
        bridges.buffer_bytes = 10'000'000;
        bridges.mtu_bytes = kMtu;
        NetworkOptions options;
        options.link_bandwidth_bytes_per_s = 100'000'000;
        return Network(
            {std::make_shared<ClustersTopology>(std::vector<std::shared_ptr<const Topology>>{cluster(), cluster()},
                                                std::vector<ClustersTopology::Pair>{{0, 1, bridges}})},
            options);
    }
    std::int64_t done_ps(std::int32_t rank, std::uint32_t request) { return program.done_ps.at({rank, request}); }

    static constexpr std::int64_t kDelayPs = 2'000'000'000;
    static constexpr std::int64_t kSwitchPs = 1'000'000;
    static constexpr std::int64_t kMtu = 1000;
    /// One-way time, with whole packets at the link and at the bridge.
    static constexpr std::int64_t way_ps(std::int64_t bytes) {
        return 2 * kSwitchPs + kDelayPs + bytes * 10'000 + bytes * 20'000;
    }
    ScriptedProgram program;
    Network network;
    std::unique_ptr<ProcessModel> model;
};

TEST(FarApart, bandwidth_is_the_buffer_per_round_trip_of_the_delay) {
    constexpr std::int64_t kPieces = 16;
    constexpr std::int64_t kRounds = 20;
    constexpr std::int64_t kBytes = kRounds * kPieces * FarApart::kMtu;
    FarApart run(several(1, kBytes), free_calls(buffers(kPieces * FarApart::kMtu)));
    const std::int64_t round_trip_ps = FarApart::way_ps(FarApart::kMtu) + FarApart::way_ps(0);
    const std::int64_t at_the_bridge_ps = (kPieces - 1) * FarApart::kMtu * 20'000;
    EXPECT_EQ(run.done_ps(1, 1), (kRounds - 1) * round_trip_ps + at_the_bridge_ps + FarApart::way_ps(FarApart::kMtu));
}

TEST(FarApart, zero_copy_is_three_round_trips_of_the_delay_one_by_one_and_streams_side_by_side) {
    constexpr std::uint32_t kCount = 4;
    constexpr std::int64_t kBytes = 64 * FarApart::kMtu;
    constexpr std::int64_t kEmptyPs = FarApart::way_ps(0);
    constexpr std::int64_t kStreamPs = kBytes * 20'000;  // at the bridge's rate
    constexpr std::int64_t kIntoBridgePs = FarApart::kMtu * 10'000;
    ProcessOptions process = free_calls(three_round_trips());
    FarApart one_by_one(several(kCount, kBytes), process);
    EXPECT_EQ(one_by_one.done_ps(0, kCount), kCount * (6 * kEmptyPs + kIntoBridgePs + kStreamPs));
    process.sends_one_by_one = false;
    FarApart side_by_side(several(kCount, kBytes), process);
    EXPECT_EQ(side_by_side.done_ps(1, kCount), 5 * kEmptyPs + kIntoBridgePs + kCount * kStreamPs);
}

TEST(FarApart, threads_and_partitions_change_nothing) {
    std::vector<std::vector<Call>> calls(2);
    for (std::uint32_t i = 1; i <= 20; ++i) {
        const std::int64_t bytes = 700 * (i * 7 % 11);
        for (std::int32_t r = 0; r < 2; ++r) {
            calls[static_cast<std::size_t>(r)].push_back(receive_from(1 - r, bytes, 100 + i));
            calls[static_cast<std::size_t>(r)].push_back(send_to(1 - r, bytes, i));
            if (i % 6 == 0) calls[static_cast<std::size_t>(r)].push_back(Call::wait());
        }
    }
    ProcessOptions process = three_round_trips();
    process.eager_limit_bytes = 4'000;
    process.send_buffer_bytes = 5'000;
    const auto done_ps = [&](int threads, int partitions) {
        return FarApart(calls, process, threads, partitions).program.done_ps;
    };
    const auto expected = done_ps(1, 1);
    EXPECT_EQ(done_ps(1, 4), expected);
    EXPECT_EQ(done_ps(2, 4), expected);
    EXPECT_EQ(done_ps(4, 4), expected);
}

}  // namespace
}  // namespace haichi
