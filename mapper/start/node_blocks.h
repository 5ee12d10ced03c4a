#pragma once

#include <optional>
#include <vector>

#include "netmodel/routing/network.h"

namespace haichi {

/// The nodes of a job in boxes of equal size, as nodes of a coarser network. A value.
struct NodeBlocks {
    std::vector<std::vector<NodeId>> nodes;  ///< of each block
    Network network;                         ///< whose node b is block b, and hops are all the same multiple of a hop

    [[nodiscard]] std::int32_t nodes_per_block() const { return static_cast<std::int32_t>(nodes.front().size()); }
};

/// On a grid that the job fills: axes of up to three positions lie inside of a block (on Tofu A, B and C, so a block is
/// a unit); where that is too few nodes the other axes are cut in pairs, or threes, all of them alike. Nothing for
/// other jobs and machines, and where axes do not divide so.
std::optional<NodeBlocks> node_blocks(const Network& network);

}  // namespace haichi
