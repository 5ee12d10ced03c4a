#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace haichi {

/// Nested classes of nodes by their distances. Two nodes are in the same class of a level if their distance is at most
/// the threshold of the level. A value type.
struct BlockTree {
    std::vector<std::vector<std::int32_t>> levels;  ///< per level, lowest first: the class of every node
    bool is_complete = false;  ///< true if the lowest common class of two nodes determines their distance

    /// Splits the nodes into at most `most` parts. A part consists of whole classes of the highest level on which the
    /// nodes have several classes. Nodes of one class stay in order.
    [[nodiscard]] std::vector<std::vector<std::int32_t>> split(std::span<const std::int32_t> nodes,
                                                               std::size_t most) const;
};

/// Makes a level for every threshold that gives classes. `distances` has the distance of nodes a and b at a * count +
/// b.
BlockTree block_tree(std::span<const std::int32_t> distances, std::size_t count);

}  // namespace haichi
