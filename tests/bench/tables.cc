#include <benchmark/benchmark.h>

#include <string>
#include <utility>
#include <vector>

#include "mapper/anneal/proposer.h"
#include "mapper/start/bisection.h"
#include "netmodel/routing/hop_distance.h"
#include "netmodel/routing/route_table.h"
#include "tests/bench/bench_job.h"

namespace haichi::bench {

namespace {

constexpr std::uint64_t kSeed = 1;

using NodePair = std::pair<NodeId, NodeId>;

/// Returns as many pairs as stay in the first-level cache.
std::vector<NodePair> random_pairs(std::int32_t nodes) {
    constexpr std::size_t kPairs = 1024;
    Random random(kSeed);
    const auto any = [&] { return NodeId(static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(nodes)))); };
    std::vector<NodePair> pairs;
    for (std::size_t i = 0; i < kPairs; ++i) {
        const NodeId source = any();
        pairs.emplace_back(source, any());
    }
    return pairs;
}

/// Measures HopDistance of random pairs. One item is one distance.
void measure_hop_distance(benchmark::State& state, LazyJob& job, HopDistanceOptions options) {
    const Network& network = job.get().allocation->network;
    const HopDistance distance(network, options);
    const std::vector<NodePair> pairs = random_pairs(network.node_count());
    for (auto _ : state) {
        std::int64_t sum = 0;
        for (const auto& [s, d] : pairs) sum += distance(s, d);
        benchmark::DoNotOptimize(sum);
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(pairs.size()));
}

/// Measures walks along the routes of random pairs. One item is one route. If `budget_bytes` is 0, every route is
/// computed.
void measure_route_table(benchmark::State& state, LazyJob& job, std::size_t budget_bytes) {
    const Network& network = job.get().allocation->network;
    const RouteTable table(network, budget_bytes);
    const std::vector<NodePair> pairs = random_pairs(network.node_count());
    std::vector<LinkId> scratch;
    for (auto _ : state) {
        std::int64_t sum = 0;
        for (const auto& [s, d] : pairs) {
            for (const LinkId link : table.route(s, d, scratch)) sum += link.value;
        }
        benchmark::DoNotOptimize(sum);
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(pairs.size()));
    state.SetLabel(table.is_stored() ? "stored" : "computed");
}

/// Measures the Proposer alone with default moves. Every 16th rank counts as hot, and no move is accepted. One item is
/// one draw.
void measure_proposer(benchmark::State& state, LazyJob& job) {
    const Posed& posed = job.get();
    const Proposer proposer(*posed.problem, {});
    std::vector<RankId> hot_ranks;
    const auto ranks = posed.problem->communicating_ranks();
    for (std::size_t i = 0; i < ranks.size(); i += 16) hot_ranks.push_back(ranks[i]);
    Random random(kSeed);
    const Candidates candidates = proposer.all_ranks(hot_ranks);
    for (auto _ : state) benchmark::DoNotOptimize(proposer.propose(posed.default_placement, candidates, random));
    state.SetItemsProcessed(state.iterations());
}

void measure_bisection(benchmark::State& state, LazyJob& job) {
    const Posed& posed = job.get();
    for (auto _ : state)
        benchmark::DoNotOptimize(bisection_placement(*posed.problem, *posed.allocation, kSeed, [] { return true; }));
    state.SetItemsProcessed(state.iterations() * posed.problem->rank_count());
}

}  // namespace

void register_tables(const std::vector<SizedJob>& jobs, const SharedJob& bisected) {
    for (const SizedJob& sized : jobs) {
        const auto add = [&sized](const std::string& what, auto&& measure_it) {
            benchmark::RegisterBenchmark(
                (what + "/" + sized.size).c_str(),
                [job = sized.job, measure_it](benchmark::State& state) { measure_it(state, *job); });
        };
        add("hop_distance", [](auto& state, LazyJob& job) { measure_hop_distance(state, job, {}); });
        add("hop_distance_without_tables",
            [](auto& state, LazyJob& job) { measure_hop_distance(state, job, {.table_budget_bytes = 0}); });
        add("route_table",
            [](auto& state, LazyJob& job) { measure_route_table(state, job, RouteTable::kDefaultBudgetBytes); });
        add("route_table_without_tables", [](auto& state, LazyJob& job) { measure_route_table(state, job, 0); });
        add("proposer", measure_proposer);
    }
    benchmark::RegisterBenchmark("bisection/ranks:4096", [bisected](benchmark::State& state) {
        measure_bisection(state, *bisected);
    })->Unit(benchmark::kMillisecond);
}

}  // namespace haichi::bench
