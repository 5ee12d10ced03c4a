#pragma once

#include "mapper/partition/blocks.h"

namespace haichi {

/// Grows blocks from vertices that are far apart. The least filled block takes the next vertex: the one with the
/// heaviest edges to this block. For small graphs: O(blocks * (vertices + edges)) time and O(blocks * vertices) memory.
BlockOfVertex grown_blocks(const PartitionGraph& graph, const Blocks& blocks, Random& random);

}  // namespace haichi
