#pragma once

#include <vector>

#include "netmodel/machine/allocation.h"

namespace haichi {

/// The job's nodes unit by unit. On a machine whose logical axes are pairs (X-A, Y-B, Z-C of Tofu) a unit is the nodes
/// that differ only on the second axes: neighbours, 12 on Tofu. Inside a unit a node is one hop from the next; units
/// come first axis (X) fastest. Throws OptionError for a machine without such pairs.
std::vector<NodeId> nodes_unit_by_unit(const Allocation& allocation);

}  // namespace haichi
