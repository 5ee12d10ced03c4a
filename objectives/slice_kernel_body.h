#pragma once

// Each including file is compiled for one kind of processor. Everything here has internal linkage and calls nothing of
// the standard library. Otherwise the linker could take a shared function from any of these files.

#include <cstddef>
#include <cstdint>

#if defined(__AVX512VPOPCNTDQ__)
#include <immintrin.h>
#endif

#include "objectives/slice_kernel.h"

namespace haichi {
namespace {

/// A block of a row in a vector extension of GCC and Clang: one register with AVX-512, several without.
using Word = std::uint64_t;
using Block [[gnu::vector_size(64), gnu::may_alias]] = Word;
static_assert(sizeof(Block) == sizeof(BitBlock));

[[gnu::always_inline]] inline bool any_bit(const Block& block) {
#if defined(__AVX512VPOPCNTDQ__)
    return _mm512_test_epi64_mask(reinterpret_cast<const __m512i&>(block), reinterpret_cast<const __m512i&>(block)) !=
           0;
#else
    Word any = 0;
    for (std::size_t i = 0; i < BitBlock::kWords; ++i) any |= block[i];
    return any != 0;
#endif
}

/// Adds the number of bits, times 2^shift, to `sums`.
[[gnu::always_inline]] inline void add_bit_counts(Block& sums, const Block& block, int shift) {
#if defined(__AVX512VPOPCNTDQ__)
    const __m512i counts = _mm512_popcnt_epi64(reinterpret_cast<const __m512i&>(block));
    sums += reinterpret_cast<const Block&>(counts) << static_cast<Word>(shift);
#else
    for (std::size_t i = 0; i < BitBlock::kWords; ++i) {
        sums[i] += static_cast<Word>(__builtin_popcountll(block[i])) << shift;
    }
#endif
}

[[gnu::always_inline]] inline Block majority(const Block& x, const Block& y, const Block& z) {
    return (x & y) | (z & (x | y));
}

/// A number known at compile time, which keeps arrays indexed by it in registers. Compilers unroll loops too late for
/// that.
template <std::size_t K>
struct Index {
    constexpr operator std::size_t() const { return K; }
};

template <std::size_t First, std::size_t End, class F>
[[gnu::always_inline]] inline void for_each_index(F&& f) {
    if constexpr (First < End) {
        f(Index<First>{});
        for_each_index<First + 1, End>(f);
    }
}

/// Counters of `Planes` bits for every link of a row.
template <std::size_t Blocks, std::size_t Planes>
struct Counters {
    Block planes[Planes][Blocks];

    [[gnu::always_inline]] void complement() {
        for_each_index<0, Planes>([&](auto k) __attribute__((always_inline)) {
            for_each_index<0, Blocks>([&](auto b) __attribute__((always_inline)) { planes[k][b] = ~planes[k][b]; });
        });
    }

    /// Adds a row whose bits each count 2^First.
    template <std::size_t First>
    [[gnu::always_inline]] void add(std::size_t b, Block carry) {
        for_each_index<First, Planes>([&](auto k) __attribute__((always_inline)) {
            const Block next = carry & planes[k][b];
            planes[k][b] ^= carry;
            carry = next;
        });
    }

    /// Adds the routes, modulo 2^Planes. Full adders take four routes at once, or two. This needs a third of the
    /// operations of adding them one by one.
    [[gnu::always_inline]] void add(const BitBlock* const* routes, std::size_t count) {
        std::size_t i = 0;
        for (; i + 4 <= count; i += 4) {
            for_each_index<0, Blocks>([&](auto b) __attribute__((always_inline)) {
                const Block r0 = block(routes[i], b);
                const Block r1 = block(routes[i + 1], b);
                const Block r2 = block(routes[i + 2], b);
                const Block r3 = block(routes[i + 3], b);
                const Block first = majority(planes[0][b], r0, r1);
                const Block half = planes[0][b] ^ r0 ^ r1;
                planes[0][b] = half ^ r2 ^ r3;
                if constexpr (Planes > 1) {
                    const Block second = majority(half, r2, r3);
                    const Block carry = majority(planes[1][b], first, second);
                    planes[1][b] ^= first ^ second;
                    this->template add<2>(b, carry);
                }
            });
        }
        for (; i + 2 <= count; i += 2) {
            for_each_index<0, Blocks>([&](auto b) __attribute__((always_inline)) {
                const Block r0 = block(routes[i], b);
                const Block r1 = block(routes[i + 1], b);
                const Block carry = majority(planes[0][b], r0, r1);
                planes[0][b] ^= r0 ^ r1;
                this->template add<1>(b, carry);
            });
        }
        if (i < count) {
            for_each_index<0, Blocks>([&](auto b) __attribute__((always_inline)) {
                this->template add<0>(b, block(routes[i], b));
            });
        }
    }

    [[gnu::always_inline]] static const Block& block(const BitBlock* row, std::size_t b) {
        return reinterpret_cast<const Block*>(row)[b];
    }
};

// Not inlined, because register allocation for one function with all instances takes minutes. It takes seconds for each
// instance.
template <std::size_t Blocks, std::size_t Planes>
[[gnu::noinline]] void change_rows(SliceChange& change, const BitBlock* const* removed, const BitBlock* const* added) {
    Counters<Blocks, Planes> counters;
    const auto* before = reinterpret_cast<const Block*>(change.planes);
    for_each_index<0, Planes>([&](auto k) __attribute__((always_inline)) {
        for_each_index<0, Blocks>([&](auto b) __attribute__((always_inline)) {
            counters.planes[k][b] = before[k * Blocks + b];
        });
    });
    counters.complement();  // x - y = ~(~x + y)
    counters.add(removed, change.row_count);
    counters.complement();
    counters.add(added, change.row_count);

    // Finds the largest count bit by bit, from the highest plane down. A bit of the largest count is set if it is set
    // in the count of any link whose higher bits equal those found so far. The excess is the sum of the counts less the
    // number of links in use.
    std::int64_t largest = 0;
    Block alike[Blocks];
    Block used[Blocks];
    for_each_index<0, Blocks>([&](auto b) __attribute__((always_inline)) {
        alike[b] = ~Block{};
        used[b] = Block{};
    });
    Block sums{};
    auto* after = reinterpret_cast<Block*>(change.changed);
    for_each_index<0, Planes>([&](auto from_top) __attribute__((always_inline)) {
        constexpr std::size_t k = Planes - 1 - decltype(from_top)();
        Block with_bit[Blocks];
        Block any{};
        for_each_index<0, Blocks>([&](auto b) __attribute__((always_inline)) {
            const Block plane = counters.planes[k][b];
            after[k * Blocks + b] = plane;
            with_bit[b] = alike[b] & plane;
            any |= with_bit[b];
            used[b] |= plane;
            add_bit_counts(sums, plane, static_cast<int>(k));
        });
        // No branch: the counts after a move are unpredictable.
        const Word has_bit = any_bit(any) ? 1 : 0;
        largest |= static_cast<std::int64_t>(has_bit << k);
        const Block keep = Block{} - has_bit;
        for_each_index<0, Blocks>([&](auto b) __attribute__((always_inline)) {
            alike[b] = (with_bit[b] & keep) | (alike[b] & ~keep);
        });
    });
    Block in_use{};
    for_each_index<0, Blocks>([&](auto b) __attribute__((always_inline)) { add_bit_counts(in_use, used[b], 0); });
    sums -= in_use;
    Word excess = 0;
    for (std::size_t i = 0; i < BitBlock::kWords; ++i) excess += sums[i];
    change.largest = largest;
    change.excess = static_cast<std::int64_t>(excess);
}

template <std::size_t Blocks>
[[gnu::always_inline]] inline void change_sets(const SliceWork& work) {
    const BitBlock* const* removed = work.removed;
    const BitBlock* const* added = work.added;
    for (std::size_t i = 0; i < work.change_count; ++i) {
        SliceChange& change = work.changes[i];
        switch (change.plane_count) {
            case 3:
                change_rows<Blocks, 3>(change, removed, added);
                break;
            case 5:
                change_rows<Blocks, 5>(change, removed, added);
                break;
            case 8:
                change_rows<Blocks, 8>(change, removed, added);
                break;
            default:
                change_rows<Blocks, SliceChange::kMostPlanes>(change, removed, added);
        }
        removed += change.row_count;
        added += change.row_count;
    }
}

[[gnu::always_inline]] inline void change_slices_here(const SliceWork& work) {
    switch (work.blocks) {
        case 1:
            return change_sets<1>(work);
        case 2:
            return change_sets<2>(work);
        case 3:
            return change_sets<3>(work);
        default:
            return change_sets<4>(work);
    }
}

}  // namespace
}  // namespace haichi
