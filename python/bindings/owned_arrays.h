#pragma once

#include <pybind11/numpy.h>

#include <utility>
#include <vector>

namespace haichi {

/// An array that owns the content of the vector. If `columns` is not 0, the array is 2D with this number of columns.
template <class T>
pybind11::array_t<T> as_array(std::vector<T>&& values, pybind11::ssize_t columns = 0) {
    auto* const owned = new std::vector<T>(std::move(values));
    const pybind11::capsule owner(owned, [](void* held) { delete static_cast<std::vector<T>*>(held); });
    const auto size = static_cast<pybind11::ssize_t>(owned->size());
    std::vector<pybind11::ssize_t> shape = {size};
    if (columns > 0) shape = {size / columns, columns};
    return pybind11::array_t<T>(std::move(shape), owned->data(), owner);
}

}  // namespace haichi
