#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <optional>
#include <string>
#include <vector>

#include "commlog/ccs/extraction.h"
#include "commlog/ccs/extraction_json.h"
#include "commlog/readers/log_readers.h"
#include "python/bindings/binding_parts.h"
#include "python/bindings/log_relay.h"

namespace py = pybind11;

namespace haichi {

namespace {

Extraction extract_from_file(const std::string& path, std::int32_t sends_per_rank, std::int64_t eager_limit_bytes,
                             const std::string& kernel, const std::string& collectives,
                             const std::vector<std::string>& algorithms, const std::string& compute) {
    ExtractionOptions options;
    options.sends_per_rank = sends_per_rank;
    options.levels.eager_limit_bytes = eager_limit_bytes;
    options.kernel = parse_kernel_choice(kernel);
    options.levels.collectives = parse_collective_scope(collectives);
    for (const std::string& algorithm : algorithms) options.levels.algorithms.set(algorithm);
    options.compute_time = parse_compute_time(compute);
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
    module.def("extract_sets", extract_from_file, py::arg("path"), py::kw_only(), py::arg("sends_per_rank"),
               py::arg("eager_limit_bytes"), py::arg("kernel"), py::arg("collectives"), py::arg("algorithms"),
               py::arg("compute"));
}

}  // namespace haichi
