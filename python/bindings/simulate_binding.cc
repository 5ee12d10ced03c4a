#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/outputs.h"
#include "mapper/judge/simulate.h"
#include "mapper/report/report_json.h"
#include "mapper/report/simulation_json.h"
#include "options/simulation_options.h"
#include "python/bindings/binding_parts.h"
#include "python/bindings/interruptible_run.h"
#include "python/bindings/log_relay.h"
#include "python/bindings/option_binding.h"
#include "python/bindings/progress_relay.h"

namespace py = pybind11;

namespace haichi {

namespace {

/// `given`: the options of a simulation, including those for link statistics and buffer histories.
SimulationArguments make_simulation(const py::dict& given) {
    SimulationArguments arguments;
    OptionTable table;
    arguments.declare_traffic(table);
    arguments.declare_machine(table);
    arguments.declare_observation(table);
    take_all(table, given);
    arguments.check(table);
    return arguments;
}

/// `inputs`: the input files. Outputs must not overwrite these.
Simulation simulate_binding(const Placement& placement, SimulationArguments arguments,
                            const std::vector<std::string>& inputs, const std::optional<py::function>& progress) {
    Outputs outputs;
    for (const std::string& path : inputs) outputs.add_input(path);
    arguments.open_streams(outputs);
    const SimulationOptions& options = arguments.simulation;
    outputs.open();
    ProgressRelay<SimulationProgress> relay;
    SimulationControl control;
    if (progress) control.progress = [&relay](const SimulationProgress& news) { relay.put(news); };
    Simulation simulation = run_interruptibly(
        [&](const StopFlag& stop, const Log& log) {
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
    py::class_<MeasuredSimulation>(module, "EvaluationOptions")
        .def(py::init([](const py::dict& given) {
                 MeasuredSimulation measured;
                 OptionTable table;
                 measured.declare(table, "");
                 take_all(table, given);
                 return measured;
             }),
             py::arg("given"))
        .def_readonly("simulate", &MeasuredSimulation::is_wanted);
    py::class_<SimulationArguments>(module, "SimulationOptions").def(py::init(&make_simulation), py::arg("given"));
    module.def(
        "replays_calls",
        [](const Job& job, const SimulationArguments& arguments) {
            return logged([&](const Log& log) { return replays_calls(job, arguments.simulation, log); });
        },
        py::arg("job"), py::arg("options"));
    py::class_<Simulation>(module, "Simulation")
        .def_readonly("placement", &Simulation::placement)
        .def_readonly("interrupted", &Simulation::interrupted)
        .def(
            "json",
            [](const Simulation& simulation, bool with_timing) {
                return report_text(simulation_json(simulation, with_timing));
            },
            py::arg("with_timing"));
    module.def("simulate", simulate_binding, py::arg("placement"), py::arg("options"), py::kw_only(), py::arg("inputs"),
               py::arg("progress"));
}

}  // namespace haichi
