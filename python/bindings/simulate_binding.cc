#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <nlohmann/json.hpp>

#include <atomic>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/outputs.h"
#include "base/quantity.h"
#include "mapper/judge/simulate.h"
#include "mapper/report/report_json.h"
#include "mapper/report/simulation_json.h"
#include "python/bindings/binding_parts.h"
#include "python/bindings/interruptible_run.h"
#include "python/bindings/progress_relay.h"

namespace py = pybind11;

namespace haichi {

namespace {

SimulationOptions make_simulation(const std::string& barrier, const std::variant<std::int64_t, std::string>& iterations,
                                  std::int32_t threads, std::int32_t partitions, std::int64_t hottest_links) {
    SimulationOptions options;
    options.barriers = parse_barrier_choice(barrier);
    if (const auto* count = std::get_if<std::int64_t>(&iterations)) {
        options.iterations = {SimulatedIterations::Rule::kCount, *count};
    } else {
        options.iterations = parse_simulated_iterations(std::get<std::string>(iterations));
    }
    options.threads = threads;
    options.partitions = partitions;
    options.hottest_links = static_cast<std::size_t>(hottest_links);
    return options;
}

void set_replay(SimulationOptions& options, const std::string& compute, double factor, std::uint64_t seed,
                const std::vector<std::string>& algorithms, const std::string& given) {
    options.call_option = given;
    options.calls.computing = {.rule = parse_computing(compute), .factor = factor, .seed = seed};
    for (const std::string& algorithm : algorithms) options.calls.algorithms.set(algorithm);
}

/// What a run writes while it goes on, where, and which files it reads.
struct ObservedRun {
    ObservationOptions options;
    std::string statistics_path;
    std::string history_path;
    std::vector<std::string> inputs;
};

void set_history(ObservedRun& observation, std::int64_t begin_ps, std::int64_t end_ps,
                 std::optional<std::int64_t> interval_ps) {
    observation.options.history_begin_ps = begin_ps;
    observation.options.history_end_ps = end_ps;
    observation.options.interval_ps = interval_ps.value_or(observation.options.interval_ps);
}

Simulation simulate_binding(const Placement& placement, SimulationOptions options, const ObservedRun& observation,
                            const std::optional<py::function>& progress) {
    options.observation = observation.options;
    Outputs outputs;
    for (const std::string& path : observation.inputs) outputs.add_input(path);
    if (!observation.statistics_path.empty()) {
        options.observation.time_space = &outputs.add_stream(observation.statistics_path);
    }
    if (!observation.history_path.empty()) {
        options.observation.history = &outputs.add_stream(observation.history_path);
    }
    outputs.open();
    ProgressRelay<SimulationProgress> relay;
    SimulationControl control;
    if (progress) control.progress = [&relay](const SimulationProgress& news) { relay.put(news); };
    Simulation simulation = run_interruptibly(
        [&](const std::atomic<bool>& stop, const Log& log) {
            control.stop = &stop;
            control.log = log;
            return simulate(placement, options, control);
        },
        [&] {
            const std::optional<SimulationProgress> news = relay.take();
            if (!news) return;
            (*progress)(news->simulated_seconds, news->iterations_done, news->iterations, news->packet_hops,
                        news->packet_hops_per_second, news->calls_done);
        });
    outputs.commit();
    return simulation;
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
             py::arg("partitions"), py::arg("hottest_links"))
        .def(
            "set_form",
            [](SimulationOptions& options, const std::string& form) { options.form = parse_traffic_form(form); },
            py::arg("form"))
        // How calls are replayed.
        .def("set_replay", set_replay, py::kw_only(), py::arg("compute"), py::arg("factor"), py::arg("seed"),
             py::arg("algorithms"), py::arg("given"));
    py::class_<ObservedRun>(module, "Observation")
        .def(py::init([](std::string statistics_path, std::string history_path, std::vector<std::string> inputs) {
                 return ObservedRun{{}, std::move(statistics_path), std::move(history_path), std::move(inputs)};
             }),
             py::arg("statistics_path"), py::arg("history_path"), py::arg("inputs"))
        .def(
            "set_bin", [](ObservedRun& o, std::int64_t bin_ps) { o.options.bin_ps = bin_ps; }, py::arg("bin_ps"))
        .def(
            "set_router", [](ObservedRun& o, std::int32_t router) { o.options.router = router; }, py::arg("router"))
        .def("set_history", set_history, py::arg("begin_ps"), py::arg("end_ps"), py::arg("interval_ps"));
    py::class_<Simulation>(module, "Simulation")
        .def_readonly("placement", &Simulation::placement)
        .def_readonly("interrupted", &Simulation::interrupted)
        .def(
            "json",
            [](const Simulation& simulation, bool with_timing) {
                return report_text(simulation_json(simulation, with_timing));
            },
            py::arg("with_timing"));
    module.def("simulate", simulate_binding, py::arg("placement"), py::arg("options"), py::kw_only(),
               py::arg("observation"), py::arg("progress"));
}

}  // namespace haichi
