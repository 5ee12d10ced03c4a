#pragma once

#include <vector>

namespace haichi::collectives {

/// A member's place in a tree of members.
struct TreePlace {
    int parent = -1;            ///< of the root: -1
    std::vector<int> children;  ///< in the order in which they are served
};

/// Parent: the number with its highest bit cleared. The root's children are 1, 2, 4, ...: distances double.
TreePlace doubling_tree(int rank, int size, int root);
/// Parent: the number with its lowest bit cleared, so that a subtree is a run of members. Children by rising distance.
TreePlace binomial_tree(int rank, int size, int root);
/// The same with digits to base `radix`; children by falling distance.
TreePlace knomial_tree(int rank, int size, int root, int radix);
/// Every member has up to `fanout` children, level by level.
TreePlace complete_tree(int rank, int size, int root, int fanout);
/// The root leads `chains` chains of members with consecutive numbers, the first ones one longer.
TreePlace chain_tree(int rank, int size, int root, int chains);
/// A binary tree whose root is the last rank; a subtree is a run of ranks with its root last, and the run of the first
/// child ends right before its parent.
TreePlace in_order_tree(int rank, int size);

}  // namespace haichi::collectives
