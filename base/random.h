#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>

namespace haichi {

/// One step of SplitMix64 (Steele, Lea, Flood 2014): spreads a seed over 64 bits.
constexpr std::uint64_t split_mix_64(std::uint64_t& state) {
    state += 0x9e3779b97f4a7c15ULL;
    std::uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

/// The generator xoshiro256++ (Blackman, Vigna 2021). It is a value: a copy continues with the same numbers. It has its
/// own distributions, because those of <random> differ between libraries, and results must be byte-identical
/// everywhere.
class Random {
  public:
    /// Uses stream `stream` of `seed`. The streams of a seed are independent; restarts and patterns use different ones.
    constexpr explicit Random(std::uint64_t seed, std::uint64_t stream = 0) {
        std::uint64_t mixed = seed;
        std::uint64_t base = split_mix_64(mixed) ^ (stream * 0xd1342543de82ef95ULL);
        for (std::uint64_t& word : state_) word = split_mix_64(base);
    }

    constexpr std::uint64_t next() {
        const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
        const std::uint64_t t = state_[1] << 17;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= t;
        state_[3] = std::rotl(state_[3], 45);
        return result;
    }

    /// A uniform number in [0, bound) for bound >= 1, computed by multiplication. The bias is below bound / 2^32, which
    /// is negligible for the bounds used here (ranks, rank slots). In return, the annealing loop has no rejection
    /// branch.
    constexpr std::uint32_t below(std::uint32_t bound) {
        return static_cast<std::uint32_t>(((next() >> 32) * bound) >> 32);
    }

    /// A uniform number in [0, 1), a multiple of 2^-53.
    constexpr double unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

    /// Shuffles the items (Fisher-Yates).
    template <class T>
    constexpr void shuffle(std::span<T> items) {
        for (std::size_t i = items.size(); i > 1; --i) {
            std::swap(items[i - 1], items[below(static_cast<std::uint32_t>(i))]);
        }
    }

    friend constexpr bool operator==(const Random&, const Random&) = default;

  private:
    std::array<std::uint64_t, 4> state_{};
};

}  // namespace haichi
