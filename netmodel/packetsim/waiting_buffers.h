#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace haichi {

/// For every output port the set of its router's input buffers whose packet waits for it, by the buffers' number within
/// the router. One word per output; where a router has more than 64 buffers, a row of words for every output.
class WaitingBuffers {
  public:
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};

    /// `most_buffers`: of any router.
    WaitingBuffers(std::size_t outputs, std::size_t most_buffers)
        : words_per_output_((most_buffers + 63) / 64), words_(outputs * words_per_output_, 0) {}

    void add(std::size_t output, std::uint32_t buffer) {
        words_[output * words_per_output_ + buffer / 64] |= std::uint64_t{1} << (buffer % 64);
    }
    void remove(std::size_t output, std::uint32_t buffer) {
        words_[output * words_per_output_ + buffer / 64] &= ~(std::uint64_t{1} << (buffer % 64));
    }
    [[nodiscard]] bool any(std::size_t output) const {
        for (std::size_t w = 0; w < words_per_output_; ++w) {
            if (words_[output * words_per_output_ + w] != 0) return true;
        }
        return false;
    }
    /// The first buffer for which accept() is true, going round from the one after `last`; kNone when none is.
    template <class Accept>
    [[nodiscard]] std::uint32_t first_after(std::size_t output, std::uint32_t last, const Accept& accept) const {
        const std::uint64_t* row = &words_[output * words_per_output_];
        const auto search = [&](std::uint32_t from, std::uint32_t end) {
            for (std::uint32_t w = from / 64; w < words_per_output_ && w * 64 < end; ++w) {
                std::uint64_t word = row[w];
                if (w == from / 64) word &= ~std::uint64_t{0} << (from % 64);
                for (; word != 0; word &= word - 1) {
                    const std::uint32_t buffer = w * 64 + static_cast<std::uint32_t>(std::countr_zero(word));
                    if (buffer >= end) return kNone;
                    if (accept(buffer)) return buffer;
                }
            }
            return kNone;
        };
        const auto size = static_cast<std::uint32_t>(words_per_output_ * 64);
        const std::uint32_t above = last + 1 < size ? search(last + 1, size) : kNone;
        return above != kNone ? above : search(0, last + 1);
    }
    [[nodiscard]] std::size_t memory_bytes() const { return words_.capacity() * sizeof(std::uint64_t); }

  private:
    std::size_t words_per_output_;
    std::vector<std::uint64_t> words_;
};

}  // namespace haichi
