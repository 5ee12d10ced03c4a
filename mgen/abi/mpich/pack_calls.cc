// Calls by which the program packs messages itself. The suffix _c marks functions with large counts.

#include <string_view>

#include <calls_generated.h>
#include "mgen/abi/mpich/type_handles.h"
#include "mgen/mpi/external32.h"

namespace haichi::abi::mpich {

namespace {

using mpi::ErrorClass;

/// Checks that bytes [position, position + bytes) are within a packed buffer of `size` bytes.
void check_room(std::int64_t position, std::int64_t bytes, std::int64_t size) {
    if (position < 0 || position > size || bytes > size - position) {
        raise(ErrorClass::kArgument, std::to_string(bytes) + " packed bytes do not fit after byte " +
                                         std::to_string(position) + " of a buffer of " + std::to_string(size) +
                                         " bytes");
    }
}

void check_representation(const char* name) {
    if (std::string_view(name) != "external32") {
        raise(ErrorClass::kArgument, "the data representation is not \"external32\"");
    }
}

template <class Count>
int pack(const void* data, Count count, MPI_Datatype type, void* packed, Count size, Count* position, MPI_Comm comm) {
    MpichRank& state = MpichRank::current();
    state.comm(comm);
    const mpi::Buffer buffer = state.buffer(data, count, type);
    check_room(*position, buffer.bytes(), size);
    buffer.type->pack(data, count, static_cast<std::byte*>(packed) + *position);
    *position += static_cast<Count>(buffer.bytes());
    return MPI_SUCCESS;
}

template <class Count>
int unpack(const void* packed, Count size, Count* position, void* data, Count count, MPI_Datatype type, MPI_Comm comm) {
    MpichRank& state = MpichRank::current();
    state.comm(comm);
    const mpi::Buffer buffer = state.buffer(data, count, type);
    check_room(*position, buffer.bytes(), size);
    buffer.type->unpack(data, count, static_cast<const std::byte*>(packed) + *position, buffer.bytes());
    *position += static_cast<Count>(buffer.bytes());
    return MPI_SUCCESS;
}

}  // namespace

int Pack(const void* data, int count, MPI_Datatype type, void* packed, int size, int* position, MPI_Comm comm) {
    return pack(data, count, type, packed, size, position, comm);
}
int Pack_c(const void* data, MPI_Count count, MPI_Datatype type, void* packed, MPI_Count size, MPI_Count* position,
           MPI_Comm comm) {
    return pack(data, count, type, packed, size, position, comm);
}
int Unpack(const void* packed, int size, int* position, void* data, int count, MPI_Datatype type, MPI_Comm comm) {
    return unpack(packed, size, position, data, count, type, comm);
}
int Unpack_c(const void* packed, MPI_Count size, MPI_Count* position, void* data, MPI_Count count, MPI_Datatype type,
             MPI_Comm comm) {
    return unpack(packed, size, position, data, count, type, comm);
}
int Pack_size(MPI_Count count, MPI_Datatype type, MPI_Comm comm, MPI_Count* size) {
    MpichRank& state = MpichRank::current();
    state.comm(comm);
    *size = state.buffer_without_data(count, type).bytes();
    return MPI_SUCCESS;
}

int Pack_external(const char* representation, const void* data, MPI_Count count, MPI_Datatype type, void* packed,
                  MPI_Count size, MPI_Count* position) {
    check_representation(representation);
    const mpi::Buffer buffer = MpichRank::current().buffer(data, count, type);
    const std::int64_t bytes = mpi::external32_bytes(count, *buffer.type);
    check_room(*position, bytes, size);
    mpi::pack_external32(data, count, *buffer.type, static_cast<std::byte*>(packed) + *position);
    *position += bytes;
    return MPI_SUCCESS;
}
int Unpack_external(const char representation[], const void* packed, MPI_Count size, MPI_Count* position, void* data,
                    MPI_Count count, MPI_Datatype type) {
    check_representation(representation);
    const mpi::Buffer buffer = MpichRank::current().buffer(data, count, type);
    const std::int64_t bytes = mpi::external32_bytes(count, *buffer.type);
    check_room(*position, bytes, size);
    mpi::unpack_external32(data, count, *buffer.type, static_cast<const std::byte*>(packed) + *position);
    *position += bytes;
    return MPI_SUCCESS;
}
int Pack_external_size(const char* representation, MPI_Count count, MPI_Datatype type, MPI_Count* size) {
    check_representation(representation);
    *size = mpi::external32_bytes(count, *MpichRank::current().buffer_without_data(count, type).type);
    return MPI_SUCCESS;
}

}  // namespace haichi::abi::mpich
