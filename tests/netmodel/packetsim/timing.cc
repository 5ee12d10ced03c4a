#include <gtest/gtest.h>
#include <optional>
#include <set>
#include <tuple>

#include "base/errors.h"
#include "base/random.h"
#include "netmodel/packetsim/packet_timing.h"
#include "netmodel/packetsim/window_queue.h"

namespace haichi {
namespace {

TEST(PacketTiming, durations_are_rounded_up_to_a_picosecond) {
    EXPECT_EQ(transfer_ps(256, 8'000'000'000), 32'000);
    EXPECT_EQ(transfer_ps(1, 3'000'000'000), 334);  // 333.33
    EXPECT_EQ(transfer_ps(0, 1), 0);
    EXPECT_EQ(transfer_ps(PacketTiming::kLargestPacketBytes, 1000), 16'777'216'000'000'000);
}

TEST(PacketTiming, messages_are_cut_into_full_packets_and_a_last_one) {
    PacketTimingOptions options;
    options.packet_payload_bytes = 100;
    options.packet_header_bytes = 8;
    const PacketTiming timing(options);
    EXPECT_EQ(timing.packet_count(0), 1);
    EXPECT_EQ(timing.last_packet_bytes(0), 8);
    EXPECT_EQ(timing.packet_count(100), 1);
    EXPECT_EQ(timing.last_packet_bytes(100), 108);
    EXPECT_EQ(timing.packet_count(201), 3);
    EXPECT_EQ(timing.last_packet_bytes(201), 9);
}

TEST(PacketTiming, router_latency_is_routing_allocations_and_switch) {
    PacketTimingOptions options;
    options.routing_ps = 1;
    options.vc_allocation_ps = 20;
    options.switch_allocation_ps = 300;
    options.switch_latency_ps = 4000;
    options.cable_latency_ps = 50000;
    EXPECT_EQ(PacketTiming(options).router_latency_ps(), 4321);
    EXPECT_EQ(PacketTiming(options).cable_latency_ps(), 50000);
}

TEST(PacketTiming, values_out_of_range_are_refused_by_name) {
    const auto message_of = [](const auto& change) {
        PacketTimingOptions options;
        change(options);
        try {
            const PacketTiming timing(options);
        } catch (const OptionError& error) {
            return std::string(error.what());
        }
        return std::string("no error");
    };
    EXPECT_EQ(message_of([](auto& o) { o.cable_latency_ps = -1; }),
              "cable latency must be from 0 to 1000000000000 ps, not -1");
    EXPECT_EQ(message_of([](auto& o) { o.packet_payload_bytes = 0; }),
              "packet payload must be from 1 to 16777216 bytes, not 0");
    EXPECT_EQ(message_of([](auto& o) { o.virtual_channels = 9; }),
              "number of virtual channels must be from 1 to 8, not 9");
    EXPECT_EQ(message_of([](auto& o) { o.buffer_packets = 0; }),
              "buffer of a virtual channel must be from 1 to 4096 packets, not 0");
    EXPECT_EQ(message_of([](auto& o) { o.packet_payload_bytes = 16777216, o.packet_header_bytes = 1; }),
              "payload and header of a packet must be from 1 to 16777216 bytes, not 16777217");
    EXPECT_EQ(message_of([](auto& o) { o.link_bandwidth_bytes_per_s = -5; }),
              "link bandwidth must be from 0 to 1000000000000000 bytes/s, not -5");
}

TEST(WindowQueue, works_through_every_window_turn_by_turn_in_the_order_of_time_key_and_data) {
    constexpr std::int64_t kWindowPs = 1'000;
    constexpr std::uint32_t kTurns = 40;
    WindowQueue queue(kWindowPs, kTurns);
    Random random(7);
    using Order = std::tuple<std::uint32_t, std::uint32_t>;                 // key, data
    std::multiset<std::tuple<std::int64_t, std::uint32_t, Order>> waiting;  // time, turn, order
    const auto add_as = [&](std::int64_t time_ps, std::uint32_t turn, const Order& order) {
        queue.push(turn, time_ps, std::get<0>(order), std::get<1>(order));
        waiting.emplace(time_ps, turn, order);
    };
    const auto add = [&](std::int64_t time_ps, std::uint32_t turn) {
        const std::uint32_t key = random.below(5);
        add_as(time_ps, turn, {key, random.below(3)});
    };
    for (int i = 0; i < 50; ++i) add(random.below(50 * kWindowPs), random.below(kTurns));
    std::size_t popped = 0;
    for (int round = 0; round < 3'000 && !waiting.empty(); ++round) {
        ASSERT_EQ(queue.next_ps(), std::get<0>(*waiting.begin()));
        const std::int64_t begin_ps = queue.next_ps() / kWindowPs * kWindowPs;
        // Some windows are interrupted in the middle and continued later.
        const std::int64_t until_ps = begin_ps + (random.below(4) == 0 ? random.below(kWindowPs) : kWindowPs - 1);
        queue.begin(begin_ps, until_ps);
        std::set<std::uint32_t> turns;
        while (queue.next_turn()) {
            std::tuple<std::int64_t, Order> last{0, {0, 0}};
            std::optional<std::uint32_t> at;
            for (WindowQueue::Event event; queue.pop(event);) {
                const std::int64_t time_ps = queue.time_ps(event);
                const std::uint32_t turn = event.turn();
                const Order order{event.key(), event.data()};
                ASSERT_TRUE(!at || *at == turn);
                if (!at) {
                    ASSERT_TRUE(turns.insert(turn).second) << "a turn comes once";
                }
                at = turn;
                const std::tuple<std::int64_t, Order> now{time_ps, order};
                ASSERT_LE(last, now);
                ASSERT_LE(time_ps, until_ps);
                const auto found = waiting.find({time_ps, turn, order});
                ASSERT_NE(found, waiting.end());
                waiting.erase(found);
                last = now;
                ++popped;
                if (popped > 100'000) continue;
                // Adds events later at this instant, later in this turn, and in any turn of the next or much later
                // windows.
                if (random.below(4) == 0) add_as(time_ps, turn, {event.key() + 3, event.data()});
                if (random.below(2) == 0) add(time_ps + 1 + random.below(3'000), turn);
                // Sometimes there are more events than the queue keeps sorted one by one.
                if (random.below(200) == 0) {
                    for (int i = 0; i < 100; ++i) add(time_ps + 1 + random.below(600), turn);
                }
                if (random.below(2) == 0) {
                    const std::uint32_t spans[] = {1'500, 14'000, 200'000};
                    add(begin_ps + kWindowPs + random.below(spans[random.below(3)]), random.below(kTurns));
                }
            }
        }
        queue.end();
    }
    EXPECT_GT(popped, 20'000u);
    EXPECT_EQ(queue.empty(), waiting.empty());
}

}  // namespace
}  // namespace haichi
