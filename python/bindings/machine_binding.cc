#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "python/bindings/binding_parts.h"
#include "python/bindings/foreign_text.h"
#include "python/bindings/loaded_machine.h"

namespace py = pybind11;

namespace haichi {

namespace {

LoadedMachine load(std::string name, std::optional<std::string> text, std::optional<std::string> graph_text) {
    LoadedMachine loaded{.source = {std::move(name), std::move(text), std::move(graph_text)}, .machine = {}};
    loaded.machine = load_machine(loaded.source);
    return loaded;
}

py::dict grid_dict(const Grid& grid, const Machine& machine) {
    const bool is_torus = std::ranges::any_of(grid.axes(), &Axis::wraps);
    py::list axes;
    for (const Axis& axis : grid.axes()) {
        const bool is_open = machine.size_is_open && axis.size == 1;
        axes.append(py::make_tuple(axis.name, is_open ? py::object(py::none()) : py::int_(axis.size), axis.wraps));
    }
    py::list logical;
    for (const auto& group : machine.logical) {
        py::list names;
        for (const std::size_t k : group) names.append(grid.axis(k).name);
        logical.append(names);
    }
    return py::dict(py::arg("kind") = is_torus ? "torus" : "mesh", py::arg("axes") = axes,
                    py::arg("logical") = logical);
}

/// With the words of a machine file; a graph, which is in a file of its own there, as its numbers.
py::dict topology_dict(const Machine& machine) {
    if (const auto* grid = std::get_if<Grid>(&machine.topology)) return grid_dict(*grid, machine);
    if (const auto* tree = std::get_if<FatTree>(&machine.topology)) {
        const bool is_fat = std::ranges::any_of(tree->parents(), [](std::int32_t parents) { return parents > 1; });
        return py::dict(py::arg("kind") = is_fat ? "fattree" : "tree", py::arg("children") = tree->children(),
                        py::arg("parents") = tree->parents());
    }
    if (const auto* dragonfly = std::get_if<Dragonfly>(&machine.topology)) {
        return py::dict(py::arg("kind") = "dragonfly", py::arg("terminals") = dragonfly->terminals_per_router(),
                        py::arg("routers") = dragonfly->routers_per_group(),
                        py::arg("global_links") = dragonfly->global_links_per_router(),
                        py::arg("groups") = dragonfly->group_count());
    }
    const Graph& graph = std::get<Graph>(machine.topology);
    return py::dict(py::arg("kind") = "graph", py::arg("terminals") = graph.terminal_count(),
                    py::arg("switches") = graph.vertex_count() - graph.terminal_count(),
                    py::arg("links") = graph.link_count());
}

std::vector<std::int32_t> faulty_nodes(const Machine& machine) {
    std::vector<std::int32_t> nodes;
    for (const VertexId node : machine.faulty) nodes.push_back(node.value);
    return nodes;
}

}  // namespace

void bind_machine(py::module_& module) {
    py::class_<LoadedMachine>(module, "Machine")
        .def(py::init(&load), py::arg("name"), py::arg("text"), py::arg("graph_text"),
             py::call_guard<py::gil_scoped_release>())
        .def_property_readonly("source",
                               [](const LoadedMachine& m) {
                                   return py::make_tuple(os_text(m.source.name), file_text(m.source.text),
                                                         file_text(m.source.graph_text));
                               })
        .def_property_readonly("name", [](const LoadedMachine& m) { return os_text(m.machine.name); })
        .def_property_readonly("topology", [](const LoadedMachine& m) { return topology_dict(m.machine); })
        .def_property_readonly("node_count",
                               [](const LoadedMachine& m) -> std::optional<std::int32_t> {
                                   if (m.machine.size_is_open) return std::nullopt;
                                   return terminal_count(m.machine);
                               })
        .def_property_readonly("routing", [](const LoadedMachine& m) { return m.machine.routing; })
        .def_property_readonly("faulty", [](const LoadedMachine& m) { return faulty_nodes(m.machine); })
        .def_property_readonly("link_bandwidth",
                               [](const LoadedMachine& m) { return m.machine.link_bandwidth_bytes_per_s; })
        .def_property_readonly("level_bandwidths",
                               [](const LoadedMachine& m) { return m.machine.level_bandwidth_bytes_per_s; })
        .def_property_readonly("nics_per_node", [](const LoadedMachine& m) { return m.machine.node.nics; });
}

}  // namespace haichi
