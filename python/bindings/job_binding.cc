#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/output_file.h"
#include "commlog/workload/workload.h"
#include "mapper/job/map_job.h"
#include "mapper/job/report_json.h"
#include "mapper/rankmap/rankmap.h"
#include "python/bindings/binding_parts.h"

namespace py = pybind11;

namespace haichi {

namespace {

/// Runs a map job with the GIL released: it holds no Python object, takes seconds to hours, and other Python threads
/// must go on. The search has a thread of its own, because Python's signal handlers run only in the main thread, and
/// that one must be free to look. Ctrl-C ends the search with the best so far (`interrupted` in the report); a second
/// one, or any other exception of a signal handler, is raised when the search has ended.
MapReport run_map_interruptibly(const MapRequest& request) {
    constexpr auto kSignalPeriod = std::chrono::milliseconds(50);
    std::atomic<bool> stop{false};
    std::optional<py::error_already_set> raised;
    std::optional<MapReport> report;
    {
        const py::gil_scoped_release release;
        SearchControl control;
        control.stop = &stop;
        auto running = std::async(std::launch::async, [&] { return run_map(request, control); });
        while (running.wait_for(kSignalPeriod) != std::future_status::ready) {
            const py::gil_scoped_acquire acquire;
            if (PyErr_CheckSignals() == 0) continue;
            py::error_already_set error;
            if (stop || !error.matches(PyExc_KeyboardInterrupt)) raised.emplace(std::move(error));
            stop = true;
        }
        report = running.get();
    }
    if (raised) throw py::error_already_set(std::move(*raised));
    if (stop && !report->interrupted) {  // it was done already: the Ctrl-C must not get lost
        PyErr_SetNone(PyExc_KeyboardInterrupt);
        throw py::error_already_set();
    }
    return *std::move(report);
}

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
        return (*shared)(std::move(array)).cast<double>();
    };
}

MapReport run_map_binding(const std::string& machine, const Workload& workload, const AllocationRequest& allocation,
                          const SearchOptions& search, const std::string& objective,
                          const std::optional<py::function>& callable, const std::string& strategy,
                          const std::string& start) {
    MapRequest request;
    request.machine = machine;
    request.workload = workload;
    request.allocation = allocation;
    request.search = search;
    request.objective = objective;
    request.objective_function = objective_function(callable);
    request.strategy = strategy;
    request.start = start;
    return run_map_interruptibly(request);
}

MapReport run_evaluate_binding(const std::string& machine, const Workload& workload,
                               const AllocationRequest& allocation,
                               const std::variant<std::string, std::vector<std::int32_t>>& map,
                               const std::string& format, const std::string& objective) {
    EvaluateRequest request;
    request.machine = machine;
    request.workload = workload;
    request.allocation = allocation;
    request.objective = objective;
    request.format = format;
    if (const auto* nodes = std::get_if<std::vector<std::int32_t>>(&map)) {
        std::vector<NodeId> node_of_rank;
        node_of_rank.reserve(nodes->size());
        for (const std::int32_t node : *nodes) node_of_rank.emplace_back(node);
        request.map = std::move(node_of_rank);
    } else {
        request.map = std::get<std::string>(map);
    }
    // Measuring walks every route of the workload; it touches no Python object.
    const py::gil_scoped_release release;
    return run_evaluate(request);
}

py::array_t<std::int32_t> node_of_rank(const MapReport& report) {
    const auto nodes = report.mapping.node_of_rank();
    py::array_t<std::int32_t> array(static_cast<py::ssize_t>(nodes.size()));
    auto values = array.mutable_unchecked<1>();
    for (std::size_t r = 0; r < nodes.size(); ++r) values(static_cast<py::ssize_t>(r)) = nodes[r].value;
    return array;
}

void write_rank_map(const MapReport& report, const std::string& path, const std::string& format) {
    const std::string text = rank_map_format(format).write(report.mapping, rank_map_context(report));
    OutputFile file(path);
    file.write(text);
    file.commit();
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
    py::class_<AllocationRequest>(module, "AllocationRequest")
        .def(py::init(&make_allocation), py::kw_only(), py::arg("shape"), py::arg("origin"), py::arg("nodes_file"),
             py::arg("faulty_file"), py::arg("ranks_per_node"), py::arg("routing"), py::arg("fold"),
             py::arg("count_nic"));
    py::class_<SearchOptions>(module, "SearchOptions")
        .def(py::init(&make_search), py::kw_only(), py::arg("seed"), py::arg("restarts"), py::arg("threads"),
             py::arg("evaluations"), py::arg("time_limit_seconds"), py::arg("time_by_savings"), py::arg("schedule"),
             py::arg("moves"), py::arg("companion_weight"), py::arg("verify"));
    py::class_<MapReport>(module, "MapReport")
        .def_property_readonly("node_of_rank", node_of_rank)
        .def_readonly("objective", &MapReport::objective)
        .def_readonly("unit", &MapReport::unit)
        .def_readonly("value", &MapReport::value)
        .def_readonly("lower_bound", &MapReport::lower_bound)
        .def_readonly("optimal", &MapReport::optimal)
        .def_readonly("interrupted", &MapReport::interrupted)
        .def(
            "json", [](const MapReport& report, bool with_timing) { return report_json(report, with_timing).dump(); },
            py::arg("with_timing"))
        .def("write_rank_map", write_rank_map, py::arg("path"), py::arg("format"));
    module.def("run_map", run_map_binding, py::arg("machine"), py::arg("workload"), py::kw_only(),
               py::arg("allocation"), py::arg("search"), py::arg("objective"), py::arg("function"), py::arg("strategy"),
               py::arg("start"));
    module.def("run_evaluate", run_evaluate_binding, py::arg("machine"), py::arg("workload"), py::kw_only(),
               py::arg("allocation"), py::arg("map"), py::arg("format"), py::arg("objective"));
}

}  // namespace haichi
