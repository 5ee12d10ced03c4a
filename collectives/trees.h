#pragma once

#include <vector>

namespace haichi::collectives {

/// A member's position in a tree of members.
struct TreePlace {
    int parent = -1;            ///< -1 for the root
    std::vector<int> children;  ///< in the order in which they are served
};

/// The parent has the number with its highest bit cleared. The root's children are 1, 2, 4, ..., so distances double.
TreePlace doubling_tree(int rank, int size, int root);
/// The parent has the number with its lowest bit cleared, so that a subtree is a run of members. Children are in the
/// order of rising distance.
TreePlace binomial_tree(int rank, int size, int root);
/// Like binomial_tree(), with digits in base `radix`. Children are in the order of falling distance.
TreePlace knomial_tree(int rank, int size, int root, int radix);
/// Every member has up to `fanout` children. Levels are filled one after the other.
TreePlace complete_tree(int rank, int size, int root, int fanout);
/// The root leads `chains` chains of members with consecutive numbers. The first chains may be one member longer.
TreePlace chain_tree(int rank, int size, int root, int chains);
/// A binary tree whose root is the last rank. A subtree is a run of ranks with its root last. The run of the first
/// child ends directly before its parent.
TreePlace in_order_tree(int rank, int size);

}  // namespace haichi::collectives
