#pragma once

#include <cstddef>
#include <cstdint>

#include "mgen/mpi/datatype.h"

namespace haichi::mpi {

// The representation of data that MPI calls "external32": big-endian, IEEE, with the sizes of its own table (long has
// four bytes there, long double is a quadruple of 16 bytes).

std::int64_t external32_bytes(std::int64_t count, const Datatype& type);

/// `count` items from `data` to external32_bytes() bytes at `to`. A long that does not fit loses its upper half.
void pack_external32(const void* data, std::int64_t count, const Datatype& type, std::byte* to);

/// The way back.
void unpack_external32(void* data, std::int64_t count, const Datatype& type, const std::byte* from);

}  // namespace haichi::mpi
