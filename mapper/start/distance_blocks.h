#pragma once

#include <cstdint>
#include <vector>

#include "objectives/problem.h"

namespace haichi {

/// Nested classes of nodes, lowest level first, such as the nodes below each switch. A level has a threshold, and two
/// nodes are in the same class exactly if their distance is at most the threshold. Thresholds without such classes, or
/// with a single class, have no level. A value type.
struct DistanceBlocks {
    std::vector<std::vector<std::int32_t>> levels;  ///< per level, the class of each node
};

/// The classes on a network without coordinates and without known blocks, such as a graph. Empty for other networks,
/// for asymmetric distances, and for more than 8,192 nodes, whose distances are not in a table. O(nodes^2) per
/// threshold with classes, less for others.
DistanceBlocks find_distance_blocks(const Problem& problem);

}  // namespace haichi
