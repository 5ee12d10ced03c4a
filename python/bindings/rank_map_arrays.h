#pragma once

#include <pybind11/numpy.h>

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "objectives/mapping.h"

namespace haichi {

/// The node of each rank, int32.
inline pybind11::array_t<std::int32_t> node_array(const Mapping& mapping) {
    const auto nodes = mapping.node_of_rank();
    pybind11::array_t<std::int32_t> array(static_cast<pybind11::ssize_t>(nodes.size()));
    std::int32_t* const values = array.mutable_data();
    for (std::size_t r = 0; r < nodes.size(); ++r) values[r] = nodes[r].value;
    return array;
}

/// A map file, or the node of each rank.
using GivenMap = std::variant<std::string, std::vector<std::int32_t>>;

inline std::variant<std::string, std::vector<NodeId>> as_placement(const GivenMap& map) {
    if (const auto* path = std::get_if<std::string>(&map)) return *path;
    std::vector<NodeId> node_of_rank;
    for (const std::int32_t node : std::get<std::vector<std::int32_t>>(map)) node_of_rank.emplace_back(node);
    return node_of_rank;
}

}  // namespace haichi
