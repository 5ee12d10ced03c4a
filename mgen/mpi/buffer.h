#pragma once

#include <cstdint>

#include "collectives/buffer.h"
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

    /// As collective operations take it, and back: their buffers of bytes and of types that calls gave.
    operator collectives::Buffer() const { return {data, count, type}; }
    static Buffer of(const collectives::Buffer& buffer) {
        const bool is_packed = buffer.type == &collectives::byte_type();
        return {buffer.data, buffer.count,
                is_packed ? Datatype::basic(BasicType::kByte).get() : static_cast<const Datatype*>(buffer.type)};
    }
};

}  // namespace haichi::mpi
