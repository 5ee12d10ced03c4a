#pragma once

#include <pybind11/pybind11.h>

#include <optional>
#include <string>

namespace haichi {

/// Decodes text that may contain file names, which need not be UTF-8, as os.fsdecode() does. Python passes file names
/// as the bytes that os.fsencode() returns.
inline pybind11::str os_text(const std::string& text) {
    PyObject* const decoded =
        PyUnicode_DecodeFSDefaultAndSize(text.data(), static_cast<pybind11::ssize_t>(text.size()));
    if (decoded == nullptr) throw pybind11::error_already_set();
    return pybind11::reinterpret_steal<pybind11::str>(decoded);
}

/// Decodes the text of a file from UTF-8. Invalid bytes are decoded with the error handler "surrogateescape".
inline std::optional<pybind11::str> file_text(const std::optional<std::string>& text) {
    if (!text) return std::nullopt;
    PyObject* const decoded =
        PyUnicode_DecodeUTF8(text->data(), static_cast<pybind11::ssize_t>(text->size()), "surrogateescape");
    if (decoded == nullptr) throw pybind11::error_already_set();
    return pybind11::reinterpret_steal<pybind11::str>(decoded);
}

}  // namespace haichi
