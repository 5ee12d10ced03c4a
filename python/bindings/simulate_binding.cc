#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/outputs.h"
#include "base/quantity.h"
#include "mapper/job/report_json.h"
#include "mapper/job/simulate_job.h"
#include "mapper/job/simulation_json.h"
#include "python/bindings/binding_parts.h"
#include "python/bindings/interruptible_run.h"
#include "python/bindings/loaded_machine.h"
#include "python/bindings/progress_relay.h"
#include "python/bindings/rank_map_arrays.h"

namespace py = pybind11;

namespace haichi {

namespace {

SimulationOptions make_simulation(const std::string& barrier, const std::variant<std::int64_t, std::string>& iterations,
                                  std::int32_t threads, std::int64_t hottest_links) {
    SimulationOptions options;
    options.barriers = parse_barrier_choice(barrier);
    if (const auto* count = std::get_if<std::int64_t>(&iterations)) {
        options.iterations = {SimulatedIterations::Rule::kCount, *count};
    } else {
        options.iterations = parse_simulated_iterations(std::get<std::string>(iterations));
    }
    options.threads = threads;
    options.hottest_links = static_cast<std::size_t>(hottest_links);
    return options;
}

ObservationOptions make_observation(std::optional<std::int64_t> bin_ps, std::int32_t router,
                                    std::int64_t history_begin_ps, std::int64_t history_end_ps,
                                    std::optional<std::int64_t> interval_ps) {
    ObservationOptions options;
    options.bin_ps = bin_ps.value_or(options.bin_ps);
    options.router = router;
    options.history_begin_ps = history_begin_ps;
    options.history_end_ps = history_end_ps;
    options.interval_ps = interval_ps.value_or(options.interval_ps);
    return options;
}

SimulateReport run_simulate_binding(const LoadedMachine& machine, const std::shared_ptr<Workload>& workload,
                                    const AllocationRequest& allocation, const std::optional<GivenMap>& map,
                                    const std::string& format, const std::string& hosts,
                                    std::optional<std::int64_t> message_size_bytes, const SimulationOptions& simulation,
                                    const ObservationOptions& observation, const std::vector<std::string>& inputs,
                                    const std::string& statistics_path, const std::string& history_path,
                                    const std::optional<py::function>& progress) {
    SimulateRequest request;
    request.machine = machine.machine;
    request.workload = std::shared_ptr<const Workload>(workload);
    request.allocation = allocation;
    if (map) request.map = as_placement(*map);
    request.format = format;
    request.hosts = hosts;
    request.message_size_bytes = message_size_bytes;
    request.simulation = simulation;
    request.simulation.observation = observation;
    Outputs outputs;
    for (const std::string& path : inputs) outputs.add_input(path);
    if (!statistics_path.empty()) {
        request.simulation.observation.time_space = &outputs.add_stream(statistics_path);
    }
    if (!history_path.empty()) request.simulation.observation.history = &outputs.add_stream(history_path);
    outputs.open();
    ProgressRelay<SimulationProgress> relay;
    SimulationControl control;
    if (progress) control.progress = [&relay](const SimulationProgress& news) { relay.put(news); };
    SimulateReport report = run_interruptibly(
        [&](const std::atomic<bool>& stop) {
            control.stop = &stop;
            return run_simulate(request, control);
        },
        [&] {
            const std::optional<SimulationProgress> news = relay.take();
            if (!news) return;
            (*progress)(news->simulated_seconds, news->iterations_done, news->iterations, news->packet_hops,
                        news->packet_hops_per_second);
        });
    outputs.commit();
    return report;
}

}  // namespace

void bind_simulate(py::module_& module) {
    module.def("parse_bytes", [](const std::string& text, const std::string& name) {
        return parse_bytes(text, {name, 0});
    });
    module.def("parse_time_ps", [](const std::string& text, const std::string& name) {
        return parse_time_ps(text, {name, 0});
    });
    py::class_<SimulationOptions>(module, "SimulationOptions")
        .def(py::init(&make_simulation), py::kw_only(), py::arg("barrier"), py::arg("iterations"), py::arg("threads"),
             py::arg("hottest_links"));
    py::class_<ObservationOptions>(module, "ObservationOptions")
        .def(py::init(&make_observation), py::kw_only(), py::arg("bin_ps"), py::arg("router"),
             py::arg("history_begin_ps"), py::arg("history_end_ps"), py::arg("interval_ps"));
    py::class_<SimulateReport>(module, "SimulateReport")
        .def_property_readonly("node_of_rank", node_array<SimulateReport>)
        .def_readonly("is_default_placement", &SimulateReport::is_default_placement)
        .def_readonly("interrupted", &SimulateReport::interrupted)
        .def(
            "json",
            [](const SimulateReport& report, bool with_timing) {
                return report_text(simulation_json(report, with_timing));
            },
            py::arg("with_timing"));
    module.def("run_simulate", run_simulate_binding, py::arg("machine"), py::arg("workload"), py::kw_only(),
               py::arg("allocation"), py::arg("map"), py::arg("format"), py::arg("hosts"),
               py::arg("message_size_bytes"), py::arg("simulation"), py::arg("observation"), py::arg("inputs"),
               py::arg("statistics_path"), py::arg("history_path"), py::arg("progress"));
}

}  // namespace haichi
