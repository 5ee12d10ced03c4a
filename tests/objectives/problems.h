#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "commlog/workload/patterns.h"
#include "mapper/start/start.h"
#include "netmodel/machine/allocation.h"
#include "netmodel/machine/logical_torus.h"
#include "objectives/problem.h"
#include "tests/base/temporary_folder.h"
#include "tests/netmodel/graph_files.h"

namespace haichi::testing_problems {

/// A job and its problem, for tests; owns everything to which the problem points.
struct Posed {
    std::string name;
    std::unique_ptr<Workload> workload;
    std::unique_ptr<Allocation> allocation;
    std::unique_ptr<Network> logical;
    std::unique_ptr<Problem> problem;
    Mapping default_placement;
};

inline Posed pose(std::string name, Workload workload, Allocation allocation) {
    Posed posed;
    posed.name = std::move(name);
    posed.workload = std::make_unique<Workload>(std::move(workload));
    posed.allocation = std::make_unique<Allocation>(std::move(allocation));
    // If there is no logical torus, any network with the same nodes suffices for the contract.
    posed.logical = std::make_unique<Network>(logical_torus(*posed.allocation).value_or(posed.allocation->network));
    posed.problem = std::make_unique<Problem>(*posed.workload, posed.allocation->network,
                                              posed.allocation->ranks_per_node, posed.logical.get());
    posed.problem->set_slots_of_node(posed.allocation->slots_of_node);
    posed.default_placement = default_placement(posed.workload->rank_count(), *posed.allocation);
    return posed;
}

inline Posed pose(std::string name, Workload workload, const std::string& machine, const AllocationRequest& request) {
    const Machine loaded = load_machine(machine);
    Posed posed = pose(std::move(name), std::move(workload), allocate(loaded, request));
    posed.problem->set_machine_costs(machine_costs_of(loaded));
    return posed;
}

/// Random sets of random messages, including messages to self, empty messages, repeated pairs and mixed sizes.
inline Workload random_workload(std::int32_t ranks, int sets, int messages, bool mixed_sizes, std::uint64_t seed) {
    Random random(seed);
    Workload workload(ranks, 3);
    for (int t = 0; t < sets; ++t) {
        workload.add_set("set " + std::to_string(t));
        const auto usual = static_cast<std::int64_t>(random.below(1 << 20)) + 1;
        for (int m = 0; m < messages; ++m) {
            const auto any = [&] {
                return RankId(static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(ranks))));
            };
            const RankId source = any();
            const RankId destination = any();
            workload.add_message(source, destination,
                                 mixed_sizes ? static_cast<std::int64_t>(random.below(5)) * usual : usual);
        }
    }
    return workload;
}

/// One problem of every kind of machine and workload that objectives must support.
inline std::vector<Posed> varied_problems() {
    std::vector<Posed> problems;
    PatternOptions cg;
    cg.ranks = 64;
    problems.push_back(
        pose("cg on Tofu with idle nodes", make_pattern("cg", cg), "fx10-kyushu", {.shape = {1, 2, 4, 2, 3, 2}}));
    problems.push_back(pose("mixed sizes on Tofu, two ranks a node", random_workload(40, 3, 60, true, 1), "fx10-kyushu",
                            {.shape = {1, 2, 1, 2, 3, 2}, .ranks_per_node = 2}));
    problems.push_back(pose("full mesh of five axes", random_workload(48, 4, 30, false, 2), "mesh:2x3x2x2x2", {}));
    problems.push_back(pose("torus, downward tie, channels counted", random_workload(20, 2, 50, true, 3), "torus:6x4",
                            {.routing = "dor:YX,tie=-", .count_nic = true}));
    problems.push_back(pose("fat tree", random_workload(27, 3, 40, true, 4), "fattree:3x3", {}));
    problems.push_back(pose("fat tree, source routed, channels of another rate", random_workload(60, 3, 40, true, 5),
                            "fattree:2x6", {.ranks_per_node = 2, .routing = "s-mod-k", .count_nic = true}));
    problems.push_back(pose("one set as a matrix", random_workload(30, 1, 400, true, 6), "torus:4x4x2", {}));
    problems.push_back(pose("extended order through a column", random_workload(24, 2, 40, false, 7), "fx10-kyushu",
                            {.shape = {1, 1, 2, 2, 3, 2}, .routing = "dor:BCAXYZACB,column=1.1.0"}));
    problems.push_back(pose("graph of two bandwidths, two ranks a node", random_workload(11, 3, 40, true, 8),
                            "graph:" + testing_files::written("two_switches.graphml", testing_graphs::two_switches()),
                            {.ranks_per_node = 2}));
    const std::string ring = testing_files::written(
        "ring.json", R"({"schema": "haichi-machine/1", "topology": {"kind": "graph", "file": "ring.graphml"},
"link": {"bandwidth": "1GB/s"}})");
    (void)testing_files::written("ring.graphml", testing_graphs::one_way_ring());
    problems.push_back(pose("graph of one-way links", random_workload(7, 2, 30, true, 9), ring, {.count_nic = true}));
    problems.push_back(pose("Tofu with faulty nodes, two ranks a node", random_workload(40, 3, 60, true, 10),
                            "fx10-kyushu",
                            {.shape = {2, 1, 2, 2, 3, 2},
                             .faulty = testing_files::written("down", "0 0 0 1 1 0\n1 0 1 0 2 1\n0 0 1 0 0 0\n"),
                             .ranks_per_node = 2}));
    return problems;
}

inline SlotId random_usable_slot(const Mapping& mapping, const Network& network, Random& random) {
    SlotId drawn;
    do {
        drawn = SlotId(static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(mapping.slot_count()))));
    } while (!network.is_usable(mapping.node_of_slot(drawn)));
    return drawn;
}

inline RankId random_rank(const Mapping& mapping, Random& random) {
    return RankId(static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(mapping.rank_count()))));
}

/// A rotation of three or four ranks. Each moves to the slot of the next, the last to the slot of the first or to an
/// empty one. Empty when a rank is drawn twice.
inline Move random_rotation(const Mapping& mapping, const Network& network, Random& random) {
    const std::size_t size = 3 + random.below(2);
    std::vector<RankId> ranks;
    for (std::size_t i = 0; i < size; ++i) {
        const RankId drawn = random_rank(mapping, random);
        if (std::ranges::find(ranks, drawn) != ranks.end()) return {};
        ranks.push_back(drawn);
    }
    SlotId last = mapping.slot(ranks.front());
    if (random.below(2) == 0) {
        const SlotId drawn = random_usable_slot(mapping, network, random);
        if (!mapping.rank(drawn).valid()) last = drawn;
    }
    Move move;
    for (std::size_t i = 0; i < size; ++i) {
        const SlotId to = i + 1 < size ? mapping.slot(ranks[i + 1]) : last;
        move.push_back({ranks[i], mapping.slot(ranks[i]), to, mapping.node(ranks[i]), mapping.node_of_slot(to)});
    }
    return move;
}

/// A random move to usable nodes: usually a swap or a move to an empty slot, sometimes a longer rotation. May be empty.
inline Move random_move(const Mapping& mapping, const Network& network, Random& random) {
    if (random.below(4) == 0) return random_rotation(mapping, network, random);
    const RankId rank = random_rank(mapping, random);
    return move_to_slot(mapping, rank, random_usable_slot(mapping, network, random));
}

/// The start placement with this name, run to completion.
inline Mapping started(const std::string& name, const Problem& problem, const Allocation& allocation,
                       std::uint64_t seed = 1) {
    return find_start(name)->place(problem, allocation, seed, [] { return true; }).value();
}

}  // namespace haichi::testing_problems
