#pragma once

#include <cstdint>

#include "mgen/mpi/datatype.h"

namespace haichi::mpi {

/// What a call gives as (buffer, count, datatype). `data` may be null: displacements of the type are addresses then
/// (MPI_BOTTOM), or there is no data.
struct Buffer {
    void* data = nullptr;
    std::int64_t count = 0;
    const Datatype* type = nullptr;

    /// Packed.
    [[nodiscard]] std::int64_t bytes() const { return type == nullptr ? 0 : type->packed_bytes(count); }
};

}  // namespace haichi::mpi
