#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "mapper/partition/partition_graph.h"

namespace haichi {

/// Blocks whose vertices weigh at most `capacity`, or nothing if none were found. Blocks of consecutive vertices with
/// about equal weight are preferred, if they meet the capacity. Otherwise the heaviest vertex is assigned first, always
/// to the lightest block (Graham 1969).
std::optional<BlockOfVertex> balanced_blocks(std::span<const std::int64_t> vertex_weight, std::int32_t block_count,
                                             std::int64_t capacity);

}  // namespace haichi
