#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <nlohmann/json.hpp>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/json_text.h"
#include "mapper/choose/map.h"
#include "mapper/choose/map_shapes.h"
#include "mapper/judge/evaluate.h"
#include "mapper/report/report_json.h"
#include "mapper/report/simulation_json.h"
#include "options/search_options.h"
#include "options/simulation_options.h"
#include "python/bindings/binding_parts.h"
#include "python/bindings/foreign_text.h"
#include "python/bindings/held_problem.h"
#include "python/bindings/interruptible_run.h"
#include "python/bindings/option_binding.h"
#include "python/bindings/progress_relay.h"
#include "python/bindings/rank_map_arrays.h"

namespace py = pybind11;

namespace haichi {

namespace {

/// Converts a Python callable to an ObjectiveFunction. The threads of the search call it with the GIL. Each call gets a
/// new array, because the callable may keep the array.
ObjectiveFunction objective_function(const std::optional<py::function>& callable) {
    if (!callable) return {};
    // Copies of the function are made and destroyed without the GIL. Only the last one releases the callable, and
    // acquires the GIL for this.
    const std::shared_ptr<py::function> shared(new py::function(*callable), [](py::function* function) {
        const py::gil_scoped_acquire acquire;
        delete function;
    });
    return [shared](std::span<const NodeId> nodes) {
        const py::gil_scoped_acquire acquire;
        py::array_t<std::int32_t> array(static_cast<py::ssize_t>(nodes.size()));
        std::int32_t* const values = array.mutable_data();
        for (std::size_t r = 0; r < nodes.size(); ++r) values[r] = nodes[r].value;
        const py::object result = (*shared)(std::move(array));
        const double value = PyFloat_AsDouble(result.ptr());  // also converts NumPy scalars
        if (PyErr_Occurred() != nullptr) throw py::error_already_set();
        return value;
    };
}

ObjectiveChoice make_objective(const std::string& name, const std::optional<py::function>& callable) {
    return {.name = name, .function = objective_function(callable)};
}

/// `given`: the options of a search, including the tie-breaking order, but without the start.
MapOptions make_map_options(const py::dict& given, ObjectiveChoice objective, const std::optional<MapArgument>& start) {
    MapOptions options{.objective = std::move(objective)};
    OptionTable table;
    declare_then(table, options.objective);
    declare_search(table, options);
    take_all(table, given);
    if (start) options.start = as_given_map(*start);
    return options;
}

/// Runs run(search control, simulation control), and reports the progress to a Python function in this thread.
template <class Run>
auto run_search(const std::optional<py::function>& progress, const Run& run) {
    ProgressRelay<SearchProgress> relay;
    return run_interruptibly(
        [&](const StopFlag& stop, const Log& log) {
            SearchControl control{.progress = {}, .stop = &stop, .log = log};
            if (progress) control.progress = [&relay](const SearchProgress& news) { relay.put(news); };
            return run(control, SimulationControl{.progress = {}, .stop = &stop, .log = log});
        },
        [&] {
            const std::optional<SearchProgress> news = relay.take();
            if (!news) return;
            (*progress)(news->fraction_done, news->best_value, news->restarts_done, news->restarts, news->lower_bound,
                        news->evaluations, std::string(news->objective));
        });
}

using SearchNews = std::optional<py::function>;

/// A result in the form that run_interruptibly() requires.
struct Found {
    Placement placement;
    bool interrupted;
};

Placement map_binding(const Job& job, const MapOptions& options, HeldProblem& held, const SearchNews& progress) {
    check_map_options(options);
    const Found found = run_search(progress, [&](const SearchControl& search, const SimulationControl& simulation) {
        held.hold(job, search.log);
        Placement placement = map(job, options, search, simulation);
        const bool interrupted = placement.search()->interrupted;
        return Found{std::move(placement), interrupted};
    });
    return found.placement;
}

ShapesReport optimize_shapes(const std::vector<Job>& jobs, const MapOptions& options,
                             const std::optional<RobustOptions>& robust, const SearchNews& progress) {
    check_map_options(options);
    if (robust) check_robust_options(options);
    return run_search(progress, [&](const SearchControl& search, const SimulationControl& simulation) {
        const EvaluateOptions brief{.objective = options.objective, .all_objectives = false};
        if (!robust) return evaluate_shapes(map_shapes(jobs, options, search, simulation), brief, simulation);
        return evaluate_shapes(map_robust(jobs, *robust, options, search), brief, simulation);
    });
}

Evaluation evaluate_binding(const Placement& placement, HeldProblem& held, const ObjectiveChoice& objective,
                            bool all_objectives, const MeasuredSimulation& simulation) {
    return run_interruptibly([&](const StopFlag& stop, const Log& log) {
        held.hold(placement.job(), log);
        EvaluateOptions options{.objective = objective, .all_objectives = all_objectives, .if_turned = true};
        options.simulation = simulation.wanted();
        return evaluate(placement, options, {.progress = {}, .stop = &stop, .log = log});
    });
}

/// The runs of the placement and of the default placement, as JSON of haichi-simulation/1. Nothing without simulations.
std::optional<std::string> simulated_runs_text(const Evaluation& evaluation) {
    if (!evaluation.simulated) return std::nullopt;
    const Network& network = evaluation.placement.job().allocation().network;
    const auto list = [&](const std::vector<SimulatedRun>& runs) {
        auto entries = nlohmann::ordered_json::array();
        for (const SimulatedRun& run : runs) entries.push_back(run_json(run, network, true));
        return entries;
    };
    nlohmann::ordered_json out;
    out["runs"] = list(evaluation.simulated->runs);
    out["default_runs"] = list(evaluation.simulated->default_runs);
    return report_text(out);
}

py::bytes robust_map(const ShapesReport& report, const std::string& format) {
    return robust_map_text(report.robust.value(), format);
}

void bind_search_options(py::module_& module) {
    py::class_<ObjectiveChoice>(module, "Objective")
        .def(py::init(&make_objective), py::arg("name"), py::arg("function"));
    py::class_<MapOptions>(module, "MapOptions")
        .def(py::init(&make_map_options), py::arg("given"), py::kw_only(), py::arg("objective"), py::arg("start"));
    py::class_<RobustOptions>(module, "RobustOptions")
        .def(py::init([](const std::string& measure, bool with_rotations) {
                 return RobustOptions{parse_robust_measure(measure), with_rotations};
             }),
             py::arg("measure"), py::arg("with_rotations"));
}

void bind_answers(py::module_& module) {
    const auto json = [](const auto& report, bool with_timing) { return json_text(report_json(report, with_timing)); };
    const auto positions = [](const py::object& report) -> py::object {
        const std::optional<RobustPlacement>& robust = report.cast<const ShapesReport&>().robust;
        return robust ? read_only_array(robust->position_of_rank.data(), robust->position_of_rank.size(), report)
                      : py::object(py::none());
    };
    py::class_<Evaluation>(module, "Evaluation")
        .def_readonly("placement", &Evaluation::placement)
        .def_property_readonly("objective", [](const Evaluation& e) { return os_text(e.asked.objective); })
        .def_property_readonly("unit", [](const Evaluation& e) { return e.asked.unit; })
        .def_property_readonly("value", [](const Evaluation& e) { return e.asked.value; })
        .def_property_readonly("lower_bound", [](const Evaluation& e) { return e.asked.lower_bound; })
        .def_property_readonly("optimal", [](const Evaluation& e) { return e.asked.optimal; })
        .def_readonly("interrupted", &Evaluation::interrupted)
        .def(
            "json", [json](const Evaluation& e, bool with_timing) { return json(e, with_timing); },
            py::arg("with_timing"))
        .def("simulated_runs", simulated_runs_text);
    py::class_<ShapesReport>(module, "ShapesReport")
        .def_readonly("shapes", &ShapesReport::shapes)
        .def_readonly("interrupted", &ShapesReport::interrupted)
        .def_property_readonly("position_of_rank", positions)
        .def(
            "json", [json](const ShapesReport& r, bool with_timing) { return json(r, with_timing); },
            py::arg("with_timing"))
        .def("robust_map", robust_map, py::arg("format"));
}

}  // namespace

void bind_search(py::module_& module) {
    bind_search_options(module);
    bind_answers(module);
    module.def("map", map_binding, py::arg("job"), py::arg("options"), py::kw_only(), py::arg("held"),
               py::arg("progress"));
    module.def("optimize_shapes", optimize_shapes, py::arg("jobs"), py::arg("options"), py::kw_only(),
               py::arg("robust"), py::arg("progress"));
    module.def("evaluate", evaluate_binding, py::arg("placement"), py::kw_only(), py::arg("held"), py::arg("objective"),
               py::arg("all_objectives"), py::arg("simulation"));
}

}  // namespace haichi
