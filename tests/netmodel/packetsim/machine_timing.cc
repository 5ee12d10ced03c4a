#include <gtest/gtest.h>

#include "base/errors.h"
#include "netmodel/packetsim/machine_timing.h"

namespace haichi {
namespace {

TEST(MachineTiming, of_the_torus_study_is_its_column_of_the_table) {
    const PacketTimingOptions options = packet_timing_of(load_machine("torus:4x4x4"));
    EXPECT_EQ(options.link_bandwidth_bytes_per_s, 0);  // the Network holds the bandwidths
    EXPECT_EQ(options.switch_bandwidth_bytes_per_s, 8'000'000'000);
    EXPECT_EQ(options.nic_bandwidth_bytes_per_s, 0);
    EXPECT_EQ(options.routing_ps, 2'000);
    EXPECT_EQ(options.vc_allocation_ps, 2'000);
    EXPECT_EQ(options.switch_allocation_ps, 2'000);
    EXPECT_EQ(options.switch_latency_ps, 140'000);
    EXPECT_EQ(options.cable_latency_ps, 100'000);
    EXPECT_EQ(options.packet_payload_bytes, 256);
    EXPECT_EQ(options.packet_header_bytes, 0);
    EXPECT_EQ(options.buffer_packets, 24);   // 17 cover the links, see CreditLoop
    EXPECT_EQ(options.virtual_channels, 0);  // not specified: as many as needed
    EXPECT_EQ(options.nics, 1);
    EXPECT_EQ(options.dma_bandwidth_bytes_per_s, 10'000'000'000);
    EXPECT_EQ(options.memory_bandwidth_bytes_per_s, 10'000'000'000);
}

TEST(MachineTiming, of_the_fat_tree_study_has_host_channels_of_half_the_rate) {
    const PacketTimingOptions options = packet_timing_of(load_machine("fattree:2x4"));
    EXPECT_EQ(options.switch_bandwidth_bytes_per_s, 4'000'000'000);
    EXPECT_EQ(options.nic_bandwidth_bytes_per_s, 2'000'000'000);
    EXPECT_EQ(PacketTiming([&] {
                  PacketTimingOptions resolved = options;
                  resolved.virtual_channels = 2;
                  return resolved;
              }())
                  .router_latency_ps(),
              170'000);
    EXPECT_EQ(options.cable_latency_ps, 200'000);
    EXPECT_EQ(options.packet_payload_bytes, 2048);
}

TEST(MachineTiming, of_a_machine_file_has_its_arbiter_and_its_host_cables) {
    EXPECT_EQ(packet_timing_of(load_machine("fattree:2x4")).arbiter, Arbiter::kRoundRobin);
    EXPECT_EQ(packet_timing_of(load_machine("fattree:2x4")).host_cable_latency_ps, 0);
    const auto arbiter_of = [](const std::string& word) {
        return packet_timing_of(parse_machine(R"({"schema": "haichi-machine/1",
            "topology": {"kind": "tree", "children": [4]}, "router": {"arbiter": ")" +
                                                  word + R"("},
            "link": {"bandwidth": "1GB/s", "host_cable_latency": "7ns"}})",
                                              "m.json"));
    };
    EXPECT_EQ(arbiter_of("round-robin").arbiter, Arbiter::kRoundRobin);
    EXPECT_EQ(arbiter_of("oldest-first").arbiter, Arbiter::kOldestFirst);
    EXPECT_EQ(arbiter_of("fixed-priority").arbiter, Arbiter::kFixedPriority);
    EXPECT_EQ(arbiter_of("round-robin").host_cable_latency_ps, 7'000);
}

TEST(MachineTiming, of_the_rdma_study_is_its_column_of_the_table) {
    const PacketTimingOptions options = packet_timing_of(load_machine("switch"));
    EXPECT_EQ(options.switch_bandwidth_bytes_per_s, 4'000'000'000);
    EXPECT_EQ(options.routing_ps, 4'000);
    EXPECT_EQ(options.vc_allocation_ps, 4'000);
    EXPECT_EQ(options.switch_allocation_ps, 4'000);
    EXPECT_EQ(options.switch_latency_ps, 128'000);
    EXPECT_EQ(options.cable_latency_ps, 600);
    EXPECT_EQ(options.dma_bandwidth_bytes_per_s, 2'800'000'000);
    EXPECT_EQ(options.memory_bandwidth_bytes_per_s, 0);  // no limit
    EXPECT_EQ(options.shared_memory_latency_ps, 0);      // on-node traffic is free
    EXPECT_EQ(options.shared_memory_bandwidth_bytes_per_s, 0);
    EXPECT_EQ(options.packet_payload_bytes, 2048);
}

TEST(MachineTiming, of_tofu_is_a_hundred_nanoseconds_per_hop_and_packets_of_1920_and_72_bytes) {
    for (const char* name : {"fx10-kyushu", "k", "fugaku", "fx10:2x2x2", "fx100:2x2x2"}) {
        PacketTimingOptions options = packet_timing_of(load_machine(name));
        EXPECT_EQ(options.virtual_channels, 0) << name;  // 2, and more past faulty nodes
        options.virtual_channels = 2;
        const PacketTiming timing(options);
        EXPECT_EQ(timing.router_latency_ps() + timing.cable_latency_ps(), 100'000) << name;
        EXPECT_EQ(timing.full_packet_bytes(), 1992) << name;
        EXPECT_EQ(timing.options().buffer_packets, 8) << name;
    }
    EXPECT_EQ(packet_timing_of(load_machine("fx10-kyushu")).nic_bandwidth_bytes_per_s, 5'000'000'000);
    EXPECT_EQ(packet_timing_of(load_machine("fugaku")).nic_bandwidth_bytes_per_s, 6'800'000'000);
    EXPECT_EQ(packet_timing_of(load_machine("fx10-kyushu")).nics, 4);
    EXPECT_EQ(packet_timing_of(load_machine("fugaku")).nics, 6);
}

TEST(MachineTiming, of_the_smallest_machine_file_has_the_defaults) {
    const PacketTimingOptions options = packet_timing_of(parse_machine(
        R"({"schema": "haichi-machine/1", "topology": {"kind": "mesh", "axes": [{"name": "X", "size": 3}]},
            "link": {"bandwidth": "1GB/s"}})",
        "small.json"));
    EXPECT_EQ(options.routing_ps + options.vc_allocation_ps + options.switch_allocation_ps, 0);
    EXPECT_EQ(options.switch_latency_ps + options.cable_latency_ps, 0);
    EXPECT_EQ(options.packet_payload_bytes, 2048);
    EXPECT_EQ(options.packet_header_bytes, 0);
    EXPECT_EQ(options.buffer_packets, 8);
    EXPECT_EQ(options.switch_bandwidth_bytes_per_s, 0);
    EXPECT_EQ(options.nic_bandwidth_bytes_per_s, 0);
    EXPECT_EQ(options.dma_bandwidth_bytes_per_s, 0);
    EXPECT_TRUE(options.nic_interleaves_packets);
}

TEST(MachineTiming, takes_the_order_of_nics_and_the_shared_memory_from_the_file) {
    const PacketTimingOptions options = packet_timing_of(parse_machine(
        R"({"schema": "haichi-machine/1", "topology": {"kind": "mesh", "axes": [{"name": "X", "size": 3}]},
            "link": {"bandwidth": "1GB/s"}, "node": {"nics": 3, "nic_order": "messages", "memory_bandwidth": "7GB/s",
            "shared_memory_latency": "300ns", "shared_memory_bandwidth": "9GB/s"}})",
        "node.json"));
    EXPECT_EQ(options.nics, 3);
    EXPECT_FALSE(options.nic_interleaves_packets);
    EXPECT_EQ(options.memory_bandwidth_bytes_per_s, 7'000'000'000);
    EXPECT_EQ(options.shared_memory_latency_ps, 300'000);
    EXPECT_EQ(options.shared_memory_bandwidth_bytes_per_s, 9'000'000'000);
}

TEST(CoveringBuffer, holds_two_latencies_and_the_packet_s_own_time_in_whole_eights) {
    constexpr std::int64_t kPacketPs = 32'000;
    EXPECT_EQ(packets_that_cover({kPacketPs, kPacketPs, 0}), 1);
    EXPECT_EQ(packets_that_cover({kPacketPs, kPacketPs, 16'000}), 2);
    EXPECT_EQ(packets_that_cover({kPacketPs, kPacketPs, 16'001}), 3);
    EXPECT_EQ(packets_that_cover({kPacketPs, kPacketPs, 246'000}), 17);      // 524 ns
    EXPECT_EQ(packets_that_cover({kPacketPs, 4 * kPacketPs, 246'000}), 20);  // with slow NICs, which share the link
    EXPECT_EQ(covering_buffer(1), 8);
    EXPECT_EQ(covering_buffer(8), 8);
    EXPECT_EQ(covering_buffer(9), 16);
    EXPECT_EQ(covering_buffer(17), 24);
    EXPECT_EQ(covering_buffer(4095), 4096);
    EXPECT_EQ(covering_buffer(std::int64_t{1} << 40), PacketTiming::kMostBufferPackets);
}

std::optional<BufferShortage> shortage(const std::string& topology, const std::string& rest) {
    return buffer_shortage_of(
        parse_machine(R"({"schema": "haichi-machine/1", "topology": )" + topology + ", " + rest + "}", "m.json"));
}

TEST(BufferShortage, of_a_stated_buffer_is_the_share_of_the_round_that_its_packets_last) {
    const std::string line = R"({"kind": "mesh", "axes": [{"name": "X", "size": 3}]})";
    const auto of = [&](int packets) {
        return shortage(line,
                        R"("link": {"bandwidth": "8GB/s", "cable_latency": "246ns"}, "packet": {"payload": "256B"},
            "router": {"buffer": ")" +
                            std::to_string(packets) + R"( packets"})");
    };
    ASSERT_TRUE(of(8));
    EXPECT_EQ(of(8)->buffer_packets, 8);
    EXPECT_EQ(of(8)->packets_that_cover, 17);
    EXPECT_EQ(of(8)->links, "links");
    EXPECT_EQ(of(8)->link_bandwidth_bytes_per_s, 8'000'000'000);
    EXPECT_DOUBLE_EQ(of(8)->share, 8 * 32.0 / 524);
    EXPECT_TRUE(of(16));
    EXPECT_FALSE(of(17));
}

TEST(BufferShortage, is_that_of_the_links_with_the_longest_round) {
    // Host links have no cable, and no router on the way up; the upper level has a quarter of the bandwidth.
    const auto of = [&](const std::string& bandwidth) {
        return shortage(R"({"kind": "tree", "children": [2, 2], "bandwidth": )" + bandwidth + "}",
                        R"("link": {"bandwidth": "8GB/s", "cable_latency": "500ns"},
            "router": {"buffer": "4 packets", "switch_latency": "100ns"})");
    };
    ASSERT_TRUE(of(R"(["8GB/s", "8GB/s"])"));
    EXPECT_EQ(of(R"(["8GB/s", "8GB/s"])")->packets_that_cover, 6);  // 2 x 600 + 256 ns, divided by 256 ns
    EXPECT_FALSE(of(R"(["8GB/s", "2GB/s"])"));
    EXPECT_FALSE(of(R"(["16GB/s", "2GB/s"])"));  // 2 x 100 + 128 ns, divided by 128 ns
    ASSERT_TRUE(of(R"(["64GB/s", "2GB/s"])"));
    EXPECT_EQ(of(R"(["64GB/s", "2GB/s"])")->packets_that_cover, 8);  // 2 x 100 + 32 ns, divided by 32 ns
    EXPECT_EQ(of(R"(["64GB/s", "2GB/s"])")->link_bandwidth_bytes_per_s, 64'000'000'000);
}

TEST(BufferShortage, is_of_no_preset) {
    for (const char* name :
         {"torus:8", "mesh:3x3", "fattree:2x4", "dragonfly:2,4,2", "dragonfly-plus:4,4,2,5", "hyperx:4x4,2", "switch",
          "k", "fugaku", "fx100:2x2x2", "fx10:2x2x2", "fx10", "fx10-kyushu"}) {
        EXPECT_FALSE(buffer_shortage_of(load_machine(name))) << name;
    }
}

TEST(BufferShortage, of_a_cable_that_no_buffer_covers_is_told_with_the_most_there_can_be) {
    const Machine far = parse_machine(
        R"({"schema": "haichi-machine/1", "topology": {"kind": "mesh", "axes": [{"name": "X", "size": 3}]},
            "link": {"bandwidth": "10GB/s", "cable_latency": "1ms"}})",
        "far.json");
    EXPECT_EQ(packet_timing_of(far).buffer_packets, PacketTiming::kMostBufferPackets);
    const std::optional<BufferShortage> found = buffer_shortage_of(far);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->buffer_packets, 4096);
    EXPECT_EQ(found->packets_that_cover, 9767);  // 2 ms divided by 204.8 ns per packet, and one more
    EXPECT_NEAR(found->share, 0.4194, 0.0001);
}

TEST(MachineTiming, what_a_simulation_cannot_have_is_refused_by_the_key_of_the_machine_file) {
    const auto refused = [](const auto& change, const std::string& key, const std::string& value) {
        Machine machine = load_machine("torus:4x4");
        change(machine);
        try {
            (void)packet_timing_of(machine);
            ADD_FAILURE() << "accepted; expected an error with " << key;
        } catch (const OptionError& error) {
            EXPECT_NE(std::string(error.what()).find("'" + key + "'"), std::string::npos) << error.what();
            EXPECT_NE(std::string(error.what()).find(value), std::string::npos) << error.what();
            EXPECT_FALSE(error.hint().empty());
        }
    };
    refused([](Machine& m) { m.link_bandwidth_bytes_per_s = 0; }, "link.bandwidth", "torus:4x4");
    refused([](Machine& m) { m.cable_latency_ps = 1'000'000'000'001; }, "link.cable_latency", "1000000000001 ps");
    refused([](Machine& m) { m.router.switch_latency_ps = -1; }, "router.switch_latency", "-1 ps");
    refused([](Machine& m) { m.router.virtual_channels = 9; }, "router.virtual_channels", "9");
    refused([](Machine& m) { m.router.buffer_packets = 4097; }, "router.buffer", "4097 packets");
    refused([](Machine& m) { m.node.nics = 65; }, "node.nics", "65");
    refused([](Machine& m) { m.packet_payload_bytes = (1 << 24) + 1; }, "packet.payload", "16777217 bytes");
    refused([](Machine& m) { m.packet_header_bytes = 1 << 24; }, "packet.header", "16777216 bytes");
}

}  // namespace
}  // namespace haichi
