#include <gtest/gtest.h>

#include "tests/mgen/scripted_program.h"

// Messages over several NICs at once, between neighbouring nodes; every expected time is a sum of the machine's values.
namespace haichi {
namespace {

using namespace mgen_tests;

constexpr std::int64_t kPacketBytes = 256;
constexpr std::int64_t kPackets = 100;
constexpr std::int64_t kMessageBytes = kPackets * kPacketBytes;
constexpr SendOptions kEagerZeroCopy{.protocol = Protocol::kEager, .zero_copy = true};

ProcessOptions trunk_process(std::int32_t trunk, std::int32_t nics = 4) {
    ProcessOptions options = plain_process();
    options.nics = nics;
    options.trunk = trunk;
    options.trunk_from_bytes = trunk * kPacketBytes;
    return options;
}

/// Two nodes whose link is four times as fast as a NIC, so that only the NICs determine when a message arrives.
struct FastLink {
    explicit FastLink(std::vector<std::vector<Call>> calls, const ProcessOptions& process, int threads = 1)
        : program{std::move(calls)}, network(packetsim_machines::grid_network({4})) {
        PacketTimingOptions timing = packetsim_machines::torus_study();
        timing.buffer_packets = 64;
        timing.nics = process.nics;
        timing.link_bandwidth_bytes_per_s = 32 * packetsim_machines::kGigabyte;
        timing.switch_bandwidth_bytes_per_s = 0;
        timing.nic_bandwidth_bytes_per_s = 8 * packetsim_machines::kGigabyte;
        timing.dma_bandwidth_bytes_per_s = timing.memory_bandwidth_bytes_per_s = 0;
        std::vector<NodeId> nodes;
        for (std::size_t r = 0; r < program.calls.size(); ++r) nodes.emplace_back(static_cast<std::int32_t>(r));
        model = std::make_unique<ProcessModel>(ProcessModel::Parameters{.network = &network,
                                                                        .timing = PacketTiming(timing),
                                                                        .process = process,
                                                                        .node_of_rank = nodes,
                                                                        .threads = threads},
                                               program);
        model->run();
    }
    std::int64_t done_ps(std::int32_t rank, std::uint32_t request) { return program.done_ps.at({rank, request}); }

    ScriptedProgram program;
    Network network;
    std::unique_ptr<ProcessModel> model;
};

std::vector<std::vector<Call>> one_message(std::int64_t bytes, SendOptions options = kEagerZeroCopy) {
    return {{Call::send(RankId(1), bytes, 0, options, 1), Call::wait()},
            {Call::receive(RankId(0), bytes, 0, 1), Call::wait()}};
}

TEST(Trunking, a_message_leaves_by_several_nics_in_a_share_of_the_time) {
    const std::int64_t begin_ps = kOverheadPs;
    for (const std::int32_t trunk : {1, 2, 4}) {
        FastLink run(one_message(kMessageBytes), trunk_process(trunk));
        EXPECT_EQ(run.done_ps(0, 1), begin_ps + stream_ps(kMessageBytes / trunk)) << trunk;
        EXPECT_EQ(run.program.completions.at({0, 1}).bytes, kMessageBytes);
        EXPECT_EQ(run.program.completions.at({1, 1}).bytes, kMessageBytes);
        EXPECT_EQ(run.model->engine().counts().packets_injected, kPackets);
    }
}

TEST(Trunking, stripes_are_whole_packets_and_the_first_have_more) {
    // 7 packets over 3 NICs: 3, 2 and 2 packets, of which the last is short.
    FastLink run(one_message(7 * kPacketBytes - 100), trunk_process(3));
    EXPECT_EQ(run.done_ps(0, 1), kOverheadPs + stream_ps(3 * kPacketBytes));
    EXPECT_EQ(run.model->engine().counts().packets_injected, 7);
    EXPECT_EQ(run.model->engine().counts().payload_bytes_injected, 7 * kPacketBytes - 100);
}

TEST(Trunking, small_messages_go_by_one_nic) {
    ProcessOptions process = trunk_process(4);
    process.trunk_from_bytes = kMessageBytes;
    FastLink below(one_message(kMessageBytes - 1), process);
    EXPECT_EQ(below.done_ps(0, 1), kOverheadPs + stream_ps(kMessageBytes - 1));
    FastLink from(one_message(kMessageBytes), process);
    EXPECT_EQ(from.done_ps(0, 1), kOverheadPs + stream_ps(kMessageBytes / 4));
}

TEST(Trunking, holds_for_the_data_of_rendezvous_puts_and_gets) {
    const SendOptions ask{.protocol = Protocol::kRendezvous};
    const std::int64_t whole_ps = FastLink(one_message(kMessageBytes, ask), trunk_process(1)).done_ps(0, 1);
    const std::int64_t striped_ps = FastLink(one_message(kMessageBytes, ask), trunk_process(4)).done_ps(0, 1);
    EXPECT_EQ(whole_ps - striped_ps, stream_ps(kMessageBytes) - stream_ps(kMessageBytes / 4));

    for (const bool is_put : {true, false}) {
        const Call access =
            is_put ? Call::put(RankId(1), kMessageBytes, 3, {}, 1) : Call::get(RankId(1), kMessageBytes, {}, 1);
        std::vector<std::vector<Call>> calls = {{access, Call::wait()}, {}};
        if (is_put) calls[1].push_back(Call::poll(3));
        FastLink whole(calls, trunk_process(1));
        FastLink striped(calls, trunk_process(4));
        EXPECT_GT(whole.done_ps(0, 1), striped.done_ps(0, 1) + stream_ps(kMessageBytes / 2)) << is_put;
        EXPECT_EQ(striped.program.completions.at({0, 1}).bytes, kMessageBytes);
    }
}

TEST(Trunking, messages_of_a_pair_still_match_in_their_order_with_any_number_of_threads) {
    const auto times = [](int threads) {
        std::vector<std::vector<Call>> calls(4);
        for (std::uint32_t k = 0; k < 6; ++k) {
            for (std::int32_t r = 0; r < 4; ++r) {
                calls[r].push_back(Call::receive(RankId((r + 1) % 4), kMessageBytes, 0, k));
                calls[r].push_back(
                    Call::send(RankId((r + 3) % 4), k % 2 == 0 ? kMessageBytes : 100 + k, 0, {}, 100 + k));
            }
        }
        for (auto& rank : calls) rank.push_back(Call::wait());
        FastLink run(calls, trunk_process(3), threads);
        for (std::uint32_t k = 0; k < 6; ++k) {
            EXPECT_EQ(run.program.completions.at({0, k}).bytes, k % 2 == 0 ? kMessageBytes : 100 + k);
        }
        return run.program.done_ps;
    };
    EXPECT_EQ(times(1), times(4));
}

TEST(Trunking, messages_within_a_node_are_whole) {
    ScriptRun whole(one_message(kMessageBytes), trunk_process(1, 2), {0, 0});
    ScriptRun striped(one_message(kMessageBytes), trunk_process(2, 2), {0, 0});
    whole.model.run();
    striped.model.run();
    EXPECT_EQ(striped.done_ps(1, 1), whole.done_ps(1, 1));
}

}  // namespace
}  // namespace haichi
