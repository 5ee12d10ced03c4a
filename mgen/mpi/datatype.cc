#include "mgen/mpi/datatype.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "mgen/mpi/checked.h"
#include "mgen/mpi/layout_walk.h"

namespace haichi::mpi {

namespace {

/// Size of the intermediate buffer for a copy in which neither side is contiguous.
constexpr std::int64_t kPieceBytes = std::int64_t{1} << 16;

/// Addresses are integers here, because `data` may be null and displacements may be addresses (MPI_BOTTOM).
template <std::int64_t kBytes>
void gather(std::uintptr_t from, std::int64_t count, std::int64_t stride, std::byte*& to) {
    for (std::int64_t i = 0; i < count; ++i) {
        std::memcpy(to, reinterpret_cast<const void*>(from), kBytes);
        from += static_cast<std::uintptr_t>(stride);
        to += kBytes;
    }
}

template <std::int64_t kBytes>
void scatter(std::uintptr_t to, std::int64_t count, std::int64_t stride, const std::byte*& from) {
    for (std::int64_t i = 0; i < count; ++i) {
        std::memcpy(reinterpret_cast<void*>(to), from, kBytes);
        to += static_cast<std::uintptr_t>(stride);
        from += kBytes;
    }
}

struct Gather {
    std::uintptr_t base;
    std::byte* to;

    void runs(std::int64_t offset, std::int64_t count, std::int64_t stride, std::int64_t bytes) {
        std::uintptr_t from = base + static_cast<std::uintptr_t>(offset);
        if (bytes == 8) return gather<8>(from, count, stride, to);
        if (bytes == 4) return gather<4>(from, count, stride, to);
        if (bytes == 16) return gather<16>(from, count, stride, to);
        for (std::int64_t i = 0; i < count; ++i) {
            std::memcpy(to, reinterpret_cast<const void*>(from), static_cast<std::size_t>(bytes));
            from += static_cast<std::uintptr_t>(stride);
            to += bytes;
        }
    }
};

struct Scatter {
    std::uintptr_t base;
    const std::byte* from;

    void runs(std::int64_t offset, std::int64_t count, std::int64_t stride, std::int64_t bytes) {
        std::uintptr_t to = base + static_cast<std::uintptr_t>(offset);
        if (bytes == 8) return scatter<8>(to, count, stride, from);
        if (bytes == 4) return scatter<4>(to, count, stride, from);
        if (bytes == 16) return scatter<16>(to, count, stride, from);
        for (std::int64_t i = 0; i < count; ++i) {
            std::memcpy(reinterpret_cast<void*>(to), from, static_cast<std::size_t>(bytes));
            to += static_cast<std::uintptr_t>(stride);
            from += bytes;
        }
    }
};

DatatypeRef make_basic(BasicType type) {
    const BasicTypeInfo& row = info(type);
    const TypeBounds whole{0, row.extent, 0, row.extent, row.alignment};
    if (row.kind != BasicKind::kPair) {
        return std::make_shared<const Datatype>(whole, Layout::run(0, row.size), Signature::basic(type), type,
                                                TypeContents{});
    }
    const BasicTypeInfo& value = info(row.parts[0]);
    const BasicTypeInfo& index = info(row.parts[1]);
    const std::int64_t index_at = std::max(value.size, index.alignment);
    TypeBounds bounds = whole;
    bounds.true_upper = index_at + index.size;
    const std::array<Layout::Run, 2> runs = {{{0, value.size}, {index_at, index.size}}};
    return std::make_shared<const Datatype>(bounds, Layout::runs(runs), Signature::basic(type), type, TypeContents{});
}

std::vector<DatatypeRef> make_basics() {
    std::vector<DatatypeRef> all;
    for (int i = 0; i < kBasicTypes; ++i) all.push_back(make_basic(static_cast<BasicType>(i)));
    return all;
}

}  // namespace

const DatatypeRef& Datatype::basic(BasicType type) {
    // Never destroyed, because it is created on the first rank's request and must outlive that rank.
    static const auto* const kAll = new std::vector<DatatypeRef>(make_basics());
    return (*kAll)[static_cast<std::size_t>(type)];
}

Datatype::Datatype(TypeBounds bounds, LayoutRef layout, SignatureRef signature, std::optional<BasicType> only,
                   TypeContents contents)
    : ItemType(bounds, layout->bytes(), only ? info(*only).size : 1, layout->is_run()),
      layout_(std::move(layout)),
      signature_(std::move(signature)),
      only_(only),
      contents_(std::move(contents)) {}

std::optional<BasicType> Datatype::named() const {
    return contents_.combiner == Combiner::kNamed ? only_ : std::nullopt;
}

std::int64_t Datatype::elements() const { return signature_->elements(); }

std::optional<std::int64_t> Datatype::whole_count(std::int64_t bytes) const {
    if (size() == 0) return bytes == 0 ? std::optional<std::int64_t>(0) : std::nullopt;
    return bytes % size() == 0 ? std::optional(bytes / size()) : std::nullopt;
}

std::optional<std::int64_t> Datatype::element_count(std::int64_t bytes) const {
    if (size() == 0) return bytes == 0 ? std::optional<std::int64_t>(0) : std::nullopt;
    const std::optional<std::int64_t> rest = signature_->elements_in(bytes % size());
    if (!rest) return std::nullopt;
    return checked_sum(checked_product(bytes / size(), elements()), *rest);
}

void Datatype::pack(const void* data, std::int64_t count, std::byte* to) const {
    const std::int64_t bytes = packed_bytes(count);
    if (bytes == 0) return;
    if (is_contiguous()) {
        std::memcpy(to, data, static_cast<std::size_t>(bytes));
        return;
    }
    Gather sink{reinterpret_cast<std::uintptr_t>(data), to};
    LayoutWalk::all(*layout_, count, extent(), sink);
}

void Datatype::pack_part(const void* data, std::int64_t count, std::int64_t position, std::int64_t bytes,
                         std::byte* to) const {
    bytes = std::min(bytes, packed_bytes(count) - position);
    if (bytes <= 0) return;
    Gather sink{reinterpret_cast<std::uintptr_t>(data), to};
    LayoutWalk::part(*layout_, count, extent(), position, position + bytes, sink);
}

std::int64_t Datatype::unpack(void* data, std::int64_t count, const std::byte* from, std::int64_t bytes) const {
    const std::int64_t whole = packed_bytes(count);
    bytes = std::min(bytes, whole);
    if (bytes == 0) return 0;
    if (is_contiguous()) {
        std::memcpy(data, from, static_cast<std::size_t>(bytes));
    } else if (bytes < whole) {
        unpack_part(data, count, 0, bytes, from);
    } else {
        Scatter sink{reinterpret_cast<std::uintptr_t>(data), from};
        LayoutWalk::all(*layout_, count, extent(), sink);
    }
    return bytes;
}

void Datatype::unpack_part(void* data, std::int64_t count, std::int64_t position, std::int64_t bytes,
                           const std::byte* from) const {
    bytes = std::min(bytes, packed_bytes(count) - position);
    if (bytes <= 0) return;
    Scatter sink{reinterpret_cast<std::uintptr_t>(data), from};
    LayoutWalk::part(*layout_, count, extent(), position, position + bytes, sink);
}

void copy_typed(const void* from, std::int64_t count, const Datatype& from_type, void* to, std::int64_t to_count,
                const Datatype& to_type) {
    const std::int64_t bytes = std::min(from_type.packed_bytes(count), to_type.packed_bytes(to_count));
    if (bytes == 0) return;
    if (to_type.is_contiguous()) {
        from_type.pack_part(from, count, 0, bytes, static_cast<std::byte*>(to));
        return;
    }
    if (from_type.is_contiguous()) {
        to_type.unpack(to, to_count, static_cast<const std::byte*>(from), bytes);
        return;
    }
    std::vector<std::byte> piece(static_cast<std::size_t>(std::min(bytes, kPieceBytes)));
    for (std::int64_t position = 0; position < bytes; position += kPieceBytes) {
        const std::int64_t length = std::min(kPieceBytes, bytes - position);
        from_type.pack_part(from, count, position, length, piece.data());
        to_type.unpack_part(to, to_count, position, length, piece.data());
    }
}

}  // namespace haichi::mpi
