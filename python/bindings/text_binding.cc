#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstddef>
#include <string>
#include <vector>

#include "base/errors.h"
#include "base/input_file.h"
#include "base/quantity.h"
#include "python/bindings/binding_parts.h"

namespace py = pybind11;

namespace haichi {

void bind_text(py::module_& module) {
    module.def(
        "did_you_mean",
        [](const std::string& name, const std::vector<std::string>& candidates) {
            return did_you_mean(name, candidates);
        },
        py::arg("name"), py::arg("candidates"));
    module.def(
        "shown", [](const std::string& text) { return shown(text); }, py::arg("text"));
    module.def(
        "whole_input",
        [](const std::string& path, std::size_t most) {
            const std::string content = [&] {
                const py::gil_scoped_release release;
                return whole_input(path, most);
            }();
            return py::bytes(content);
        },
        py::arg("path"), py::arg("most"));
    module.def(
        "parse_bytes",
        [](const std::string& text, const std::string& name) {
            return parse_bytes(text, {name, 0});
        },
        py::arg("text"), py::arg("name"));
    module.def(
        "parse_time_ps",
        [](const std::string& text, const std::string& name) {
            return parse_time_ps(text, {name, 0});
        },
        py::arg("text"), py::arg("name"));
}

}  // namespace haichi
