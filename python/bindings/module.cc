#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <string>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "commlog/nas/nas_log.h"
#include "commlog/readers/readers.h"
#include "commlog/workload/patterns.h"
#include "mapper/anneal/objective_table.h"
#include "mapper/rankmap/rankmap.h"
#include "mapper/solve/strategy.h"
#include "netmodel/machine/fold.h"
#include "netmodel/machine/machine.h"
#include "python/bindings/binding_parts.h"
#include "python/bindings/foreign_text.h"

namespace py = pybind11;

namespace haichi {

namespace {

const char* exception_name(ErrorKind kind) {
    switch (kind) {
        case ErrorKind::kInput:
            return "InputError";
        case ErrorKind::kOption:
            return "OptionError";
        case ErrorKind::kUnsupported:
            return "UnsupportedError";
        case ErrorKind::kInternal:
            break;
    }
    return "InternalError";
}

/// Converts errors of the library to the exceptions of haichi/errors.py, with their hints.
void translate_error(std::exception_ptr thrown) {
    try {
        if (thrown) std::rethrow_exception(thrown);
    } catch (const Error& error) {
        const py::object type = py::module_::import("haichi.errors").attr(exception_name(error.kind()));
        py::set_error(type, type(os_text(error.what()), os_text(error.hint())));
    }
}

using Entries = std::vector<std::pair<std::string, std::string>>;

template <class Rows, class Describe>
Entries entries(const Rows& rows, Describe&& describe) {
    Entries result;
    for (const auto& row : rows) result.push_back(describe(row));
    return result;
}

template <class Rows>
Entries named_entries(const Rows& rows) {
    return entries(rows, [](const auto& row) { return std::pair(row.name, row.sentence); });
}

}  // namespace

PYBIND11_MODULE(_core, module) {
    module.doc() = "The C++ side of haichi; use the package haichi, whose functions have defaults and docstrings.";
    py::register_exception_translator(translate_error);

    py::class_<ObjectiveRow>(module, "ObjectiveRow", py::is_final())
        .def_readonly("name", &ObjectiveRow::name)
        .def_readonly("unit", &ObjectiveRow::unit)
        .def_readonly("sentence", &ObjectiveRow::sentence)
        .def_readonly("needs_logical_torus", &ObjectiveRow::needs_logical_torus);
    module.def("objectives", [] { return std::vector(objectives().begin(), objectives().end()); });
    module.def("machines", [] {
        return entries(machine_presets(),
                       [](const MachinePreset& row) { return std::pair(row.pattern, row.description); });
    });
    py::class_<StrategyRow>(module, "StrategyRow", py::is_final())
        .def_readonly("name", &StrategyRow::name)
        .def_readonly("sentence", &StrategyRow::sentence)
        .def_readonly("objective", &StrategyRow::objective)
        .def_readonly("is_tuned", &StrategyRow::is_tuned)
        .def_readonly("uses_seed", &StrategyRow::uses_seed);
    module.def("strategies", [] { return std::vector(strategies().begin(), strategies().end()); });
    module.def("folds", [] { return named_entries(folds()); });
    module.def("formats", [] { return named_entries(rank_map_formats()); });
    module.def("patterns", [] { return named_entries(patterns()); });
    module.def("nas_programs", [] { return named_entries(nas_programs()); });
    module.def("workload_formats", [] { return named_entries(workload_formats()); });
    bind_text(module);
    bind_options(module);
    bind_workload(module);
    bind_traffic(module);
    bind_machine(module);
    bind_outputs(module);
    bind_extraction(module);
    bind_job(module);
    bind_rank_maps(module);
    bind_network(module);
    bind_log(module);
    bind_simulate(module);
    bind_search(module);
    bind_view(module);
    bind_advice(module);
}

}  // namespace haichi
