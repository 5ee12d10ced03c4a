#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "mapper/job/placement_view.h"
#include "python/bindings/binding_parts.h"
#include "python/bindings/owned_arrays.h"

namespace py = pybind11;

namespace haichi {

namespace {

const char* form_name(Panel::Form form) {
    switch (form) {
        case Panel::Form::kPairs:
            return "pairs";
        case Panel::Form::kMatrix:
            return "matrix";
        case Panel::Form::kSquares:
            break;
    }
    return "squares";
}

py::dict outline_binding(const Placement& placement) {
    NetworkOutline outline = [&] {
        const py::gil_scoped_release release;  // may have up to a million links; uses no Python object
        return network_outline(placement.job().allocation().network);
    }();
    py::list axes;
    for (const Axis& axis : outline.axes) axes.append(py::make_tuple(axis.name, axis.size, axis.is_ring()));
    py::list panels;
    for (Panel& panel : outline.panels) {
        panels.append(py::make_tuple(panel.title, panel.caption, form_name(panel.form),
                                     as_array(std::move(panel.group_of_vertex))));
    }
    py::dict arrays;
    arrays["axes"] = axes;
    arrays["vertex_level"] = as_array(std::move(outline.vertex_level));
    arrays["vertex_of_node"] = as_array(std::move(outline.vertex_of_node));
    arrays["link_source"] = as_array(std::move(outline.link_source));
    arrays["link_destination"] = as_array(std::move(outline.link_destination));
    arrays["link_axis"] = as_array(std::move(outline.link_axis));
    arrays["link_sign"] = as_array(std::move(outline.link_sign));
    arrays["link_bandwidth_bytes_per_s"] = as_array(std::move(outline.link_bandwidth_bytes_per_s));
    arrays["panels"] = panels;
    arrays["link_panel"] = as_array(std::move(outline.link_panel));
    arrays["link_names"] = std::move(outline.link_names);
    return arrays;
}

py::tuple routes_binding(const Placement& placement) {
    MessageRoutes routes = [&] {
        const py::gil_scoped_release release;
        return message_routes(placement);
    }();
    return py::make_tuple(as_array(std::move(routes.first)), as_array(std::move(routes.link)));
}

/// The number of evaluations and the best value so far, at each improvement. Empty for a given placement.
py::tuple convergence_binding(const Placement& placement) {
    std::vector<std::int64_t> evaluations;
    std::vector<double> values;
    if (placement.search() == nullptr)
        return py::make_tuple(as_array(std::move(evaluations)), as_array(std::move(values)));
    for (const ConvergencePoint& point : placement.search()->convergence) {
        evaluations.push_back(point.evaluations);
        values.push_back(point.value);
    }
    return py::make_tuple(as_array(std::move(evaluations)), as_array(std::move(values)));
}

}  // namespace

void bind_view(py::module_& module) {
    module.def("network_outline", outline_binding, py::arg("placement"));
    module.def("message_routes", routes_binding, py::arg("placement"));
    module.def("convergence", convergence_binding, py::arg("placement"));
}

}  // namespace haichi
