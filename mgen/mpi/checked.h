#pragma once

#include <cstdint>

#include "base/errors.h"

namespace haichi::mpi {

/// Checked sums and products of counts, extents and displacements, which programs may choose freely. The functions
/// throw if the result does not fit 64 bits.
[[noreturn]] inline void throw_overflow() {
    throw UnsupportedError("a size, displacement or extent of a data type does not fit in 64 bits");
}

inline std::int64_t checked_sum(std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    if (__builtin_add_overflow(a, b, &result)) throw_overflow();
    return result;
}

inline std::int64_t checked_difference(std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    if (__builtin_sub_overflow(a, b, &result)) throw_overflow();
    return result;
}

inline std::int64_t checked_product(std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    if (__builtin_mul_overflow(a, b, &result)) throw_overflow();
    return result;
}

}  // namespace haichi::mpi
