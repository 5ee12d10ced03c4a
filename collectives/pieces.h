#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "collectives/algorithms.h"

namespace haichi::collectives {

/// `count` items of a buffer, starting at item `first`.
inline Buffer items(const Buffer& buffer, std::int64_t first, std::int64_t count) {
    return {static_cast<std::byte*>(buffer.data) + first * buffer.type->extent(), count, buffer.type};
}

inline Buffer packed(std::byte* bytes, std::int64_t count) { return {bytes, count, &byte_type()}; }
inline Buffer no_bytes() { return packed(nullptr, 0); }

/// Memory for as many items as `buffer` has, of the same type.
inline Buffer room_like(Exchange& exchange, const Buffer& buffer) {
    const ItemType& type = *buffer.type;
    const std::int64_t stride = std::abs(type.extent());
    const std::int64_t span = buffer.count > 0 ? type.true_extent() + (buffer.count - 1) * stride : 0;
    const std::int64_t before = type.extent() < 0 && buffer.count > 0 ? (buffer.count - 1) * stride : 0;
    return {exchange.scratch(std::max<std::int64_t>(span, 1)) + before - type.true_lower_bound(), buffer.count, &type};
}

/// The blocks of one side of an operation. They are equal, or each has its own count and offset, and possibly its own
/// type.
class Blocks {
  public:
    Blocks(const Buffer& base, const Counts& counts, const Counts& offsets, std::span<const ItemType* const> types)
        : base_(base), counts_(counts), offsets_(offsets), types_(types) {}

    static Blocks sent(const CollectiveArguments& a) { return {a.send, a.send_counts, a.send_offsets, a.send_types}; }
    static Blocks received(const CollectiveArguments& a) {
        return {a.receive, a.receive_counts, a.receive_offsets, a.receive_types};
    }

    Buffer operator[](int i) const {
        auto* const data = static_cast<std::byte*>(base_.data);
        if (!types_.empty()) return {data + offsets_[i], counts_[i], types_[static_cast<std::size_t>(i)]};
        const std::int64_t extent = base_.type->extent();
        if (!counts_.empty()) return {data + offsets_[i] * extent, counts_[i], base_.type};
        return {data + i * base_.count * extent, base_.count, base_.type};
    }
    [[nodiscard]] std::int64_t bytes(int i) const { return (*this)[i].bytes(); }
    /// `count` adjacent blocks of equal size as one buffer.
    [[nodiscard]] Buffer run(int first, int count) const {
        return items(base_, first * base_.count, count * base_.count);
    }

  private:
    Buffer base_;
    Counts counts_;
    Counts offsets_;
    std::span<const ItemType* const> types_;
};

/// The number of items in a segment, as close to segment_bytes as whole items allow. It is at least one. It is `count`
/// if nothing is to be cut.
inline std::int64_t segment_items(std::int64_t segment_bytes, std::int64_t item_bytes, std::int64_t count) {
    if (segment_bytes < item_bytes || segment_bytes >= item_bytes * count || item_bytes == 0)
        return std::max<std::int64_t>(count, 1);
    const std::int64_t whole = segment_bytes / item_bytes;
    return segment_bytes - whole * item_bytes > item_bytes / 2 ? whole + 1 : whole;
}

inline int largest_power_of_two(int most) { return static_cast<int>(std::bit_floor(static_cast<unsigned>(most))); }
inline bool is_power_of_two(int n) { return std::has_single_bit(static_cast<unsigned>(n)); }
inline int round_down(int n, int factor) { return n - n % factor; }

/// Numbers the members, starting at the root.
struct Ring {
    int root = 0;
    int size = 1;

    [[nodiscard]] int number_of(int rank) const { return (rank - root + size) % size; }
    [[nodiscard]] int rank_of(int number) const { return (number + root) % size; }
};

/// A member's input to a reduction.
inline Buffer contribution(const CollectiveArguments& a) {
    Buffer own = a.in_place ? a.receive : a.send;
    return own;
}

/// Begins a receive and a send, and waits for both.
inline Exchange::Wait exchange_with(Exchange& exchange, const Buffer& sent, int to, const Buffer& received, int from) {
    exchange.receive(received, from);
    exchange.send(sent, to);
    return exchange.wait();
}

}  // namespace haichi::collectives
