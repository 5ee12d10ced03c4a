#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "base/errors.h"
#include "netmodel/machine/machine.h"
#include "netmodel/packetsim/machine_timing.h"
#include "netmodel/routing/clusters_topology.h"
#include "netmodel/routing/topologies.h"
#include "tests/netmodel/packetsim/packetsim_machines.h"
#include "tests/netmodel/topology_contract.h"

// Two switches with two nodes each; every expected time is a sum of the values defined here.
//
//   0   1                 2   3
//    \ /                   \ /
//   switch --- bridges --- switch
namespace haichi {
namespace {

using namespace packetsim_machines;

constexpr std::int64_t kLinkBandwidth = 100'000'000;  // 10 ns per byte
constexpr std::int64_t kBridgeBandwidth = 50'000'000;
constexpr std::int64_t kPsPerByte = 10'000;
constexpr std::int64_t kBridgePsPerByte = 20'000;
constexpr std::int64_t kSwitchPs = 1'000'000;
constexpr std::int64_t kBridgePs = 5'000'000;
constexpr std::int64_t kMtu = 1000;

BridgeOptions plain_bridges() {
    BridgeOptions bridges;
    bridges.bandwidth_bytes_per_s = kBridgeBandwidth;
    bridges.latency_ps = kBridgePs;
    bridges.mtu_bytes = kMtu;
    return bridges;
}

Network clusters_network(const BridgeOptions& bridges, std::int32_t nodes = 2) {
    const auto cluster = [&] { return fat_tree_topology(FatTree({nodes}, {1})); };
    NetworkOptions options;
    options.link_bandwidth_bytes_per_s = kLinkBandwidth;
    return Network(
        {std::make_shared<ClustersTopology>(std::vector<std::shared_ptr<const Topology>>{cluster(), cluster()},
                                            std::vector<ClustersTopology::Pair>{{0, 1, bridges}})},
        options);
}

PacketTiming timing_of(std::int64_t payload_bytes) {
    PacketTimingOptions options;
    options.switch_latency_ps = kSwitchPs;
    options.packet_payload_bytes = payload_bytes;
    options.virtual_channels = 0;
    options.buffer_packets = 64;
    return PacketTiming(options);
}

struct Crossing {
    explicit Crossing(const BridgeOptions& bridges, std::int64_t payload_bytes = kMtu, int partitions = 1)
        : network(clusters_network(bridges)),
          engine(network, timing_of(payload_bytes), recorder, {.partitions = partitions}) {}
    void send(std::int32_t from, std::int32_t to, std::int64_t bytes, std::uint64_t tag, std::int64_t time_ps = 0) {
        engine.inject({NodeId(from), NodeId(to), bytes, tag}, time_ps);
    }
    Network network;
    Recorder recorder;
    PacketEngine engine;
};

TEST(Bridge, takes_a_packet_in_whole_and_sends_it_on_at_its_own_rate) {
    Crossing run(plain_bridges());
    run.send(0, 3, 400, 1);
    run.engine.run();
    const std::int64_t in_ps = kSwitchPs + 400 * kPsPerByte;
    EXPECT_EQ(run.recorder.delivered_ps.at(1), in_ps + kBridgePs + kSwitchPs + 400 * kBridgePsPerByte);
    EXPECT_TRUE(run.engine.is_drained());
}

TEST(Bridge, holds_packets_until_the_next_tick_of_its_timer_behind_the_delay) {
    BridgeOptions bridges = plain_bridges();
    bridges.delay_ps = 2'000'000'000;
    bridges.timer_ps = 500'000;
    Crossing run(bridges);
    run.send(0, 3, 410, 1);  // arrives in the bridge at 5.1 us
    run.engine.run();
    const std::int64_t released_ps = 2'005'500'000;
    EXPECT_EQ(run.recorder.delivered_ps.at(1), released_ps + kBridgePs + kSwitchPs + 410 * kBridgePsPerByte);
}

TEST(Bridge, does_not_delay_what_stays_in_a_cluster) {
    BridgeOptions bridges = plain_bridges();
    bridges.delay_ps = 2'000'000'000;
    Crossing run(bridges);
    run.send(0, 1, 400, 1);
    run.engine.run();
    EXPECT_EQ(run.recorder.delivered_ps.at(1), kSwitchPs + 400 * kPsPerByte);
}

TEST(Bridge, may_be_slow_where_its_packets_are_small) {
    constexpr std::int64_t kMiB = 1 << 20;
    BridgeOptions bridges = plain_bridges();
    bridges.bandwidth_bytes_per_s = 1'000'000;  // 1 ms for 1,000 bytes, 64 ms for the link MTU of 64 KiB
    Crossing run(bridges, kMiB / 16);
    run.send(0, 3, 3 * kMtu, 1);
    run.engine.run();
    EXPECT_EQ(run.recorder.delivered_ps.at(1),
              kSwitchPs + kMtu * kPsPerByte + 3 * kMtu * 1'000'000 + kBridgePs + kSwitchPs);
    bridges.mtu_bytes = kMiB / 64;
    EXPECT_THROW(Crossing(bridges, kMiB / 16), OptionError);
}

TEST(Bridge, streams_at_its_rate_however_long_the_delay) {
    BridgeOptions bridges = plain_bridges();
    bridges.delay_ps = 20'000'000'000;
    bridges.buffer_bytes = 10'000'000;
    Crossing run(bridges);
    constexpr std::int64_t kPackets = 300;
    run.send(0, 3, kPackets * kMtu, 1);
    run.engine.run();
    const std::int64_t first_ps = kSwitchPs + kMtu * kPsPerByte + bridges.delay_ps;
    EXPECT_EQ(run.recorder.delivered_ps.at(1), first_ps + kPackets * kMtu * kBridgePsPerByte + kBridgePs + kSwitchPs);
}

TEST(Bridge, keeps_the_next_packet_waiting_for_its_packet_time_and_a_lone_one_not_at_all) {
    BridgeOptions bridges = plain_bridges();
    bridges.packet_time_ps = 3'000'000;
    Crossing lone(bridges);
    lone.send(0, 3, kMtu, 1);
    lone.engine.run();
    const std::int64_t first_ps = kSwitchPs + kMtu * kPsPerByte + kBridgePs + kSwitchPs;
    EXPECT_EQ(lone.recorder.delivered_ps.at(1), first_ps + kMtu * kBridgePsPerByte);

    // One byte more requires a second packet, which arrives long before the first packet has left.
    Crossing two(bridges);
    two.send(0, 3, kMtu + 1, 1);
    two.engine.run();
    EXPECT_EQ(two.recorder.delivered_ps.at(1), first_ps + (kMtu + 1) * kBridgePsPerByte + bridges.packet_time_ps);

    Crossing stream(bridges);
    constexpr std::int64_t kPackets = 50;
    stream.send(0, 3, kPackets * kMtu, 1);
    stream.engine.run();
    EXPECT_EQ(stream.recorder.delivered_ps.at(1),
              first_ps + kPackets * kMtu * kBridgePsPerByte + (kPackets - 1) * bridges.packet_time_ps);
}

// 16 us for a packet on the bus, 20 us at the rate of one direction.
TEST(Bridge, shares_a_bus_between_its_directions) {
    BridgeOptions bridges = plain_bridges();
    bridges.shared_bus_bytes_per_s = 62'500'000;
    constexpr std::int64_t kBusPs = 16 * kMtu * 1'000;
    constexpr std::int64_t kPackets = 50;
    const std::int64_t first_ps = kSwitchPs + kMtu * kPsPerByte;
    const std::int64_t out_ps = kBridgePs + kSwitchPs + kMtu * kBridgePsPerByte;
    Crossing alone(bridges);
    alone.send(0, 3, kPackets * kMtu, 1);
    alone.engine.run();
    EXPECT_EQ(alone.recorder.delivered_ps.at(1), first_ps + (kPackets - 1) * kMtu * kBridgePsPerByte + out_ps);

    Crossing both(bridges);
    both.send(0, 3, kPackets * kMtu, 1);
    both.send(3, 0, kPackets * kMtu, 2);
    both.engine.run();
    EXPECT_EQ(std::min(both.recorder.delivered_ps.at(1), both.recorder.delivered_ps.at(2)),
              first_ps + (2 * kPackets - 2) * kBusPs + out_ps);
    EXPECT_EQ(std::max(both.recorder.delivered_ps.at(1), both.recorder.delivered_ps.at(2)),
              first_ps + (2 * kPackets - 1) * kBusPs + out_ps);
}

TEST(Bridge, may_have_a_bus_slower_than_a_direction) {
    BridgeOptions bridges = plain_bridges();
    bridges.shared_bus_bytes_per_s = 40'000'000;
    constexpr std::int64_t kBusPs = 25 * kMtu * 1'000;
    constexpr std::int64_t kPackets = 50;
    const std::int64_t first_ps = kSwitchPs + kMtu * kPsPerByte;
    const std::int64_t out_ps = kBridgePs + kSwitchPs + kMtu * kBridgePsPerByte;
    Crossing alone(bridges);
    alone.send(0, 3, kPackets * kMtu, 1);
    alone.engine.run();
    EXPECT_EQ(alone.recorder.delivered_ps.at(1), first_ps + (kPackets - 1) * kBusPs + out_ps);

    Crossing both(bridges);
    both.send(0, 3, kPackets * kMtu, 1);
    both.send(3, 0, kPackets * kMtu, 2);
    both.engine.run();
    const auto [early, late] = std::minmax(both.recorder.delivered_ps.at(1), both.recorder.delivered_ps.at(2));
    EXPECT_EQ(early, first_ps + (2 * kPackets - 2) * kBusPs + out_ps);
    EXPECT_EQ(late, first_ps + (2 * kPackets - 1) * kBusPs + out_ps);
}

// Both switches of each cluster have a link to the bridge, so four outputs share its bus.
TEST(Bridge, gives_its_bus_to_all_outputs_in_turn) {
    BridgeOptions bridges = plain_bridges();
    bridges.shared_bus_bytes_per_s = 40'000'000;
    constexpr std::int64_t kBusPs = 25 * kMtu * 1'000;
    constexpr std::int64_t kPackets = 40;
    const auto cluster = [] { return fat_tree_topology(FatTree({2}, {2})); };
    NetworkOptions options;
    options.link_bandwidth_bytes_per_s = kLinkBandwidth;
    const Network network(
        {std::make_shared<ClustersTopology>(std::vector<std::shared_ptr<const Topology>>{cluster(), cluster()},
                                            std::vector<ClustersTopology::Pair>{{0, 1, bridges}})},
        options);
    Recorder recorder;
    PacketEngine engine(network, timing_of(kMtu), recorder, {.partitions = 1});
    for (std::int32_t n = 0; n < 4; ++n) {
        engine.inject({NodeId(n), NodeId((n + 2) % 4), kPackets * kMtu, static_cast<std::uint64_t>(n + 1)}, 0);
    }
    engine.run();
    std::vector<std::int64_t> ends(recorder.delivered_ps.begin() + 1, recorder.delivered_ps.begin() + 5);
    std::ranges::sort(ends);
    EXPECT_LE(ends.back() - ends.front(), 4 * kBusPs);
    EXPECT_GE(ends.back(), 4 * kPackets * kBusPs);
}

TEST(Clusters, go_on_where_all_nodes_of_one_are_faulty) {
    const auto cluster = [] { return fat_tree_topology(FatTree({2}, {1})); };
    NetworkOptions options;
    options.link_bandwidth_bytes_per_s = kLinkBandwidth;
    options.faulty = {VertexId(2), VertexId(3)};
    const Network network(
        {std::make_shared<ClustersTopology>(std::vector<std::shared_ptr<const Topology>>{cluster(), cluster()},
                                            std::vector<ClustersTopology::Pair>{{0, 1, plain_bridges()}})},
        options);
    Recorder recorder;
    PacketEngine engine(network, timing_of(kMtu), recorder, {.partitions = 1});
    engine.inject({NodeId(0), NodeId(1), 400, 1}, 0);
    engine.run();
    EXPECT_EQ(recorder.delivered_ps.at(1), kSwitchPs + 400 * kPsPerByte);
}

// Packets waiting in a bridge leave faster than they arrived: the next packet may start when the previous one is out.
TEST(Bridge, may_be_faster_than_the_links_into_it) {
    BridgeOptions bridges = plain_bridges();
    bridges.bandwidth_bytes_per_s = 4 * kLinkBandwidth;
    bridges.packet_time_ps = 20'000'000;  // two packets' time on a link
    Crossing run(bridges);
    constexpr std::int64_t kPackets = 50;
    run.send(0, 3, kPackets * kMtu, 1);
    run.engine.run();
    const std::int64_t each_ps = kMtu * kPsPerByte / 4 + bridges.packet_time_ps;
    // The link after the bridge runs at the normal link rate.
    EXPECT_EQ(run.recorder.delivered_ps.at(1),
              kSwitchPs + kMtu * kPsPerByte + kBridgePs + kSwitchPs + (kPackets - 1) * each_ps + kMtu * kPsPerByte);
}

// A buffer entry is occupied from the grant of the link into the bridge until one latency after the tail has left.
TEST(Bridge, a_full_buffer_holds_senders_back_and_loses_nothing) {
    BridgeOptions bridges = plain_bridges();
    bridges.delay_ps = 1'000'000'000;
    bridges.buffer_bytes = 2 * kMtu + 1;  // two buffer entries
    Crossing run(bridges);
    constexpr std::int64_t kPackets = 40;
    run.send(0, 3, kPackets * kMtu, 1);
    run.engine.run();
    const std::int64_t round_ps =
        kSwitchPs + kMtu * kPsPerByte + bridges.delay_ps + kMtu * kBridgePsPerByte + kSwitchPs;
    // The second packet of a pair arrives one link time after the first and leaves after one more bridge time.
    const std::int64_t last_ps = (kPackets / 2 - 1) * round_ps + kSwitchPs + kMtu * kPsPerByte + bridges.delay_ps +
                                 2 * kMtu * kBridgePsPerByte + kBridgePs + kSwitchPs;
    EXPECT_NEAR(static_cast<double>(run.recorder.delivered_ps.at(1)), static_cast<double>(last_ps),
                static_cast<double>(kMtu * kBridgePsPerByte));
    EXPECT_EQ(run.engine.counts().payload_bytes_delivered, kPackets * kMtu);
    EXPECT_TRUE(run.engine.is_drained());
}

TEST(Bridge, its_mtu_cuts_the_messages_that_cross_and_no_others) {
    Crossing run(plain_bridges(), 4 * kMtu);
    run.send(0, 1, 4 * kMtu, 1);
    run.engine.run();
    EXPECT_EQ(run.engine.counts().packets_injected, 1);
    run.send(0, 2, 4 * kMtu, 2, run.engine.now_ps());
    run.engine.run();
    EXPECT_EQ(run.engine.counts().packets_injected, 5);
    EXPECT_EQ(run.engine.counts().payload_bytes_delivered, 8 * kMtu);
}

TEST(Bridge, two_carry_twice_as_much_to_two_destinations_and_one_destination_has_one) {
    BridgeOptions bridges = plain_bridges();
    const auto end_ps = [&](std::int32_t count, std::int32_t second) {
        bridges.count = count;
        Crossing run(bridges);
        run.send(0, 2, 100 * kMtu, 1);
        run.send(1, second, 100 * kMtu, 2);
        run.engine.run();
        return std::max(run.recorder.delivered_ps.at(1), run.recorder.delivered_ps.at(2));
    };
    const std::int64_t alone_ps = kSwitchPs + kMtu * kPsPerByte + 100 * kMtu * kBridgePsPerByte + kBridgePs + kSwitchPs;
    EXPECT_EQ(end_ps(2, 3), alone_ps);
    EXPECT_EQ(end_ps(1, 3), alone_ps + 100 * kMtu * kBridgePsPerByte);
    EXPECT_EQ(end_ps(2, 2), alone_ps + 100 * kMtu * kBridgePsPerByte);
}

TEST(Bridge, partitions_change_nothing) {
    BridgeOptions bridges = plain_bridges();
    bridges.delay_ps = 50'000'000;
    bridges.timer_ps = 500'000;
    bridges.buffer_bytes = 5 * kMtu;
    bridges.shared_bus_bytes_per_s = 45'000'000;
    std::vector<std::int64_t> expected;
    for (const int partitions : {1, 2, 4}) {
        Crossing run(bridges, 4 * kMtu, partitions);
        std::uint64_t tag = 0;
        for (std::int32_t s = 0; s < 4; ++s) {
            for (std::int32_t d = 0; d < 4; ++d) {
                if (s != d) run.send(s, d, 900 + 2'700 * ((s + 3 * d) % 5), ++tag, s * 1'000);
            }
        }
        run.engine.run();
        EXPECT_TRUE(run.engine.is_drained());
        if (partitions == 1) expected = run.recorder.delivered_ps;
        EXPECT_EQ(run.recorder.delivered_ps, expected) << partitions;
    }
}

TEST(Clusters, a_buffer_without_room_for_a_packet_is_refused) {
    BridgeOptions bridges = plain_bridges();
    bridges.buffer_bytes = kMtu - 1;
    EXPECT_THROW(Crossing{bridges}, OptionError);
}

std::string clusters_file(const std::string& clusters, const std::string& bridges) {
    return R"({"schema": "haichi-machine/1", "link": {"bandwidth": "100MB/s"}, "topology": {"kind": "clusters",
"clusters": [)" +
           clusters + R"(], "bridges": )" + bridges + "}}";
}

const std::string kTree = R"({"kind": "tree", "children": [5]})";
const std::string kFatTree = R"({"kind": "fattree", "children": [2, 3], "parents": [1, 2]})";
const std::string kTorus =
    R"({"kind": "torus", "axes": [{"name": "X", "size": 4, "wraps": true}, {"name": "Y", "size": 3}]})";
const std::string kDragonfly = R"({"kind": "dragonfly-plus", "leaves": 2, "spines": 2, "hosts": 2, "groups": 3})";
const std::string kTwoBridges = R"({"count": 2, "bandwidth": "50MB/s", "delay": "1ms"})";

TEST(Clusters, of_any_kinds_keep_the_contract_of_topologies) {
    for (const std::string& clusters :
         {kTree + "," + kTree, kTree + "," + kTorus, kTorus + "," + kTorus, kFatTree + "," + kTorus,
          kFatTree + "," + kFatTree + "," + kTree, kDragonfly + "," + kTorus}) {
        SCOPED_TRACE(clusters);
        const Machine machine = parse_machine(clusters_file(clusters, kTwoBridges), "m.json");
        NetworkOptions options{.link_bandwidth_bytes_per_s = kLinkBandwidth};
        topology_contract::expect_contract(Network({machine.topology, machine.routing}, options));
        topology_contract::expect_contract_of_parts({machine.topology, machine.routing}, options);
    }
}

// Each registered kind, alone and next to another one, with its own example.
TEST(Clusters, are_of_every_kind_with_one_to_eight_bridges) {
    for (const TopologyRow& row : topologies()) {
        for (const std::int32_t bridges : {1, 3, 8}) {
            SCOPED_TRACE(row.name + ", " + std::to_string(bridges));
            NamedFile other;
            if (!row.example_file.empty()) other.text = row.example_file;
            const Machine machine =
                parse_machine(clusters_file(row.example + "," + kTree + "," + row.example,
                                            R"({"delay": "1us", "count": )" + std::to_string(bridges) + "}"),
                              "m.json", &other);
            const NetworkOptions options{.link_bandwidth_bytes_per_s = kLinkBandwidth};
            topology_contract::expect_contract(Network({machine.topology, machine.routing}, options));
        }
    }
}

TEST(Clusters, of_one_node_each_are_joined_too) {
    const std::string one = R"({"kind": "mesh", "axes": [{"name": "X", "size": 1}]})";
    const std::string host = R"({"kind": "tree", "children": [1]})";
    for (const std::string& clusters : {one + "," + one, one + "," + host, host + "," + host + "," + one}) {
        SCOPED_TRACE(clusters);
        const Machine machine = parse_machine(clusters_file(clusters, kTwoBridges), "m.json");
        const NetworkOptions options{.link_bandwidth_bytes_per_s = kLinkBandwidth};
        const Network network({machine.topology, machine.routing}, options);
        topology_contract::expect_contract(network);
        Recorder recorder;
        PacketEngine engine(network, timing_of(kMtu), recorder, {.partitions = 1});
        engine.inject({NodeId(0), NodeId(1), 3 * kMtu, 1}, 0);
        engine.run();
        EXPECT_EQ(engine.counts().payload_bytes_delivered, 3 * kMtu);
    }
}

TEST(Clusters, wrong_values_are_told_with_their_line) {
    const auto words_of = [](const std::string& bridges) -> std::string {
        try {
            (void)parse_machine(clusters_file(kTree + "," + kTree, bridges), "m.json");
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_EQ(words_of("{\n\"delay\": \"2s\"}"), "m.json:3: invalid 'topology.bridges.delay': '2s'");
    EXPECT_EQ(words_of("{\n\"buffer\": \"0B\"}"), "m.json:3: invalid 'topology.bridges.buffer': '0B'");
    EXPECT_EQ(words_of("{\n\"shared_bus\": \"fast\"}"),
              "m.json:3: topology.bridges.shared_bus: expected a bandwidth such as '5GB/s', found 'fast'");
    EXPECT_NE(words_of("{\"count\": 0}").find("'topology.bridges.count'"), std::string::npos);
    try {
        (void)parse_machine(
            R"({"schema": "haichi-machine/1", "link": {"bandwidth": "1GB/s"}, "packet": {"payload": "2kB"},
"topology": {"kind": "clusters", "bridges": {"buffer": "1kB", "mtu": "1500B"}, "clusters": [)" +
                kTree + "," + kTree + "]}}",
            "m.json");
        FAIL() << "a buffer without room for a packet";
    } catch (const InputError& error) {
        EXPECT_STREQ(error.what(),
                     "m.json:2: topology: the buffers of the bridges have 1000 bytes, too few for a packet of 1500");
    }
    EXPECT_NE(words_of("{\"count\": 2, \"dealy\": \"1ms\"}").find("dealy"), std::string::npos);
}

TEST(Clusters, a_crossing_counts_as_many_hops_as_links_take_as_long) {
    BridgeOptions bridges = plain_bridges();
    bridges.delay_ps = 1'000'000'000;
    // (1,000 bytes / 50 MB/s + 5 us + 1 ms) / (1,000 bytes / 100 MB/s) = 102.5
    EXPECT_EQ(default_crossing_hops(bridges, kLinkBandwidth, 1000), 103);
    bridges.mtu_bytes = 64'000;  // packets keep the machine's size
    EXPECT_EQ(default_crossing_hops(bridges, kLinkBandwidth, 1000), 103);
    bridges.mtu_bytes.reset();
    EXPECT_EQ(default_crossing_hops(bridges, kLinkBandwidth, 1000), 103);
    bridges.mtu_bytes = kMtu;
    EXPECT_EQ(default_crossing_hops(bridges, kLinkBandwidth, {}), 103);
    bridges.crossing_hops = 103;
    const Network network = clusters_network(bridges);
    EXPECT_EQ(network.hops(NodeId(0), NodeId(1)), 2);
    EXPECT_EQ(network.hops(NodeId(0), NodeId(3)), 2 + 103 + 1);
}

TEST(Clusters, bridges_of_pairs_are_stated_one_by_one) {
    const Machine machine = parse_machine(
        clusters_file(kTree + "," + kTree + "," + kTorus,
                      R"([{"between": [0, 1]}, {"between": [2, 0], "count": 3}, {"between": [1, 2], "mtu": "1kB"}])"),
        "m.json");
    EXPECT_EQ(machine.topology->description()["bridges"][1]["count"], 3);
    EXPECT_EQ(machine.topology->vertex_count(), 5 + 5 + 12 + 2 + 5);
    EXPECT_THROW((void)parse_machine(clusters_file(kTree + "," + kTree + "," + kTorus, R"([{"between": [0, 1]}])"), ""),
                 InputError);
    EXPECT_THROW((void)parse_machine(clusters_file(kTree, "{}"), ""), InputError);
    EXPECT_THROW((void)parse_machine(clusters_file(kTree + "," + kTree, R"({"delay": "1h"})"), ""), InputError);
    EXPECT_THROW((void)parse_machine(clusters_file(kTree + R"(,{"kind": "star"})", "{}"), ""), InputError);
}

// machines/two-clusters.json and the preset of this name give the same numbers.
TEST(Clusters, the_preset_has_the_values_of_its_file) {
    const Machine by_name = load_machine("two-clusters");
    const Machine from_file = parse_machine(preset_text("two-clusters"), "two-clusters.json");
    EXPECT_EQ(by_name.topology->description(), from_file.topology->description());
    EXPECT_EQ(terminal_count(by_name), 32);
    EXPECT_EQ(packet_timing_of(by_name).packet_payload_bytes, 8192);
    EXPECT_EQ(load_machine("two-clusters:4,2ms,3").topology->vertex_count(), 6 + 2 + 4);
    EXPECT_THROW((void)load_machine("two-clusters:0"), OptionError);
    EXPECT_THROW((void)load_machine("two-clusters:1,2"), OptionError);
    EXPECT_THROW((void)load_machine("two-clusters:1,2ms,3,4"), OptionError);
}

}  // namespace
}  // namespace haichi
