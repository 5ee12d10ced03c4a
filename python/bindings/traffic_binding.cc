#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mapper/job/loaded_traffic.h"
#include "python/bindings/binding_parts.h"
#include "python/bindings/foreign_text.h"
#include "python/bindings/log_relay.h"

namespace py = pybind11;

namespace haichi {

namespace {

using Held = std::shared_ptr<LoadedTraffic>;

/// Casts away const, because Python has no const. Methods of the traffic cache their results.
Held held(std::shared_ptr<const LoadedTraffic> traffic) {
    return std::const_pointer_cast<LoadedTraffic>(std::move(traffic));
}

/// Reads a file. Returns the traffic, further files that belong to it, and for a log whether it has calls.
py::tuple read_file(const std::string& path, const std::string& format) {
    std::vector<std::string> beside;
    const Held traffic = logged([&](const Log& log) {
        const py::gil_scoped_release release;
        return std::make_shared<LoadedTraffic>(Traffic{.source = WorkloadFile{path, format}, .keeps_calls = true},
                                               Reading{log, [&](const std::string& file) { beside.push_back(file); }});
    });
    py::list names;
    for (const std::string& file : beside) names.append(os_text(file));
    std::optional<bool> log_has_calls;
    if (traffic->is_of_log()) log_has_calls = traffic->calls() != nullptr;
    return py::make_tuple(traffic, std::move(names), log_has_calls);
}

Held of_workload(const std::shared_ptr<Workload>& workload) {
    return std::make_shared<LoadedTraffic>(Traffic{.source = std::shared_ptr<const Workload>(workload)});
}

Held of_log(const std::shared_ptr<Workload>& workload, const std::string& path) {
    return std::make_shared<LoadedTraffic>(Traffic{.source = WorkloadOfLog{.workload = workload, .log_path = path}});
}

std::shared_ptr<Workload> workload_of(const LoadedTraffic& traffic) {
    return logged([&](const Log& log) {
        const py::gil_scoped_release release;  // extracting sets may take long
        return std::const_pointer_cast<Workload>(traffic.shared_workload(log));
    });
}

}  // namespace

void bind_traffic(py::module_& module) {
    py::class_<LoadedTraffic, Held>(module, "Traffic")
        .def_static("read", read_file, py::arg("path"), py::arg("format"))
        .def_static("of_workload", of_workload, py::arg("workload"))
        .def_static("of_log", of_log, py::arg("workload"), py::arg("path"))
        .def(
            "with_message_size",
            [](const LoadedTraffic& traffic, std::int64_t size_bytes) {
                const py::gil_scoped_release release;
                return held(traffic.with_message_size(size_bytes));
            },
            py::arg("size_bytes"))
        .def_property_readonly("rank_count", &LoadedTraffic::rank_count)
        .def("workload", workload_of)
        .def("warnings", [](const LoadedTraffic& traffic) {
            std::vector<py::object> texts;
            for (const std::string& warning : traffic.warnings()) texts.push_back(os_text(warning));
            return texts;
        });
}

}  // namespace haichi
