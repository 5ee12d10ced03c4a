#pragma once

#include <cstdint>

#include "collectives/buffer.h"
#include "mgen/mpi/datatype.h"

namespace haichi::mpi {

/// The arguments (buffer, count, datatype) of a call. `data` may be null. A null pointer means that the type's
/// displacements are addresses (MPI_BOTTOM), or that there is no data.
struct Buffer {
    void* data = nullptr;
    std::int64_t count = 0;
    const Datatype* type = nullptr;

    /// Size of the packed data.
    [[nodiscard]] std::int64_t bytes() const { return type == nullptr ? 0 : type->packed_bytes(count); }

    /// These convert to and from the buffers of collective operations. of() accepts packed bytes and types that were
    /// passed to MPI calls.
    operator collectives::Buffer() const { return {data, count, type}; }
    static Buffer of(const collectives::Buffer& buffer) {
        const bool is_packed = buffer.type == &collectives::byte_type();
        return {buffer.data, buffer.count,
                is_packed ? Datatype::basic(BasicType::kByte).get() : static_cast<const Datatype*>(buffer.type)};
    }
};

}  // namespace haichi::mpi
