#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "mapper/job/job.h"
#include "mapper/job/placement.h"
#include "mapper/report/verdict.h"
#include "options/job_options.h"
#include "python/bindings/binding_parts.h"
#include "python/bindings/foreign_text.h"
#include "python/bindings/held_problem.h"
#include "python/bindings/loaded_machine.h"
#include "python/bindings/log_relay.h"
#include "python/bindings/node_lists.h"
#include "python/bindings/option_binding.h"
#include "python/bindings/rank_map_arrays.h"

namespace py = pybind11;

namespace haichi {

namespace {

/// Makes a JobSpec. Without traffic, it serves functions that need only the nodes. `given` has the options of a job.
/// Node lists may be arrays or lists of names, and host names may be a list. Such lists cannot be written as
/// command-line words.
JobSpec make_spec(const LoadedMachine& machine, const std::shared_ptr<LoadedTraffic>& traffic, const py::dict& given) {
    py::dict words;
    for (const auto& [key, value] : given) {
        if (!py::isinstance<py::array>(value) && !py::isinstance<py::list>(value)) words[key] = value;
    }
    JobOptions job;
    OptionTable table;
    job.declare_nodes(table, JobUse::kMeasure);
    take_all(table, words);
    JobSpec spec = job.spec;
    spec.machine = machine.machine;
    if (traffic) spec.traffic = {.source = std::shared_ptr<const LoadedTraffic>(traffic)};
    const auto is_list = [&](const char* name) { return given.contains(name) && !words.contains(name); };
    const auto nodes = [&](const char* name) -> NodeList {
        if (py::isinstance<py::list>(given[name])) return given[name].cast<std::vector<std::string>>();
        return as_node_list(given[name].cast<py::array>(), "§" + std::string(name));
    };
    if (is_list("nodes")) spec.allocation.nodes = nodes("nodes");
    if (is_list("faulty")) spec.allocation.faulty = nodes("faulty");
    if (is_list("hosts")) spec.hosts = given["hosts"].cast<std::vector<std::string>>();
    return spec;
}

Job make_job(const JobSpec& spec) {
    return logged([&](const Log& log) {
        const py::gil_scoped_release release;
        return Job(spec, log);
    });
}

std::vector<Job> make_jobs(const JobSpec& spec, const std::vector<std::vector<std::int32_t>>& shapes) {
    return logged([&](const Log& log) {
        const py::gil_scoped_release release;
        return jobs_of_shapes(spec, shapes, log);
    });
}

Placement place(const Job& job, const std::optional<MapArgument>& map, const std::string& format) {
    if (!map) return Placement(job);
    const GivenMap given = as_given_map(*map);
    const py::gil_scoped_release release;  // the file may have up to a million lines
    return given_placement(job, given, format);
}

/// How a search found the placement, as Python values. Nothing for a given placement.
std::optional<py::dict> search_of(const Placement& placement) {
    const SearchRecord* const record = placement.search();
    if (record == nullptr) return std::nullopt;
    py::dict search;
    search["strategy"] = os_text(record->strategy);
    search["objective"] = os_text(record->objective);
    search["evaluations"] = record->evaluations;
    search["evaluations_per_second"] = record->evaluations_per_second;
    search["interrupted"] = record->interrupted;
    if (!record->trials) return search;
    const Verdict verdict = verdict_of(*record->trials);
    py::dict entry;
    entry["text"] = os_text(verdict.text);
    entry["helps"] = verdict.helps;
    entry["share_saved"] = verdict.share_saved;
    entry["spread"] = verdict.spread;
    search["verdict"] = entry;
    return search;
}

/// The map as bytes, because host names need not be UTF-8.
py::bytes rank_map(const Placement& placement, const std::string& format) {
    return rank_map_format(format).write(placement.mapping(), placement.job().rank_maps());
}

/// The lines for a job script. `file` is the name of the rank map in these lines.
py::bytes script_lines(const Placement& placement, const std::string& format, const std::string& file) {
    return launch_lines(rank_map_format(format), placement.mapping(), placement.job().rank_maps(), file);
}
/// The name of the job's default format, the rank map in this format, and the job lines that use the map in `file`. The
/// lines are empty for formats that no launcher reads.
py::tuple usual_rank_map(const Placement& placement, const std::string& file) {
    const RankMapContext context = placement.job().rank_maps();
    const RankMapFormat& format = default_rank_map_format(context);
    return py::make_tuple(os_text(std::string(format.name)), os_text(format.write(placement.mapping(), context)),
                          os_text(launch_lines(format, placement.mapping(), context, file)));
}

}  // namespace

void bind_job(py::module_& module) {
    py::class_<JobSpec>(module, "JobSpec")
        .def(py::init(&make_spec), py::kw_only(), py::arg("machine"), py::arg("traffic"), py::arg("given"));
    py::class_<HeldProblem>(module, "HeldProblem").def(py::init<>());
    // The constructors release the GIL, because routes between thousands of nodes take seconds.
    py::class_<Job>(module, "Job")
        .def(py::init(&make_job), py::arg("spec"))
        .def_static("of_shapes", make_jobs, py::arg("spec"), py::arg("shapes"))
        .def_property_readonly("rank_count", [](const Job& job) { return job.rank_count(); })
        .def_property_readonly("node_count", [](const Job& job) { return job.allocation().node_count(); })
        .def_property_readonly("shape", [](const Job& job) { return job.allocation().shape; })
        .def("place", place, py::arg("map"), py::arg("format"));
    py::class_<Placement>(module, "Placement")
        .def_property_readonly("job", &Placement::job)
        .def_property_readonly(
            "node_of_rank",
            [](const py::object& self) { return node_array(self.cast<const Placement&>().mapping(), self); })
        .def_property_readonly("is_default", &Placement::is_default)
        .def_property_readonly("search", search_of)
        .def("usual_rank_map", usual_rank_map, py::arg("file"))
        .def("rank_map", rank_map, py::arg("format"))
        .def("launch_lines", script_lines, py::arg("format"), py::arg("file"));
}

}  // namespace haichi
