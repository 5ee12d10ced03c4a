#include "mapper/advise/advice_runs.h"

#include <mutex>

#include "mapper/judge/simulation_budget.h"

namespace haichi {

namespace {

double tolerance_of(const SimulationResult& result) {
    constexpr double kRepeats = 0.001;
    constexpr double kMeanSettles = 0.01;
    constexpr double kUnsettled = 0.02;
    if (!result.extrapolated) return 0;
    return result.seconds * (result.reached_limit ? kUnsettled : result.settled_by_mean ? kMeanSettles : kRepeats);
}

}  // namespace

void advance_side_by_side(std::string_view doing, std::int64_t count, std::int32_t threads,
                          const AdviceControl& control, const std::function<void(std::int64_t)>& work) {
    std::int64_t done = 0;
    std::mutex mutex;
    const auto report = [&](std::int64_t more) {
        const std::scoped_lock lock(mutex);
        done += more;
        if (control.progress) control.progress({doing, done, count});
    };
    if (control.is_stopped()) return;  // reported progress means that a stop keeps the results so far
    report(0);
    run_side_by_side(count, threads, [&](std::int64_t i) {
        if (control.is_stopped()) return;
        work(i);
        report(1);
    });
}

std::vector<std::optional<SimulatedTime>> simulate_runs(std::span<const AdviceRun> runs, std::int32_t threads,
                                                        const AdviceControl& control) {
    std::vector<std::optional<SimulatedTime>> times(runs.size());
    advance_side_by_side("simulating", static_cast<std::int64_t>(runs.size()), threads, control, [&](std::int64_t i) {
        const AdviceRun& run = runs[static_cast<std::size_t>(i)];
        SimulationOptions options;
        options.form = run.form;
        options.barriers = run.barriers;
        options.imbalance = run.imbalance;
        options.iterations = run.iterations;
        options.most_loaded_links = 0;
        const auto simulated =
            simulate_mapping(run.placement->job(), run.placement->mapping(), options, {{}, control.stop});
        const SimulationResult& result = simulated.front().result;
        if (!result.interrupted) times[static_cast<std::size_t>(i)] = {result.seconds, tolerance_of(result)};
    });
    return times;
}

}  // namespace haichi
