#pragma once

#include <cstdint>
#include <cstring>
#include <string>

#include "base/errors.h"

namespace haichi {

/// Throws InputError for an invalid record of a rank.
[[noreturn]] inline void fail_record(const std::string& place, const std::string& what) {
    throw InputError(place + ": " + what, "the file is damaged, or was not written by this profiler");
}

/// Throws InputError if the record states more than `most` entries.
inline void check_count(std::uint64_t count, std::uint64_t most, const char* what, const std::string& place) {
    if (count <= most) return;
    fail_record(place, std::to_string(count) + " " + what + "; at most " + std::to_string(most) + " fit");
}

/// Returns the string in a field of fixed size.
template <std::size_t size>
std::string text_of(const char (&field)[size]) {
    return {field, strnlen(field, size)};
}

}  // namespace haichi
