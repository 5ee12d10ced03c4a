#pragma once

#include <cstddef>
#include <cstdint>

namespace haichi {

/// 512 bits, the unit of bit rows. This is a register of the widest vector instructions, and a cache line.
struct alignas(64) BitBlock {
    static constexpr std::size_t kWords = 8;
    static constexpr std::size_t kBits = kWords * 64;

    std::uint64_t words[kWords] = {};

    [[nodiscard]] bool test(std::size_t bit) const { return ((words[bit / 64] >> (bit % 64)) & 1) != 0; }
    void set(std::size_t bit) { words[bit / 64] |= std::uint64_t{1} << (bit % 64); }
};

}  // namespace haichi
