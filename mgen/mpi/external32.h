#pragma once

#include <cstddef>
#include <cstdint>

#include "mgen/mpi/datatype.h"

namespace haichi::mpi {

// MPI's "external32" data representation: big-endian IEEE numbers with standard sizes. There, long has four bytes, and
// long double has quadruple precision in 16 bytes.

std::int64_t external32_bytes(std::int64_t count, const Datatype& type);

/// Converts `count` items from `data` to external32_bytes() bytes at `to`. A long that does not fit loses its upper
/// half.
void pack_external32(const void* data, std::int64_t count, const Datatype& type, std::byte* to);

/// Converts in the opposite direction.
void unpack_external32(void* data, std::int64_t count, const Datatype& type, const std::byte* from);

}  // namespace haichi::mpi
