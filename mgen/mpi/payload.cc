#include "mgen/mpi/payload.h"

#include <algorithm>
#include <cstring>

namespace haichi::mpi {

namespace {

bool are_equal(const std::byte* bytes, std::int64_t count) {
    return std::memcmp(bytes, bytes + 1, static_cast<std::size_t>(count) - 1) == 0;
}

/// Fills the memory page by page. Reading an untouched page takes no memory, so pages that already have the value are
/// not written.
void fill(std::byte* to, std::int64_t bytes, std::byte value) {
    constexpr std::int64_t kPageBytes = 4096;
    while (bytes > 0) {
        const auto into_page = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(to) % kPageBytes);
        const std::int64_t piece = std::min(bytes, kPageBytes - into_page);
        if (*to != value || !are_equal(to, piece)) {
            std::memset(to, static_cast<int>(value), static_cast<std::size_t>(piece));
        }
        to += piece;
        bytes -= piece;
    }
}

}  // namespace

Payload Payload::pack(const Buffer& from) {
    Payload payload;
    payload.bytes_ = from.bytes();
    const auto* const data = static_cast<const std::byte*>(from.data);
    if (payload.bytes_ > kInside && from.type->is_contiguous() && are_equal(data, payload.bytes_)) {
        payload.inside_[0] = *data;
        return payload;
    }
    if (payload.bytes_ > kInside) payload.outside_ = allocate(payload.bytes_);
    from.type->pack(from.data, from.count, payload.data());
    return payload;
}

void Payload::unpack(const Buffer& to) const {
    if (!is_uniform()) {
        to.type->unpack(to.data, to.count, outside_ ? outside_.get() : inside_.data(), bytes_);
        return;
    }
    const std::int64_t bytes = std::min(bytes_, to.bytes());
    if (to.type->is_contiguous()) return fill(static_cast<std::byte*>(to.data), bytes, inside_[0]);
    std::array<std::byte, 4096> piece;
    piece.fill(inside_[0]);
    for (std::int64_t position = 0; position < bytes; position += std::ssize(piece)) {
        to.type->unpack_part(to.data, to.count, position, std::min(bytes - position, std::ssize(piece)), piece.data());
    }
}

}  // namespace haichi::mpi
