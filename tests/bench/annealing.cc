#include <benchmark/benchmark.h>

#include <algorithm>
#include <ctime>
#include <string>

#include "mapper/anneal/annealer.h"
#include "mapper/anneal/objective_table.h"
#include "objectives/metrics.h"
#include "objectives/registry.h"
#include "tests/bench/bench_job.h"

namespace haichi::bench {

namespace {

constexpr std::uint64_t kSeed = 1;

/// Keeps the temperature at 10 * 0.9^44 (about 0.1 messages), a value of the paper's schedule. The search does not stop
/// at the bound.
Cooling constant_low_temperature() {
    constexpr double kShareOfSchedule = 44.5 / 196;
    Cooling cooling = Cooling::paper(0);
    cooling.advance_to(kShareOfSchedule, 0, 0);
    return cooling;
}

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// Returns the mean CPU seconds per call of `work`, over calls that take at least 0.05 s in total.
template <class F>
double seconds_of_one(F&& work) {
    constexpr double kLeastSeconds = 0.05;
    const double start = cpu_seconds();
    int calls = 0;
    double spent = 0;
    do {
        work();
        ++calls;
        spent = cpu_seconds() - start;
    } while (spent < kLeastSeconds);
    return spent / calls;
}

ObjectiveSpec spec_of(const ObjectiveInfo& info) {
    return parse_objective(std::string(info.name) + (info.needs_terms ? "(hop-bytes=0.5,tac3=0.5)" : ""));
}

/// Measures the annealing loop with default moves and smoothing, from the default placement. The temperature is low,
/// and some evaluations precede the measurement. items_per_second counts evaluations. The counters compare them with
/// full evaluations of the same placement in the same run: measure(), which computes every metric, and
/// value_from_scratch() of the objective.
template <SearchObjective O>
void anneal(benchmark::State& state, LazyJob& job) {
    constexpr std::int64_t kEvaluationsPerIteration = 1000;
    constexpr double kSmoothingWeight = 0.1;
    const Posed& posed = job.get();
    const Problem& problem = *posed.problem;
    O objective(problem, spec_of(O::kInfo), posed.default_placement);
    const Proposer proposer(problem, {});
    Annealer<O> annealer(problem, objective, proposer, kSmoothingWeight, VerifyLevel::kOff,
                         AnnealState(posed.default_placement, Random(kSeed), constant_low_temperature()));
    annealer.run_until(20'000);

    const std::int64_t accepted_before = annealer.state().accepted;
    const std::int64_t first = annealer.state().evaluations;
    const double start = cpu_seconds();
    for (auto _ : state) annealer.run_until(annealer.state().evaluations + kEvaluationsPerIteration);
    const double spent = cpu_seconds() - start;
    const std::int64_t evaluations = annealer.state().evaluations - first;
    if (evaluations != state.iterations() * kEvaluationsPerIteration)
        state.SkipWithError("the annealing stopped early");
    annealer.verify();

    const Mapping& mapping = annealer.state().mapping;
    const double full = seconds_of_one([&] { benchmark::DoNotOptimize(measure(problem, mapping)); });
    const double own = seconds_of_one([&] { benchmark::DoNotOptimize(objective.value_from_scratch(mapping)); });
    const double one = std::max(spent, 1e-9) / static_cast<double>(evaluations);
    state.SetItemsProcessed(evaluations);
    state.counters["accepted_share"] =
        static_cast<double>(annealer.state().accepted - accepted_before) / static_cast<double>(evaluations);
    state.counters["full_per_second"] = 1 / full;
    state.counters["times_faster_than_full"] = full / one;
    state.counters["times_faster_than_own_value"] = own / one;
}

}  // namespace

void register_annealing(const std::vector<SizedJob>& jobs, const std::vector<SizedJob>& large) {
    for_each_objective([&](auto tag) {
        using O = typename decltype(tag)::type;
        for (const SizedJob& sized : jobs) {
            const std::string name = "annealing/" + std::string(O::kInfo.name) + "/" + sized.size;
            benchmark::RegisterBenchmark(name.c_str(),
                                         [job = sized.job](benchmark::State& state) { anneal<O>(state, *job); });
        }
    });
    for (const SizedJob& sized : large) {
        benchmark::RegisterBenchmark(("annealing/tac3/" + sized.size).c_str(),
                                     [job = sized.job](benchmark::State& state) { anneal<Tac3>(state, *job); });
    }
}

}  // namespace haichi::bench
