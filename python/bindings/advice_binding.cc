#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <nlohmann/json.hpp>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "mapper/report/advice_json.h"
#include "mapper/report/report_json.h"
#include "python/bindings/binding_parts.h"
#include "python/bindings/interruptible_run.h"
#include "python/bindings/log_relay.h"

namespace py = pybind11;

namespace haichi {

namespace {

/// Answers go to Python as haichi-advice/1: they are small, and plain values there.
std::string shape_advice(const JobSpec& spec, const ShapeAdviceOptions& options) {
    return report_text(advice_json(run_interruptibly([&](const std::atomic<bool>& stop, const Log& log) {
        return advise_shape(spec, options, {{}, &stop, log});
    })));
}

std::string barrier_advice(const Placement& placement, const BarrierAdviceOptions& options) {
    return report_text(advice_json(run_interruptibly([&](const std::atomic<bool>& stop, const Log& log) {
        return advise_barrier(placement, options, {{}, &stop, log});
    })));
}

std::string spread_advice(const JobSpec& spec, const SpreadAdviceOptions& options) {
    return report_text(advice_json(run_interruptibly([&](const std::atomic<bool>& stop, const Log& log) {
        return advise_spread(spec, options, {{}, &stop, log});
    })));
}

using NamedRun = std::tuple<std::string, std::string, std::optional<std::int32_t>>;

std::string advise_rails_of(const std::vector<NamedRun>& logs, const std::string& format, std::int32_t interfaces) {
    RailAdviceRequest request;
    for (const auto& [path, label, rails] : logs) request.logs.push_back({path, label, rails});
    request.format = format;
    request.interfaces = interfaces;
    return report_text(advice_json(logged([&](const Log& log) {
        const py::gil_scoped_release release;  // reading logs may take long and needs no Python object
        return run_advise_rails(request, log);
    })));
}

}  // namespace

void bind_advice(py::module_& module) {
    module.attr("ADVICE_PACKET_HOPS") = kAdvicePacketHops;
    py::class_<ShapeAdviceOptions>(module, "ShapeAdviceOptions")
        .def(py::init<>())
        .def_readwrite("objective", &ShapeAdviceOptions::objective)
        .def_readwrite("node_count", &ShapeAdviceOptions::node_count)
        .def_readwrite("seed", &ShapeAdviceOptions::seed)
        .def_readwrite("seeds", &ShapeAdviceOptions::seeds)
        .def_readwrite("finalists", &ShapeAdviceOptions::finalists)
        .def_readwrite("packet_hops", &ShapeAdviceOptions::packet_hops)
        .def_readwrite("threads", &ShapeAdviceOptions::threads);
    py::class_<BarrierAdviceOptions>(module, "BarrierAdviceOptions")
        .def(py::init<>())
        .def("set_imbalance", [](BarrierAdviceOptions& o, const std::string& text) { parse_imbalance(text, o); })
        .def_readwrite("draws", &BarrierAdviceOptions::draws)
        .def_readwrite("seed", &BarrierAdviceOptions::seed)
        .def_readwrite("sizes", &BarrierAdviceOptions::sizes)
        .def_readwrite("most_simulations", &BarrierAdviceOptions::most_simulations)
        .def_readwrite("packet_hops", &BarrierAdviceOptions::packet_hops)
        .def_readwrite("threads", &BarrierAdviceOptions::threads);
    py::class_<SpreadAdviceOptions>(module, "SpreadAdviceOptions")
        .def(py::init<>())
        .def(
            "set_form", [](SpreadAdviceOptions& o, const std::string& form) { o.form = parse_traffic_form(form); },
            py::arg("form"))
        .def(
            "set_spread",
            [](SpreadAdviceOptions& o, const std::shared_ptr<LoadedTraffic>& traffic) {
                o.spread_traffic = Traffic{.source = std::shared_ptr<const LoadedTraffic>(traffic)};
            },
            py::arg("traffic"))
        .def_readwrite("compute_seconds", &SpreadAdviceOptions::compute_seconds)
        .def_readwrite("objective", &SpreadAdviceOptions::objective)
        .def_readwrite("seed", &SpreadAdviceOptions::seed)
        .def_readwrite("seeds", &SpreadAdviceOptions::seeds)
        .def_readwrite("packet_hops", &SpreadAdviceOptions::packet_hops)
        .def_readwrite("threads", &SpreadAdviceOptions::threads);
    module.def("advise_shape", shape_advice, py::arg("spec"), py::arg("options"));
    module.def("advise_spread", spread_advice, py::arg("spec"), py::arg("options"));
    module.def("advise_barrier", barrier_advice, py::arg("placement"), py::arg("options"));
    module.def("advise_rails", advise_rails_of, py::arg("logs"), py::kw_only(), py::arg("format"),
               py::arg("interfaces"));
}

}  // namespace haichi
