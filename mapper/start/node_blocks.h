#pragma once

#include <optional>
#include <vector>

#include "netmodel/routing/network.h"

namespace haichi {

/// The nodes of a job in boxes of equal size, as nodes of a coarser network. A value type.
struct NodeBlocks {
    std::vector<std::vector<NodeId>> nodes;  ///< nodes of each block
    Network network;                         ///< node b is block b; distances are a constant fraction of the hops

    [[nodiscard]] std::int32_t nodes_per_block() const { return static_cast<std::int32_t>(nodes.front().size()); }
};

/// The blocks of a grid that the job fills. Axes of up to three positions are inside a block. On Tofu these are A, B
/// and C, so a block is a unit. If such a block has too few nodes, the other axes are divided into pairs or triples of
/// positions. Returns nothing for other jobs and machines, and if the axes cannot be divided in this way.
std::optional<NodeBlocks> node_blocks(const Network& network);

}  // namespace haichi
