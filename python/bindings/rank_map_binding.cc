// Binds checks and conversions of rank maps, which do not need the traffic of a job.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "mapper/job/check_map.h"
#include "mapper/job/job.h"
#include "mapper/job/placement.h"
#include "python/bindings/binding_parts.h"
#include "python/bindings/foreign_text.h"
#include "python/bindings/log_relay.h"
#include "python/bindings/rank_map_arrays.h"

namespace py = pybind11;

namespace haichi {

namespace {

/// Returns the format of a map, the number of ranks, the number of problems, and the checks. A check has a result, a
/// text, a file, a line (0 if unknown) and a hint.
py::tuple check_binding(const JobSpec& spec, const std::string& map, const std::string& format) {
    const MapCheck found = logged([&](const Log& log) {
        const py::gil_scoped_release release;
        return check_map(spec, {.map = map, .format = format}, log);
    });
    py::list lines;
    for (const CheckLine& line : found.lines) {
        lines.append(py::make_tuple(word_of(line.result), os_text(line.text), os_text(line.place.file), line.place.line,
                                    os_text(line.hint)));
    }
    return py::make_tuple(found.format, found.rank_count, found.problem_count, lines);
}

/// Converts a map to another format. Returns the new map and a warning, which may be empty.
std::pair<py::bytes, py::str> convert_binding(const JobSpec& spec, const MapArgument& map, const std::string& format,
                                              const std::string& to) {
    const RankMapFormat& target = rank_map_format(to);
    const GivenMap given = as_given_map(map);
    const auto [text, warning] = logged([&](const Log& log) {
        const py::gil_scoped_release release;
        const AllocatedNodes nodes = load_nodes(spec, log);
        target.check(nodes.rank_maps(0));
        const auto* const path = std::get_if<std::string>(&given);
        const Mapping mapping = path != nullptr ? read_rank_map(*path, format, nodes.rank_maps(0))
                                                : mapping_of(std::get<std::vector<NodeId>>(given), *nodes.allocation);
        const RankMapContext context = nodes.rank_maps(mapping.rank_count());
        std::string warned = target.warning == nullptr ? "" : target.warning(mapping, context);
        return std::pair(target.write(mapping, context), std::move(warned));
    });
    return {py::bytes(text), os_text(warning)};
}

}  // namespace

void bind_rank_maps(py::module_& module) {
    module.def("check_map", check_binding, py::arg("spec"), py::arg("map"), py::arg("format"));
    module.def("convert_map", convert_binding, py::arg("spec"), py::arg("map"), py::arg("format"), py::arg("to"));
}

}  // namespace haichi
