#include "mapper/partition/balanced_blocks.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>
#include <vector>

namespace haichi {

namespace {

/// Cuts the sequence of vertices into blocks of equal weight. A vertex belongs to the block that contains the middle of
/// its weight.
std::optional<BlockOfVertex> consecutive_blocks(std::span<const std::int64_t> vertex_weight, std::int32_t block_count,
                                                std::int64_t capacity) {
    const std::int64_t total = std::reduce(vertex_weight.begin(), vertex_weight.end(), std::int64_t{0});
    BlockOfVertex block(vertex_weight.size(), 0);
    std::vector<std::int64_t> weight(static_cast<std::size_t>(block_count), 0);
    std::int64_t before = 0;
    for (std::size_t v = 0; v < block.size(); ++v) {
        const auto middle = static_cast<__int128>(2 * before + vertex_weight[v]);
        const auto at = static_cast<std::int32_t>(middle * block_count / (2 * static_cast<__int128>(total)));
        block[v] = std::min(at, block_count - 1);
        before += vertex_weight[v];
        std::int64_t& sum = weight[static_cast<std::size_t>(block[v])];
        sum += vertex_weight[v];
        if (sum > capacity) return {};
    }
    return block;
}

}  // namespace

std::optional<BlockOfVertex> balanced_blocks(std::span<const std::int64_t> vertex_weight, std::int32_t block_count,
                                             std::int64_t capacity) {
    if (auto block = consecutive_blocks(vertex_weight, block_count, capacity)) return block;
    std::vector<std::size_t> order(vertex_weight.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t v) { return vertex_weight[v]; });
    using Filled = std::pair<std::int64_t, std::int32_t>;  // weight and block
    std::priority_queue<Filled, std::vector<Filled>, std::greater<>> lightest;
    for (std::int32_t b = 0; b < block_count; ++b) lightest.emplace(0, b);
    BlockOfVertex block(vertex_weight.size());
    for (const std::size_t v : order) {
        const auto [weight, b] = lightest.top();
        if (weight + vertex_weight[v] > capacity) return {};
        lightest.pop();
        lightest.emplace(weight + vertex_weight[v], b);
        block[v] = b;
    }
    return block;
}

}  // namespace haichi
