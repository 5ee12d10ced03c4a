// predicted-time on small cases computed by hand: links and hosts with round numbers.
#include "objectives/predicted_time.h"

#include <gtest/gtest.h>

#include "base/errors.h"
#include "mapper/anneal/objective_table.h"
#include "mgen/process_options.h"
#include "mgen/replay/simulation.h"
#include "netmodel/packetsim/machine_timing.h"
#include "objectives/machine_costs.h"
#include "objectives/weighted.h"
#include "tests/objectives/problems.h"

namespace haichi {
namespace {

using testing_problems::pose;
using testing_problems::Posed;
using testing_problems::varied_problems;

constexpr double kMegabyte = 1e6;
constexpr std::int64_t kBytes = 1'000'000;

/// A line of nodes with links of 1 GB/s: a megabyte takes a millisecond, and all other times are zero.
Posed on_line(Workload workload, int nodes, int ranks_per_node = 1, const MachineCosts& costs = {}) {
    Machine machine = load_machine("mesh:" + std::to_string(nodes));
    machine.link_bandwidth_bytes_per_s = 1'000'000'000;
    Posed posed = pose("line", std::move(workload), allocate(machine, {.ranks_per_node = ranks_per_node}));
    posed.problem->set_machine_costs(costs);
    return posed;
}

Workload sets_of(int ranks, const std::vector<std::vector<std::array<int, 2>>>& sets, std::int64_t bytes = kBytes) {
    Workload workload(ranks);
    for (const auto& messages : sets) {
        workload.add_set("set");
        for (const auto& [source, destination] : messages) {
            workload.add_message(RankId(source), RankId(destination), bytes);
        }
    }
    return workload;
}

/// The default placement's time in milliseconds, and its parts.
struct Parts {
    double last = 0, mean = 0, queue = 0;
    [[nodiscard]] double value() const { return (last + mean) / 2 + queue / 16; }
};
double value_ms(const Posed& posed) {
    PredictedTime predicted(*posed.problem, {}, posed.default_placement);
    predicted.reset(posed.default_placement);
    EXPECT_EQ(predicted.value(), predicted.value_from_scratch(posed.default_placement));
    return predicted.in_unit(predicted.value()) * 1e3;
}
double bound_ms(const Posed& posed) {
    const PredictedTime predicted(*posed.problem, {}, posed.default_placement);
    return predicted.in_unit(*predicted.lower_bound()) * 1e3;
}

TEST(PredictedTime, alone_a_message_takes_its_bytes_over_the_bandwidth) {
    const Posed posed = on_line(sets_of(2, {{{0, 1}, {1, 0}}}), 2);
    EXPECT_NEAR(value_ms(posed), (Parts{1, 1, 1}.value()), 1e-6);
    EXPECT_NEAR(bound_ms(posed), (Parts{1, 1, 1}.value()), 1e-6);
}

TEST(PredictedTime, messages_of_a_set_share_a_link) {
    // 0 -> 2 and 1 -> 3 share the link 1 -> 2 of the line 0 - 1 - 2 - 3.
    const Posed posed = on_line(sets_of(4, {{{0, 2}, {1, 3}}}), 4);
    EXPECT_NEAR(value_ms(posed), (Parts{2, 2, 3}.value()), 1e-6);
    EXPECT_NEAR(bound_ms(posed), (Parts{1, 1, 1}.value()), 1e-6);
}

TEST(PredictedTime, messages_of_different_sets_do_not) {
    const Posed posed = on_line(sets_of(4, {{{0, 2}}, {{1, 3}}}), 4);
    // The queues of these messages are still included, because sets overlap when ranks run ahead.
    EXPECT_NEAR(value_ms(posed), (Parts{1, 1, 3}.value()), 1e-6);
}

TEST(PredictedTime, a_late_message_finds_a_part_of_the_others_through) {
    // One of the two messages that share the link 1 -> 2 waits a millisecond for rank 3.
    const Posed posed = on_line(sets_of(5, {{{4, 3}}, {{0, 2}, {1, 3}}}), 5);
    EXPECT_NEAR(value_ms(posed), (Parts{2.5, 2, 7.0 / 3}.value()), 1e-6);
}

TEST(PredictedTime, nobody_waits_for_messages_far_smaller_than_the_others) {
    Workload workload = sets_of(5, {{{4, 3}}, {{4, 3}}, {{0, 2}}});
    workload.add_message(RankId(3), RankId(2), kBytes / 100);  // two milliseconds late, but it loads links and NICs
    EXPECT_NEAR(value_ms(on_line(std::move(workload), 5)), (Parts{2, 6.02 / 4, 6.0001 / 3.01}.value()), 1e-6);
}

TEST(PredictedTime, a_rank_goes_on_when_its_own_messages_are_through) {
    // Ranks 2 and 3 wait for no rank; rank 1 receives a message and then sends one.
    const Posed posed = on_line(sets_of(4, {{{0, 1}, {2, 3}}, {{1, 0}}}), 4);
    EXPECT_NEAR(value_ms(posed), (Parts{2, 1.5, 1}.value()), 1e-6);
}

TEST(PredictedTime, a_node_sends_through_its_nics) {
    // Rank 1 sends in both directions: one after the other with one NIC, concurrently with two.
    const Workload both = sets_of(3, {{{1, 0}, {1, 2}}});
    EXPECT_NEAR(value_ms(on_line(both, 3)), (Parts{2, 2, 1}.value()), 1e-6);
    EXPECT_NEAR(value_ms(on_line(both, 3, 1, {.nics = 2})), (Parts{1, 1, 1}.value()), 1e-6);
    // DMA at the rate of a link carries both messages, whatever the number of NICs.
    EXPECT_NEAR(value_ms(on_line(both, 3, 1, {.nics = 2, .host_bytes_per_s = 1'000'000'000})), (Parts{2, 2, 1}.value()),
                1e-6);
}

/// The end of the last rank: predicted, and in the packet simulator. All ranks end together.
struct Ends {
    double predicted_ms = 0, simulated_ms = 0;
};
Ends ends(const std::string& node, const std::vector<std::array<int, 2>>& messages, int ranks_per_node,
          std::int64_t bytes) {
    const Machine machine = parse_machine(
        R"({"schema": "haichi-machine/1", "topology": {"kind": "mesh", "axes": [{"name": "X", "size": 3}]},
            "link": {"bandwidth": "1GB/s"}, "packet": {"payload": "2048B"}, "node": )" +
            node + "}",
        "m.json");
    Posed posed = pose("line", sets_of(3 * ranks_per_node, {messages}, bytes),
                       allocate(machine, {.ranks_per_node = ranks_per_node}));
    posed.problem->set_machine_costs(machine_costs_of(machine));
    SimulationRequest request;
    request.workload = &posed.problem->workload();
    request.network = &posed.problem->network();
    request.timing = packet_timing_of(machine);
    request.process = process_options_of(machine);
    request.node_of_rank.assign(posed.default_placement.node_of_rank().begin(),
                                posed.default_placement.node_of_rank().end());
    // The messages cross one link each, and none shares a link.
    const double queue_ms = static_cast<double>(bytes) / 1e6;
    return {value_ms(posed) - queue_ms / 16, simulate(request).seconds * 1e3};
}

TEST(PredictedTime, nics_work_on_each_packet_as_in_the_packet_simulator) {
    const std::vector<std::array<int, 2>> one = {{1, 0}};
    const std::vector<std::array<int, 2>> two = {{1, 0}, {1, 2}};
    struct Case {
        std::string node;
        std::vector<std::array<int, 2>> messages;
        int ranks_per_node;
        double expected_ms;  ///< 489 packets
    };
    for (const auto& [node, messages, ranks_per_node, expected_ms] : std::vector<Case>{
             {R"({"nic_packet_time": "1us"})", one, 1, 1.489},
             {R"({"nic_packet_time": "1us"})", two, 1, 2.978},
             {R"({"nic_packet_time": "1us", "nics": 2})", two, 1, 1.489},
             {R"({"nic_packet_time": "500ns", "nic_bandwidth": "4GB/s"})", one, 1, 1},
             {R"({"nic_packet_time": "3us", "nic_bandwidth": "4GB/s"})", one, 1, 1.717},
             {R"({"nic_packet_time": "3us", "nic_bandwidth": "4GB/s"})", two, 1, 3.434},
             {R"({"nic_packet_time": "1us", "nic_bandwidth": "4GB/s", "shared_bus": "500MB/s"})", one, 1, 2.489},
             // ranks 0, 1 | 2, 3 | 4, 5 on three nodes
             {R"({"nic_packet_time": "1us"})", {{2, 0}, {3, 4}}, 2, 2.978}}) {
        const Ends found = ends(node, messages, ranks_per_node, kBytes);
        EXPECT_NEAR(found.predicted_ms / expected_ms, 1, 0.01) << node << messages.size();
        EXPECT_NEAR(found.predicted_ms / found.simulated_ms, 1, 0.01) << node << messages.size();
    }
    // Short messages have a request, an acknowledgement and one packet.
    const Ends rendezvous = ends(R"({"nic_packet_time": "10us", "eager_limit": "0B"})", one, 1, 1000);
    EXPECT_NEAR(rendezvous.predicted_ms, 0.031, 1e-4);
    EXPECT_NEAR(rendezvous.predicted_ms, rendezvous.simulated_ms, 1e-4);
}

TEST(PredictedTime, bounds_include_the_work_of_nics) {
    const MachineCosts costs{.nic_packet_ps = 1'000'000, .packet_payload_bytes = 1000};
    const Posed posed = on_line(sets_of(2, {{{0, 1}, {1, 0}}}), 2, 1, costs);
    EXPECT_NEAR(value_ms(posed), (Parts{2.002, 2.002, 1}.value()), 1e-6);
    EXPECT_NEAR(bound_ms(posed), (Parts{2.002, 2.002, 1}.value()), 1e-6);
}

TEST(PredictedTime, calls_and_hops_take_what_the_machine_states) {
    constexpr std::int64_t kMs = 1'000'000'000;
    // Posted after 1 ms, sent after 3 ms: 3 + two traversals of 2 hops (a link and the ejection) + 1, plus one hop.
    const MachineCosts rendezvous{.call_ps = kMs, .rendezvous_send_ps = 3 * kMs, .hop_ps = kMs};
    EXPECT_NEAR(value_ms(on_line(sets_of(2, {{{0, 1}}}), 2, 1, rendezvous)), (Parts{9, 8.5, 1}.value()), 1e-6);
    // Eager: the sender continues after its call, and the message arrives a hop later.
    const MachineCosts eager{.call_ps = kMs, .eager_send_ps = 2 * kMs, .eager_limit_bytes = kBytes, .hop_ps = kMs};
    EXPECT_NEAR(value_ms(on_line(sets_of(2, {{{0, 1}}}), 2, 1, eager)), (Parts{4, 3, 1}.value()), 1e-6);
}

TEST(PredictedTime, headers_are_sent_too) {
    const MachineCosts costs{.packet_payload_bytes = 1000, .packet_header_bytes = 100};
    EXPECT_NEAR(value_ms(on_line(sets_of(2, {{{0, 1}}}), 2, 1, costs)), (Parts{1.1, 1.1, 1.1}.value()), 1e-6);
}

TEST(PredictedTime, messages_inside_a_node_pass_its_memory) {
    const Workload exchange = sets_of(2, {{{0, 1}, {1, 0}}});
    EXPECT_EQ(value_ms(on_line(exchange, 2, 2)), 0);
    const MachineCosts memory{.on_node_bytes_per_s = 2'000'000'000};
    EXPECT_NEAR(value_ms(on_line(exchange, 2, 2, memory)), (Parts{1, 1, 0}.value()), 1e-6);
}

TEST(PredictedTime, ranks_of_a_node_share_its_nic) {
    // Ranks 0, 1 | 2, 3: both messages enter and leave through one NIC and share the one link.
    const Posed posed = on_line(sets_of(4, {{{0, 2}, {1, 3}}}), 2, 2);
    EXPECT_NEAR(value_ms(posed), (Parts{2, 2, 2}.value()), 1e-6);
}

TEST(PredictedTime, huge_messages_take_coarser_ticks_and_do_not_overflow) {
    const std::int64_t most = std::int64_t{1} << 48;
    const Posed posed = on_line(sets_of(4, {{{0, 2}, {1, 3}}, {{0, 3}}}, most), 4);
    const double one = static_cast<double>(most) / kMegabyte;
    // The links carry 2, 3 and 2 of the three messages.
    EXPECT_NEAR(value_ms(posed) / one, (Parts{3, 2.5, 17.0 / 3}.value()), 1e-6);
}

TEST(PredictedTime, incremental_values_hold_with_one_checkpoint_for_many_sets) {
    // Too many sets and ranks for a row of clocks per set.
    constexpr int kRanks = 4096;
    Workload workload(kRanks);
    for (int t = 0; t < 2'500; ++t) {
        workload.add_set("set");
        workload.add_message(RankId(t % kRanks), RankId((t * 7 + 1) % kRanks), 1'000 + t);
    }
    const Posed posed = pose("many sets", std::move(workload), "torus:16x16x16", {});
    PredictedTime predicted(*posed.problem, {}, posed.default_placement);
    Mapping mapping = posed.default_placement;
    predicted.reset(mapping);
    Random random(3);
    for (int i = 0; i < 20; ++i) {
        const Move move = move_to_slot(mapping, RankId(static_cast<std::int32_t>(random.below(2'500))),
                                       SlotId(static_cast<std::int32_t>(random.below(kRanks))));
        predicted.propose(mapping, move);
        if (i % 2 == 0) {
            predicted.rollback();
        } else {
            predicted.commit();
            mapping.apply(move);
        }
    }
    EXPECT_EQ(predicted.value(), predicted.value_from_scratch(mapping));
}

TEST(PredictedTime, costs_are_those_of_the_machine) {
    const MachineCosts torus = machine_costs_of(load_machine("torus:4x4x4"));
    EXPECT_EQ(torus.hop_ps, 246'000);
    EXPECT_EQ(torus.host_bytes_per_s, 10'000'000'000);
    EXPECT_EQ(torus.eager_send_ps, 200'000);
    const MachineCosts tofu = machine_costs_of(load_machine("fx10-kyushu"));
    EXPECT_EQ(tofu.nics, 4);
    EXPECT_EQ(tofu.rendezvous_send_ps, 37'000'000);
    EXPECT_EQ(tofu.packet_header_bytes, 72);
    EXPECT_EQ(tofu.host_bytes_per_s, 0);
}

TEST(PredictedTime, may_be_a_term_of_a_weighted_sum) {
    const auto problems = varied_problems();
    const Posed& posed = problems.front();
    const Weighted sum(*posed.problem, parse_objective("weighted(predicted-time=2)"), posed.default_placement);
    EXPECT_DOUBLE_EQ(sum.value_from_scratch(posed.default_placement), 2);
}

}  // namespace
}  // namespace haichi
