#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mapper/judge/simulate.h"
#include "python/bindings/binding_parts.h"
#include "python/bindings/foreign_text.h"
#include "python/bindings/loaded_machine.h"
#include "python/bindings/log_relay.h"

namespace py = pybind11;

namespace haichi {

namespace {

LoadedMachine load(std::string name, std::optional<std::string> text, std::optional<std::string> graph_text) {
    LoadedMachine loaded{.source = {std::move(name), std::move(text), {.text = std::move(graph_text)}}, .machine = {}};
    loaded.machine = std::make_shared<const Machine>(logged([&](const Log& log) {
        const py::gil_scoped_release release;  // reading graph files of thousands of nodes takes seconds
        return load_machine(loaded.source, log);
    }));
    return loaded;
}

py::object as_python(const nlohmann::ordered_json& value) {
    if (value.is_object()) {
        py::dict dict;
        for (const auto& item : value.items()) dict[py::str(item.key())] = as_python(item.value());
        return dict;
    }
    if (value.is_array()) {
        py::list list;
        for (const nlohmann::ordered_json& entry : value) list.append(as_python(entry));
        return list;
    }
    if (value.is_boolean()) return py::bool_(value.get<bool>());
    if (value.is_number_integer()) return py::int_(value.get<std::int64_t>());
    if (value.is_number()) return py::float_(value.get<double>());
    if (value.is_string()) return py::str(value.get<std::string>());
    return py::none();
}

/// The topology with the keys of a machine file. The content of separate files is summarized in numbers.
py::object topology_dict(const Machine& machine) {
    nlohmann::ordered_json topology = machine.topology->description();
    if (const Grid* grid = coordinates(machine)) {
        nlohmann::ordered_json logical = nlohmann::ordered_json::array();
        for (const auto& group : machine.logical) {
            nlohmann::ordered_json names = nlohmann::ordered_json::array();
            for (const std::size_t k : group) names.push_back(grid->axis(k).name);
            logical.push_back(std::move(names));
        }
        topology["logical"] = std::move(logical);
        for (nlohmann::ordered_json& axis : topology["axes"]) {
            if (machine.size_is_open && axis["size"] == 1) axis["size"] = nullptr;
        }
    }
    return as_python(topology);
}

/// The bandwidth of each link class by name. A class without its own bandwidth has the bandwidth of the machine.
py::dict link_classes(const Machine& machine) {
    py::dict classes;
    for (const PortClass& links : machine.topology->link_classes()) {
        classes[py::str(links.name)] = links.bandwidth_bytes_per_s.value_or(machine.link_bandwidth_bytes_per_s);
    }
    return classes;
}

std::vector<std::int32_t> faulty_nodes(const Machine& machine) {
    std::vector<std::int32_t> nodes;
    for (const VertexId node : machine.faulty) nodes.push_back(node.value);
    return nodes;
}

}  // namespace

void bind_machine(py::module_& module) {
    py::class_<LoadedMachine>(module, "Machine")
        .def(py::init(&load), py::arg("name"), py::arg("text"), py::arg("graph_text"))
        .def_property_readonly("source",
                               [](const LoadedMachine& m) {
                                   return py::make_tuple(os_text(m.source.name), file_text(m.source.text),
                                                         file_text(m.source.graph.text));
                               })
        .def_property_readonly("graph_file", [](const LoadedMachine& m) { return os_text(m.source.graph.path); })
        .def_property_readonly("name", [](const LoadedMachine& m) { return os_text(m.machine->name); })
        .def_property_readonly("topology", [](const LoadedMachine& m) { return topology_dict(*m.machine); })
        .def_property_readonly("node_count",
                               [](const LoadedMachine& m) -> std::optional<std::int32_t> {
                                   if (m.machine->size_is_open) return std::nullopt;
                                   return terminal_count(*m.machine);
                               })
        .def_property_readonly("routing", [](const LoadedMachine& m) { return m.machine->routing; })
        .def_property_readonly("faulty", [](const LoadedMachine& m) { return faulty_nodes(*m.machine); })
        .def_property_readonly("link_bandwidth",
                               [](const LoadedMachine& m) { return m.machine->link_bandwidth_bytes_per_s; })
        .def_property_readonly("link_classes", [](const LoadedMachine& m) { return link_classes(*m.machine); })
        .def_property_readonly("nics_per_node", [](const LoadedMachine& m) { return m.machine->node.nics; })
        .def("buffer_warning", [](const LoadedMachine& m) { return os_text(buffer_warning(*m.machine)); });
    module.def(
        "preset_text", [](const std::string& name) { return os_text(preset_text(name)); }, py::arg("name"));
}

}  // namespace haichi
