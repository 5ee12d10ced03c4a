#include <gtest/gtest.h>

#include "base/errors.h"
#include "base/random.h"
#include "netmodel/packetsim/packet_timing.h"
#include "netmodel/packetsim/time_wheel.h"

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

TEST(TimeWheel, gives_events_back_in_order_of_time_key_and_data_near_and_far) {
    TimeWheel wheel(300'000);
    Random random(7);
    std::vector<TimeWheel::Event> waiting;
    std::int64_t now = 0;
    std::size_t popped = 0;
    for (int step = 0; step < 200'000; ++step) {
        if (wheel.empty() || (waiting.size() < 3'000 && random.below(2) == 0)) {
            // The present instant, the same bucket, the wheel, and far beyond it.
            const std::uint32_t spans[] = {1, 100, 300'000, 50'000'000};
            const TimeWheel::Event event{now + random.below(spans[random.below(4)]), random.below(5), random.below(3)};
            wheel.push(event);
            waiting.push_back(event);
            std::push_heap(waiting.begin(), waiting.end(), std::greater<>());
        } else {
            EXPECT_EQ(wheel.next_time_ps(), waiting.front().time_ps);
            const TimeWheel::Event event = wheel.pop();
            ASSERT_TRUE(event == waiting.front()) << step;
            std::pop_heap(waiting.begin(), waiting.end(), std::greater<>());
            waiting.pop_back();
            now = event.time_ps;
            ++popped;
        }
        ASSERT_EQ(wheel.size(), waiting.size());
    }
    EXPECT_GT(popped, 50'000u);
}

}  // namespace
}  // namespace haichi
