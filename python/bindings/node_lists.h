#pragma once

#include <pybind11/numpy.h>

#include <cstdint>
#include <string>
#include <vector>

#include "netmodel/machine/allocation.h"
#include "python/bindings/whole_numbers.h"

namespace haichi {

/// Checks a node number or a coordinate. `name` is used in messages.
inline std::int32_t node_number(std::int64_t number, const std::string& name) {
    if (number == static_cast<std::int32_t>(number)) return static_cast<std::int32_t>(number);
    throw InputError(name + " holds " + std::to_string(number) + ", beyond 2^31 - 1");
}

/// Converts an array to a list of nodes. A 1D array has node numbers, and a 2D array has coordinates. Throws InputError
/// for values that are not integers.
inline NodeList as_node_list(const pybind11::array& array, const std::string& name) {
    const WholeNumbers numbers(name, array);
    if (array.ndim() == 1) {
        std::vector<std::int32_t> list;
        for (std::int64_t i = 0; i < numbers.size(); ++i) list.push_back(node_number(numbers[i], name));
        return list;
    }
    const std::int64_t axes = array.shape(1);
    if (axes > static_cast<std::int64_t>(Coordinates::static_capacity)) {
        throw InputError(name + " has nodes with " + std::to_string(axes) + " coordinates");
    }
    std::vector<Coordinates> list(static_cast<std::size_t>(array.shape(0)));
    for (std::int64_t i = 0; i < array.shape(0); ++i) {
        for (std::int64_t k = 0; k < axes; ++k) {
            list[static_cast<std::size_t>(i)].push_back(node_number(numbers(i, k), name));
        }
    }
    return list;
}

}  // namespace haichi
