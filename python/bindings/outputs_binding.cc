// Binds output files.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

void write_files(const std::vector<std::pair<std::string, py::bytes>>& files) {
    Outputs outputs;
    std::vector<std::pair<OutputFile*, std::string_view>> contents;
    for (const auto& [path, content] : files) contents.emplace_back(&outputs.add_file(path), content);
    const py::gil_scoped_release release;
    outputs.open();
    for (const auto& [file, content] : contents) file->write(content);
    outputs.commit();
}

}  // namespace

void bind_outputs(py::module_& module) {
    module.def("check_outputs", check_outputs, py::arg("inputs"), py::arg("files"));
    module.def("write_files", write_files, py::arg("files"));
}

}  // namespace haichi
