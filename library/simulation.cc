#include <utility>

#include "base/stop_flag.h"
#include "library/data.h"
#include "mapper/judge/simulate.h"
#include "mapper/report/report_json.h"
#include "mapper/report/simulation_json.h"
#include "options/simulation_options.h"

namespace haichi::v0 {

namespace {

haichi::SimulationOptions as_options(const SimulationOptions& given) {
    SimulationArguments arguments;
    OptionTable table;
    arguments.declare_traffic(table);
    arguments.declare_machine(table);
    detail::take(table, "form", given.form);
    detail::take(table, "barrier", given.barrier);
    detail::take(table, "threads", given.threads);
    detail::take_more(table, given.more);
    arguments.check(table);
    return arguments.simulation;
}

SimulatedRun as_run(const haichi::SimulatedRun& run) {
    return {.barrier = barrier_name(run),
            .seconds = run.result.seconds,
            .seconds_per_iteration = run.result.seconds_per_iteration,
            .iterations = run.result.iterations,
            .simulated_iterations = run.result.simulated_iterations,
            .packets = run.result.packets,
            .link_efficiency = run.result.link_efficiency};
}

}  // namespace

Simulation simulate(const Placement& placement, const SimulationOptions& options) {
    return detail::converted([&] {
        const haichi::SimulationOptions wanted = as_options(options);
        StopFlag stop;
        const std::stop_callback on_stop(options.stop, [&] { stop = true; });
        SimulationControl control{.progress = {}, .stop = &stop};
        if (options.progress) {
            control.progress = [&options](const haichi::SimulationProgress& news) {
                options.progress({news.simulated_seconds, news.iterations_done, news.iterations});
            };
        }
        const haichi::Simulation found = haichi::simulate(detail::Access::data(placement)->placement, wanted, control);
        Simulation simulation{.interrupted = found.interrupted, .json = report_text(simulation_json(found, false))};
        for (const haichi::SimulatedRun& run : found.runs) simulation.runs.push_back(as_run(run));
        return simulation;
    });
}

}  // namespace haichi::v0
