// Binds the network of a job as arrays: coordinates, distances, links, routes and loads.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mapper/job/job.h"
#include "mapper/job/placement.h"
#include "python/bindings/binding_parts.h"
#include "python/bindings/foreign_text.h"
#include "python/bindings/loaded_machine.h"
#include "python/bindings/owned_arrays.h"

namespace py = pybind11;

namespace haichi {

namespace {

/// Node numbers that Python has checked.
using Nodes = py::array_t<std::int32_t, py::array::c_style>;

/// The distance of a pair with a faulty node, which has no route.
constexpr std::int32_t kNoRoute = -1;

std::int32_t hops_or_none(const Network& network, NodeId a, NodeId b) {
    if (!network.is_usable(a) || !network.is_usable(b)) return kNoRoute;
    return a == b ? 0 : network.hops(a, b);
}

/// The distance of each pair (sources[i], destinations[i]).
py::array_t<std::int32_t> distances_binding(const Job& job, const Nodes& sources, const Nodes& destinations) {
    const Network& network = job.allocation().network;
    std::vector<std::int32_t> hops(static_cast<std::size_t>(sources.size()));
    const std::int32_t* const from = sources.data();
    const std::int32_t* const to = destinations.data();
    {
        const py::gil_scoped_release release;
        for (std::size_t i = 0; i < hops.size(); ++i) hops[i] = hops_or_none(network, NodeId(from[i]), NodeId(to[i]));
    }
    return as_array(std::move(hops));
}

/// The distances from each source to all nodes, one row per source.
py::array_t<std::int32_t> distance_rows_binding(const Job& job, const Nodes& sources) {
    const Network& network = job.allocation().network;
    const std::int32_t nodes = network.node_count();
    std::vector<std::int32_t> hops(static_cast<std::size_t>(sources.size()) * static_cast<std::size_t>(nodes));
    const std::int32_t* const from = sources.data();
    {
        const py::gil_scoped_release release;
        for (std::size_t i = 0; i < hops.size(); ++i) {
            const auto column = static_cast<std::int32_t>(i % static_cast<std::size_t>(nodes));
            hops[i] = hops_or_none(network, NodeId(from[i / static_cast<std::size_t>(nodes)]), NodeId(column));
        }
    }
    return as_array(std::move(hops), nodes);
}

/// The coordinates of each node of the job, in the order of the nodes. None for networks without coordinates.
std::optional<py::array_t<std::int32_t>> job_coordinates_binding(const Job& job) {
    const Allocation& allocation = job.allocation();
    if (allocation.network.coordinates() == nullptr) return std::nullopt;
    std::vector<std::int32_t> rows;
    for (std::int32_t n = 0; n < allocation.node_count(); ++n) {
        const Coordinates at = allocation.machine_coordinates(NodeId(n));
        rows.insert(rows.end(), at.begin(), at.end());
    }
    return as_array(std::move(rows), static_cast<py::ssize_t>(allocation.network.coordinates()->axis_count()));
}

std::optional<py::array_t<std::int32_t>> machine_coordinates_binding(const LoadedMachine& loaded) {
    const Grid* const grid = coordinates(*loaded.machine);
    if (grid == nullptr) return std::nullopt;
    std::vector<std::int32_t> rows;
    for (std::int32_t n = 0; n < grid->vertex_count(); ++n) {
        const Coordinates at = grid->coordinates(VertexId(n));
        rows.insert(rows.end(), at.begin(), at.end());
    }
    return as_array(std::move(rows), static_cast<py::ssize_t>(grid->axis_count()));
}

/// The IDs of the existing links in ascending order, the ends and bandwidths of these links, and the vertex of each
/// node.
py::tuple links_binding(const Job& job) {
    const Network& network = job.allocation().network;
    std::vector<std::int32_t> id, source, destination;
    std::vector<std::int32_t> vertex_of_node;
    std::vector<std::int64_t> bandwidth;
    const std::int32_t first_channel = network.injection_link(NodeId(0)).value;
    {
        const py::gil_scoped_release release;
        for (std::int32_t l = 0; l < network.link_count(); ++l) {
            const LinkId link(l);
            if (!network.link_exists(link)) continue;
            // The channels of NICs follow the links of the fabric. Both ends of a channel are the vertex of its node.
            LinkEnds ends;
            if (l < first_channel) {
                ends = network.topology().link_ends(link);
            } else {
                ends.from = ends.to = network.vertex(NodeId((l - first_channel) % network.node_count()));
            }
            id.push_back(l);
            source.push_back(ends.from.value);
            destination.push_back(ends.to.value);
            bandwidth.push_back(network.bandwidth_bytes_per_s(link));
        }
        for (std::int32_t n = 0; n < network.node_count(); ++n) {
            vertex_of_node.push_back(network.vertex(NodeId(n)).value);
        }
    }
    return py::make_tuple(as_array(std::move(id)), as_array(std::move(source)), as_array(std::move(destination)),
                          as_array(std::move(bandwidth)), as_array(std::move(vertex_of_node)));
}

std::vector<py::str> link_names_binding(const Job& job, const Nodes& ids) {
    std::vector<py::str> names;
    for (py::ssize_t i = 0; i < ids.size(); ++i) {
        names.push_back(os_text(job.allocation().network.link_name(LinkId(ids.data()[i]))));
    }
    return names;
}

/// The IDs of the links of a route, in order.
py::array_t<std::int32_t> route_binding(const Job& job, std::int32_t source, std::int32_t destination) {
    std::vector<LinkId> passed;
    job.allocation().network.append_route(NodeId(source), NodeId(destination), passed);
    std::vector<std::int32_t> ids;
    for (const LinkId link : passed) ids.push_back(link.value);
    return as_array(std::move(ids));
}

/// The bytes and messages on each of the links `ids`, in one set or in all sets.
py::tuple link_loads_binding(const Placement& placement, const Nodes& ids, std::optional<std::int32_t> set) {
    const Network& network = placement.job().allocation().network;
    const Mapping& mapping = placement.mapping();
    std::vector<std::int64_t> bytes(static_cast<std::size_t>(ids.size()));
    std::vector<std::int64_t> messages(bytes.size());
    const std::int32_t* const id = ids.data();
    {
        const py::gil_scoped_release release;
        const Workload& workload = placement.job().workload();
        std::vector<std::int32_t> position(static_cast<std::size_t>(network.link_count()), -1);
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            position[static_cast<std::size_t>(id[i])] = static_cast<std::int32_t>(i);
        }
        std::vector<LinkId> passed;
        for (std::size_t s = 0; s < workload.set_count(); ++s) {
            if (set && s != static_cast<std::size_t>(*set)) continue;
            for (const Message& message : workload.messages(s)) {
                const NodeId source = mapping.node(message.source);
                const NodeId destination = mapping.node(message.destination);
                if (message.size_bytes <= 0 || source == destination) continue;
                passed.clear();
                network.append_route(source, destination, passed);
                for (const LinkId link : passed) {
                    const auto at = static_cast<std::size_t>(position[link.index()]);
                    bytes[at] += message.size_bytes;
                    ++messages[at];
                }
            }
        }
    }
    return py::make_tuple(as_array(std::move(bytes)), as_array(std::move(messages)));
}

}  // namespace

void bind_network(py::module_& module) {
    module.def("distances", distances_binding, py::arg("job"), py::arg("sources"), py::arg("destinations"));
    module.def("distance_rows", distance_rows_binding, py::arg("job"), py::arg("sources"));
    module.def("job_coordinates", job_coordinates_binding, py::arg("job"));
    module.def("machine_coordinates", machine_coordinates_binding, py::arg("machine"));
    module.def("links", links_binding, py::arg("job"));
    module.def("link_names", link_names_binding, py::arg("job"), py::arg("ids"));
    module.def("route", route_binding, py::arg("job"), py::arg("source"), py::arg("destination"));
    module.def("link_loads", link_loads_binding, py::arg("placement"), py::arg("ids"), py::arg("set"));
}

}  // namespace haichi
