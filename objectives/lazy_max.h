#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace haichi {

/// Keeps the largest of many non-negative integers, of which a few change at a time. Values are in blocks of kBlock.
/// When a value falls, max() may have to recompute the maximum of its block. Most proposals touch few blocks, and a
/// scan of one block takes few vector instructions. An update is O(1), and max() is O(touched blocks * kBlock +
/// blocks).
class LazyMax {
  public:
    explicit LazyMax(std::size_t size = 0) { resize(size); }

    void resize(std::size_t size) {
        values_.assign((size + kBlock - 1) / kBlock * kBlock, 0);
        block_max_.assign(values_.size() / kBlock, 0);
        stale_.assign(block_max_.size(), 0);
        stale_blocks_.clear();
    }

    [[nodiscard]] std::int64_t operator[](std::size_t i) const { return values_[i]; }

    void add(std::size_t i, std::int64_t change) {
        const std::size_t block = i / kBlock;
        const std::int64_t before = values_[i];
        const std::int64_t after = values_[i] = before + change;
        if (after > block_max_[block]) {
            block_max_[block] = after;
        } else if (before == block_max_[block] && after < before && stale_[block] == 0) {
            stale_[block] = 1;
            stale_blocks_.push_back(static_cast<std::uint32_t>(block));
        }
    }

    [[nodiscard]] std::int64_t max() {
        for (const std::uint32_t block : stale_blocks_) {
            const auto first = values_.begin() + static_cast<std::ptrdiff_t>(block * kBlock);
            block_max_[block] = *std::max_element(first, first + static_cast<std::ptrdiff_t>(kBlock));
            stale_[block] = 0;
        }
        stale_blocks_.clear();
        std::int64_t largest = 0;
        for (const std::int64_t m : block_max_) largest = std::max(largest, m);
        return largest;
    }

  private:
    static constexpr std::size_t kBlock = 64;

    std::vector<std::int64_t> values_;
    std::vector<std::int64_t> block_max_;  ///< exact unless stale; a stale entry is at least the true maximum
    std::vector<std::uint8_t> stale_;
    std::vector<std::uint32_t> stale_blocks_;
};

}  // namespace haichi
