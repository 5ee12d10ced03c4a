#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/outputs.h"
#include "commlog/workload/workload.h"
#include "mapper/job/map_job.h"
#include "mapper/job/map_shapes.h"
#include "mapper/job/report_json.h"
#include "mapper/job/simulation_json.h"
#include "mapper/rankmap/rankmap.h"
#include "python/bindings/binding_parts.h"
#include "python/bindings/foreign_text.h"
#include "python/bindings/interruptible_run.h"
#include "python/bindings/loaded_machine.h"
#include "python/bindings/progress_relay.h"
#include "python/bindings/rank_map_arrays.h"

namespace py = pybind11;

namespace haichi {

namespace {

/// The callable as an ObjectiveFunction. It is called from the search's threads and holds the GIL meanwhile; its array
/// is its own, as it may be kept.
ObjectiveFunction objective_function(const std::optional<py::function>& callable) {
    if (!callable) return {};
    // Copies of the function are made and destroyed without the GIL; only the last may let go of the callable.
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
        const double value = PyFloat_AsDouble(result.ptr());  // of NumPy's scalars too
        if (PyErr_Occurred() != nullptr) throw py::error_already_set();
        return value;
    };
}

MapRequest make_map_request(const LoadedMachine& machine, const std::shared_ptr<Workload>& workload,
                            const AllocationRequest& allocation, const SearchOptions& search,
                            const std::string& objective, const std::optional<py::function>& callable,
                            const std::string& strategy, const std::string& start, const std::string& hosts,
                            std::optional<std::int64_t> message_size_bytes,
                            const std::optional<SimulationOptions>& validation) {
    MapRequest request;
    request.machine = machine.machine;
    request.workload = std::shared_ptr<const Workload>(workload);
    request.message_size_bytes = message_size_bytes;
    request.allocation = allocation;
    request.hosts = hosts;
    request.search = search;
    request.objective = objective;
    request.objective_function = objective_function(callable);
    request.strategy = strategy;
    request.start = start;
    request.validation = validation;
    return request;
}

/// run(search control, simulation control), with its progress told to a Python function in this thread.
template <class Run>
auto run_search(const std::optional<py::function>& progress, const Run& run) {
    ProgressRelay<SearchProgress> relay;
    return run_interruptibly(
        [&](const std::atomic<bool>& stop) {
            SearchControl control{.progress = {}, .stop = &stop};
            if (progress) control.progress = [&relay](const SearchProgress& news) { relay.put(news); };
            return run(control, SimulationControl{.progress = {}, .stop = &stop});
        },
        [&] {
            const std::optional<SearchProgress> news = relay.take();
            if (news) (*progress)(news->fraction_done, news->best_value, news->restarts_done, news->restarts);
        });
}

MapReport run_map_binding(const MapRequest& request, const std::optional<py::function>& progress) {
    return run_search(progress, [&](const SearchControl& search, const SimulationControl& simulation) {
        return run_map(request, search, simulation);
    });
}

ShapesReport run_map_shapes_binding(const MapRequest& job, std::vector<std::vector<std::int32_t>> shapes,
                                    const std::optional<std::string>& robust, bool with_rotations,
                                    const std::optional<py::function>& progress) {
    ShapesRequest request{.job = job, .shapes = std::move(shapes), .robust = {}, .with_rotations = with_rotations};
    if (robust) request.robust = parse_robust_measure(*robust);
    return run_search(progress, [&](const SearchControl& search, const SimulationControl& simulation) {
        return run_map_shapes(request, search, simulation);
    });
}

MapReport run_evaluate_binding(const LoadedMachine& machine, const std::shared_ptr<Workload>& workload,
                               const AllocationRequest& allocation, const GivenMap& map, const std::string& format,
                               const std::string& objective, const std::optional<py::function>& callable,
                               const std::string& hosts, std::optional<std::int64_t> message_size_bytes,
                               const std::optional<SimulationOptions>& simulation) {
    EvaluateRequest request;
    request.machine = machine.machine;
    request.workload = std::shared_ptr<const Workload>(workload);
    request.message_size_bytes = message_size_bytes;
    request.allocation = allocation;
    request.hosts = hosts;
    request.objective = objective;
    request.objective_function = objective_function(callable);
    request.map = as_placement(map);
    request.format = format;
    request.simulation = simulation;
    return run_interruptibly(
        [&](const std::atomic<bool>& stop) { return run_evaluate(request, {.progress = {}, .stop = &stop}); });
}

/// On one line; bytes of names that are no UTF-8 are replaced, as the program does.
std::string json_text(const nlohmann::ordered_json& report) {
    return report.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

/// The runs of the placement and of the default one, as a haichi-simulation/1 lists them.
std::optional<std::string> simulated_runs_text(const MapReport& report) {
    if (!report.simulated) return std::nullopt;
    const auto list = [&](const std::vector<SimulatedRun>& runs) {
        auto entries = nlohmann::ordered_json::array();
        for (const SimulatedRun& run : runs) entries.push_back(run_json(run, report.allocation->network, true));
        return entries;
    };
    nlohmann::ordered_json out;
    out["runs"] = list(report.simulated->runs);
    out["default_runs"] = list(report.simulated->default_runs);
    return report_text(out);
}

void write_text(const std::string& path, const std::string& text) {
    Outputs outputs;
    OutputFile& file = outputs.add_file(path);
    outputs.open();
    file.write(text);
    outputs.commit();
}

void write_rank_map(const MapReport& report, const std::string& path, const std::string& format) {
    write_text(path, rank_map_format(format).write(report.mapping, rank_map_context(report)));
}

AllocationRequest make_allocation(std::vector<std::int32_t> shape, std::vector<std::int32_t> origin,
                                  std::string nodes_file, std::string faulty_file, std::int32_t ranks_per_node,
                                  std::string routing, std::string fold, bool count_nic) {
    return {.shape = std::move(shape),
            .origin = std::move(origin),
            .nodes_file = std::move(nodes_file),
            .faulty_file = std::move(faulty_file),
            .ranks_per_node = ranks_per_node,
            .routing = std::move(routing),
            .fold = std::move(fold),
            .count_nic = count_nic};
}

SearchOptions make_search(std::uint64_t seed, std::int32_t restarts, std::int32_t threads, std::int64_t evaluations,
                          std::optional<double> time_limit_seconds, bool time_by_savings, const std::string& schedule,
                          const std::string& moves, std::optional<double> companion_weight, const std::string& verify) {
    return {.seed = seed,
            .restarts = restarts,
            .threads = threads,
            .evaluations = evaluations,
            .time_limit_seconds = time_limit_seconds,
            .time_by_savings = time_by_savings,
            .schedule = parse_schedule(schedule),
            .moves = moves.empty() ? std::vector<MoveKind>{} : parse_moves(moves),
            .companion_weight = companion_weight,
            .verify = parse_verify(verify)};
}

}  // namespace

void bind_job(py::module_& module) {
    const auto positions = [](const py::object& report) -> py::object {
        const std::optional<RobustReport>& robust = report.cast<const ShapesReport&>().robust;
        return robust ? read_only_array(robust->position_of_rank.data(), robust->position_of_rank.size(), report)
                      : py::object(py::none());
    };
    py::class_<AllocationRequest>(module, "AllocationRequest")
        .def(py::init(&make_allocation), py::kw_only(), py::arg("shape"), py::arg("origin"), py::arg("nodes_file"),
             py::arg("faulty_file"), py::arg("ranks_per_node"), py::arg("routing"), py::arg("fold"),
             py::arg("count_nic"));
    py::class_<SearchOptions>(module, "SearchOptions")
        .def(py::init(&make_search), py::kw_only(), py::arg("seed"), py::arg("restarts"), py::arg("threads"),
             py::arg("evaluations"), py::arg("time_limit_seconds"), py::arg("time_by_savings"), py::arg("schedule"),
             py::arg("moves"), py::arg("companion_weight"), py::arg("verify"));
    py::class_<MapRequest>(module, "MapRequest")
        .def(py::init(&make_map_request), py::kw_only(), py::arg("machine"), py::arg("workload"), py::arg("allocation"),
             py::arg("search"), py::arg("objective"), py::arg("function"), py::arg("strategy"), py::arg("start"),
             py::arg("hosts"), py::arg("message_size_bytes"), py::arg("validation"));
    py::class_<MapReport>(module, "MapReport")
        .def_property_readonly("node_of_rank", node_array<MapReport>)
        .def_property_readonly("objective", [](const MapReport& report) { return os_text(report.objective); })
        .def_readonly("unit", &MapReport::unit)
        .def_readonly("value", &MapReport::value)
        .def_readonly("lower_bound", &MapReport::lower_bound)
        .def_readonly("optimal", &MapReport::optimal)
        .def_readonly("interrupted", &MapReport::interrupted)
        .def(
            "json",
            [](const MapReport& report, bool with_timing) { return json_text(report_json(report, with_timing)); },
            py::arg("with_timing"))
        .def("simulated_runs", simulated_runs_text)
        .def("write_rank_map", write_rank_map, py::arg("path"), py::arg("format"));
    py::class_<ShapesReport>(module, "ShapesReport")
        .def_readonly("shapes", &ShapesReport::shapes)
        .def_readonly("interrupted", &ShapesReport::interrupted)
        .def_property_readonly("position_of_rank", positions)
        .def(
            "json",
            [](const ShapesReport& report, bool with_timing) { return json_text(report_json(report, with_timing)); },
            py::arg("with_timing"))
        .def(
            "write_robust_map",
            [](const ShapesReport& report, const std::string& path, const std::string& format) {
                write_text(path, robust_map_text(report.robust.value(), format));
            },
            py::arg("path"), py::arg("format"));
    module.def("run_map", run_map_binding, py::arg("request"), py::arg("progress"));
    module.def("run_map_shapes", run_map_shapes_binding, py::arg("request"), py::kw_only(), py::arg("shapes"),
               py::arg("robust"), py::arg("with_rotations"), py::arg("progress"));
    module.def("run_evaluate", run_evaluate_binding, py::arg("machine"), py::arg("workload"), py::kw_only(),
               py::arg("allocation"), py::arg("map"), py::arg("format"), py::arg("objective"), py::arg("function"),
               py::arg("hosts"), py::arg("message_size_bytes"), py::arg("simulation"));
}

}  // namespace haichi
