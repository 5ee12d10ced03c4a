// The bandwidth of message streams on preset machines: buffers must not limit it.

#include <gtest/gtest.h>

#include "mapper/judge/simulate.h"

namespace haichi {
namespace {

constexpr std::int64_t kStream = std::int64_t{16} << 20;

/// Returns the bytes per second of each message. Senders send one message to the next rank: rank 0 of two ranks, or all
/// ranks of a ring.
double rate(const std::string& machine, std::int32_t ranks) {
    Workload workload(ranks, 1);
    workload.add_set("streams", 0);
    for (std::int32_t r = 0; r < (ranks == 2 ? 1 : ranks); ++r) {
        workload.add_message(RankId(r), RankId((r + 1) % ranks), kStream);
    }
    JobSpec spec;
    spec.machine = machine;
    if (machine == "k" || machine == "fugaku" || machine == "fx10-kyushu") spec.allocation.shape = {2, 2, 2, 2, 3, 2};
    spec.traffic.source = std::move(workload);
    const Placement placement{Job(spec)};
    return static_cast<double>(kStream) / simulate(placement, {}).runs.front().result.seconds;
}

struct Line {
    std::string machine;
    double alone = 0;    ///< the rate of the slowest component on the message's route
    double in_ring = 0;  ///< DMA serves two directions
};

TEST(LineRate, is_reached_by_a_message_to_a_neighbour_and_by_a_ring_of_them) {
    constexpr double kPayload = 1920.0 / 1992;
    const std::vector<Line> lines = {{"torus:8", 8e9, 5e9},
                                     {"mesh:8", 8e9, 5e9},
                                     {"fattree:2x8", 2e9, 2e9},
                                     {"dragonfly-plus:4,4,2,5", 2e9, 2e9},
                                     {"switch:8", 2.8e9, 1.4e9},
                                     {"k", 5e9 * kPayload, 5e9 * kPayload},
                                     {"fx10-kyushu", 5e9 * kPayload, 5e9 * kPayload},
                                     {"fx100:2x2x2", 12.5e9 * kPayload, 12.5e9 * kPayload},
                                     {"fugaku", 6.8e9 * kPayload, 6.8e9 * kPayload}};
    for (const Line& line : lines) {
        const double alone = rate(line.machine, 2);
        const double in_ring = rate(line.machine, 8);
        EXPECT_GE(alone, 0.95 * line.alone) << line.machine;
        EXPECT_LE(alone, line.alone) << line.machine;
        EXPECT_GE(in_ring, 0.95 * line.in_ring) << line.machine;
        EXPECT_LE(in_ring, line.in_ring) << line.machine;
    }
}

TEST(LineRate, of_a_ring_on_dragonfly_and_hyperx_lacks_the_turns_of_dma_only) {
    for (const char* name : {"dragonfly:2,4,2", "hyperx:4x4,2"}) {
        EXPECT_GE(rate(name, 2), 0.95 * 2e9) << name;
        EXPECT_GE(rate(name, 8), 0.9 * 2e9) << name;
    }
}

TEST(LineRate, is_kept_over_several_hops) {
    // Sends between nodes 0 and 3 of a line.
    Workload workload(4, 1);
    workload.add_set("stream", 0);
    workload.add_message(RankId(0), RankId(3), kStream);
    JobSpec spec;
    spec.machine = std::string("torus:8");
    spec.traffic.source = std::move(workload);
    const double seconds = simulate(Placement(Job(spec)), {}).runs.front().result.seconds;
    EXPECT_GE(static_cast<double>(kStream) / seconds, 0.99 * 8e9);
}

TEST(BufferWarning, names_the_share_that_a_channel_reaches_and_what_would_do) {
    Machine machine = load_machine("torus:8");
    EXPECT_EQ(buffer_warning(machine), "");
    machine.router.buffer_packets = 8;
    EXPECT_EQ(
        buffer_warning(machine),
        "torus:8: with buffers of 8 packets, a virtual channel carries 3.91 GB/s of its link's 8 GB/s; use 17 packets "
        "or more ('router.buffer')");
    machine.router.buffer_packets.reset();
    machine.cable_latency_ps = 1'000'000'000;
    EXPECT_EQ(buffer_warning(machine),
              "torus:8: with buffers of 4096 packets, a virtual channel carries 0.524 GB/s of its link's 8 GB/s; 62511 "
              "packets would suffice, more than haichi can simulate ('router.buffer')");
}

}  // namespace
}  // namespace haichi
