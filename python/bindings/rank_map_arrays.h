#pragma once

#include <pybind11/numpy.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "mapper/job/placement.h"
#include "python/bindings/whole_numbers.h"

namespace haichi {

/// A read-only array of `count` numbers. `owner` holds their memory, and the array keeps `owner` alive.
inline pybind11::array read_only_array(const std::int32_t* values, std::size_t count, const pybind11::object& owner) {
    pybind11::array_t<std::int32_t> array(static_cast<pybind11::ssize_t>(count), values, owner);
    array.attr("flags").attr("writeable") = false;
    return array;
}

/// The node of each rank, int32. The memory belongs to `owner`.
inline pybind11::array node_array(const Mapping& mapping, const pybind11::object& owner) {
    const auto nodes = mapping.node_of_rank();
    static_assert(sizeof(NodeId) == sizeof(std::int32_t));
    return read_only_array(nodes.empty() ? nullptr : &nodes.front().value, nodes.size(), owner);
}

/// A rank-map file, or the node of each rank.
using MapArgument = std::variant<std::string, pybind11::array>;

/// Converts the argument. Throws InputError for values that are not node numbers.
inline GivenMap as_given_map(const MapArgument& map) {
    if (const auto* path = std::get_if<std::string>(&map)) return *path;
    const WholeNumbers nodes("the placement", std::get<pybind11::array>(map));
    std::vector<NodeId> node_of_rank;
    for (std::int64_t r = 0; r < nodes.size(); ++r) {
        const std::int64_t node = nodes[r];
        if (node != static_cast<std::int32_t>(node)) {
            throw InputError("rank " + std::to_string(r) + " is on node " + std::to_string(node) + ", beyond 2^31 - 1");
        }
        node_of_rank.emplace_back(static_cast<std::int32_t>(node));
    }
    return node_of_rank;
}

}  // namespace haichi
