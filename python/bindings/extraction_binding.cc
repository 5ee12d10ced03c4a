#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <string>

#include "commlog/ccs/extraction.h"
#include "commlog/ccs/extraction_json.h"
#include "commlog/readers/log_readers.h"
#include "options/extraction_options.h"
#include "python/bindings/binding_parts.h"
#include "python/bindings/log_relay.h"
#include "python/bindings/option_binding.h"

namespace py = pybind11;

namespace haichi {

namespace {

Extraction extract_from_file(const std::string& path, const py::dict& given) {
    ExtractionOptions options;
    OptionTable table;
    declare_extraction(table, options);
    take_all(table, given);
    return logged([&](const Log& log) {
        const py::gil_scoped_release release;  // reading a log may take long
        return extract_sets(read_log(path, "", log), options);
    });
}

}  // namespace

void bind_extraction(py::module_& module) {
    py::class_<Extraction>(module, "Extraction")
        .def_property_readonly("workload", [](const Extraction& extraction) { return extraction.workload; })
        .def("json", [](const Extraction& extraction) { return extraction_json(extraction); });
    module.def("extract_sets", extract_from_file, py::arg("path"), py::arg("given"));
}

}  // namespace haichi
