#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace haichi {

/// Nested classes of nodes by their distances. Two nodes are in the same class of a level if their distance is at most
/// the threshold of the level. A value type.
struct BlockTree {
    std::vector<std::vector<std::int32_t>> levels;  ///< lowest first, each with the class of every node
    bool is_complete = false;                       ///< the lowest common class determines the distance

    /// The nodes in at most `most` parts, each with whole classes of the highest level that distinguishes them. Nodes
    /// of one class stay in order.
    [[nodiscard]] std::vector<std::vector<std::int32_t>> split(std::span<const std::int32_t> nodes,
                                                               std::size_t most) const;
};

/// The classes for all thresholds that have them. `distances` has the distance of nodes a and b at a * count + b.
BlockTree block_tree(std::span<const std::int32_t> distances, std::size_t count);

}  // namespace haichi
