// Whether files can be written, for Python's own writers.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <string>
#include <vector>

#include "base/new_file_mode.h"
#include "base/outputs.h"
#include "python/bindings/binding_parts.h"

namespace py = pybind11;

namespace haichi {

namespace {

void check_outputs(const std::vector<std::string>& inputs, const std::vector<std::string>& files) {
    Outputs outputs;
    for (const std::string& path : inputs) outputs.add_input(path);
    for (const std::string& path : files) outputs.add_file(path);
    outputs.check();
}

}  // namespace

void bind_outputs(py::module_& module) {
    module.def("new_file_mode", [] { return static_cast<int>(new_file_mode()); });
    module.def("check_outputs", check_outputs, py::arg("inputs"), py::arg("files"));
}

}  // namespace haichi
