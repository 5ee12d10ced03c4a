#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "mgen/mpi/buffer.h"
#include "mgen/mpi/operation.h"
#include "mgen/mpi/type_constructors.h"

namespace haichi::mpi {

/// The value of an item, a 2x2 matrix; a small type holds only its first row.
using ItemValue = std::array<std::uint32_t, 4>;

/// A type with its operation; `combined` computes the same operation in the test.
struct ItemKind {
    DatatypeRef type;
    Operation operation;
    ItemValue (*combined)(const ItemValue& in, const ItemValue& inout);

    [[nodiscard]] ItemValue value(int rank, std::int64_t index) const {
        const auto mixed = static_cast<std::uint32_t>(rank * 7919 + index * 104729 + 1);
        ItemValue value = {mixed, mixed * 2654435761U, mixed ^ 0x5bd1e995U, mixed + 17};
        if (type->size() == 8) value[2] = value[3] = 0;
        return value;
    }
};

inline ItemValue read_item(const Datatype& type, const void* at) {
    ItemValue value{};
    type.pack(at, 1, reinterpret_cast<std::byte*>(value.data()));
    return value;
}
inline void write_item(const Datatype& type, void* at, const ItemValue& value) {
    type.unpack(at, 1, reinterpret_cast<const std::byte*>(value.data()), type.size());
}

inline ItemValue sum_of(const ItemValue& in, const ItemValue& inout) {
    return {in[0] + inout[0], in[1] + inout[1], in[2] + inout[2], in[3] + inout[3]};
}
/// The product of 2x2 matrices: associative, but not commutative.
inline ItemValue product_of(const ItemValue& a, const ItemValue& b) {
    return {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2], a[2] * b[1] + a[3] * b[3]};
}

inline Operation item_operation(ItemValue (*combined)(const ItemValue&, const ItemValue&), bool commutes) {
    return {[combined](const void* in, void* inout, std::int64_t count, const Datatype& type) {
                for (std::int64_t i = 0; i < count; ++i) {
                    const std::int64_t at = i * type.extent();
                    void* const target = static_cast<std::byte*>(inout) + at;
                    write_item(
                        type, target,
                        combined(read_item(type, static_cast<const std::byte*>(in) + at), read_item(type, target)));
                }
            },
            commutes};
}

/// Two words, combined by a sum.
inline ItemKind plain_items() {
    return {make_contiguous(2, Datatype::basic(BasicType::kUint32)), item_operation(sum_of, true), sum_of};
}
/// Four words with gaps, a lower bound below the data and an extent beyond it.
inline DatatypeRef gapped_type() {
    const std::array<std::int64_t, 2> lengths = {2, 2};
    const std::array<std::int64_t, 2> displacements = {1, 4};
    return make_resized(make_indexed({lengths, displacements}, Datatype::basic(BasicType::kUint32)), -8, 40);
}
inline ItemKind gapped_sums() { return {gapped_type(), item_operation(sum_of, true), sum_of}; }
inline ItemKind gapped_products() { return {gapped_type(), item_operation(product_of, false), product_of}; }

/// Memory for items that detects writes between and around them.
class ItemMemory {
  public:
    ItemMemory(const ItemKind& kind, std::int64_t count) : kind_(&kind), count_(count) {
        const std::int64_t bytes = count * kind.type->extent() + 2 * kMargin;
        memory_.assign(static_cast<std::size_t>(bytes), kUntouched);
    }

    [[nodiscard]] void* data() { return memory_.data() + kMargin; }
    [[nodiscard]] Buffer buffer(std::int64_t count) { return {data(), count, kind_->type.get()}; }
    void set(std::int64_t index, const ItemValue& value) { write_item(*kind_->type, at(index), value); }
    [[nodiscard]] ItemValue get(std::int64_t index) { return read_item(*kind_->type, at(index)); }
    /// Sets items [first, first + count) to the values of `rank` from `index` on.
    void fill(std::int64_t first, std::int64_t count, int rank, std::int64_t index) {
        for (std::int64_t i = 0; i < count; ++i) set(first + i, kind_->value(rank, index + i));
    }
    void expect(std::int64_t first, std::int64_t count, int rank, std::int64_t index) {
        for (std::int64_t i = 0; i < count; ++i) {
            ASSERT_EQ(get(first + i), kind_->value(rank, index + i)) << "item " << i << " of rank " << rank;
        }
    }
    /// Only the items may have been written.
    void expect_gaps_untouched() {
        const ItemValue untouched = {0xabababab, 0xabababab, 0xabababab, 0xabababab};
        for (std::int64_t i = 0; i < count_; ++i) set(i, untouched);
        for (const std::byte byte : memory_) ASSERT_EQ(byte, kUntouched);
    }

  private:
    static constexpr std::int64_t kMargin = 64;
    static constexpr std::byte kUntouched{0xab};

    void* at(std::int64_t index) { return static_cast<std::byte*>(data()) + index * kind_->type->extent(); }

    const ItemKind* kind_;
    std::int64_t count_;
    std::vector<std::byte> memory_;
};

}  // namespace haichi::mpi
