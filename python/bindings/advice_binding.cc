#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <nlohmann/json.hpp>

#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "mapper/report/advice_json.h"
#include "mapper/report/report_json.h"
#include "options/advice_options.h"
#include "options/log_options.h"
#include "python/bindings/binding_parts.h"
#include "python/bindings/interruptible_run.h"
#include "python/bindings/log_relay.h"
#include "python/bindings/option_binding.h"

namespace py = pybind11;

namespace haichi {

namespace {

/// Advice is passed to Python as haichi-advice/1. This JSON is small, and becomes plain values in Python.
std::string shape_advice(const JobSpec& spec, const ShapeAdviceOptions& options) {
    return report_text(advice_json(run_interruptibly([&](const StopFlag& stop, const Log& log) {
        return advise_shape(spec, options, {{}, &stop, log});
    })));
}

std::string barrier_advice(const Placement& placement, const BarrierAdviceOptions& options) {
    return report_text(advice_json(run_interruptibly([&](const StopFlag& stop, const Log& log) {
        return advise_barrier(placement, options, {{}, &stop, log});
    })));
}

std::string spread_advice(const JobSpec& spec, const SpreadAdviceOptions& options) {
    return report_text(advice_json(run_interruptibly([&](const StopFlag& stop, const Log& log) {
        return advise_spread(spec, options, {{}, &stop, log});
    })));
}

using NamedRun = std::tuple<std::string, std::string, std::optional<std::int32_t>>;

template <class Options>
Options make_options(const py::dict& given) {
    Options options;
    OptionTable table;
    declare_advice(table, options);
    take_all(table, given);
    return options;
}

std::string advise_rails_of(const std::vector<NamedRun>& logs, const py::dict& given) {
    RailAdviceRequest request = make_options<RailAdviceRequest>(given);
    for (const auto& [path, label, rails] : logs) request.logs.push_back({path, label, rails});
    return report_text(advice_json(logged([&](const Log& log) {
        const py::gil_scoped_release release;  // reading logs may take long and needs no Python object
        return run_advise_rails(request, log);
    })));
}

}  // namespace

void bind_advice(py::module_& module) {
    py::class_<ShapeAdviceOptions>(module, "ShapeAdviceOptions")
        .def(py::init(&make_options<ShapeAdviceOptions>), py::arg("given"));
    py::class_<BarrierAdviceOptions>(module, "BarrierAdviceOptions")
        .def(py::init(&make_options<BarrierAdviceOptions>), py::arg("given"));
    py::class_<SpreadAdviceOptions>(module, "SpreadAdviceOptions")
        .def(py::init(&make_options<SpreadAdviceOptions>), py::arg("given"))
        .def(
            "set_spread",
            [](SpreadAdviceOptions& o, const std::shared_ptr<LoadedTraffic>& traffic) {
                o.spread_traffic = Traffic{.source = std::shared_ptr<const LoadedTraffic>(traffic)};
            },
            py::arg("traffic"));
    module.def("advise_shape", shape_advice, py::arg("spec"), py::arg("options"));
    module.def("advise_spread", spread_advice, py::arg("spec"), py::arg("options"));
    module.def("advise_barrier", barrier_advice, py::arg("placement"), py::arg("options"));
    module.def("advise_rails", advise_rails_of, py::arg("logs"), py::arg("given"));
}

}  // namespace haichi
