#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "netmodel/routing/topology_row.h"
#include "netmodel/topology/fat_tree.h"

namespace haichi {

/// A tree or fat tree. The links of each level are a class, host links first; `bandwidths` apply to the first classes.
std::shared_ptr<const Topology> fat_tree_topology(FatTree tree, std::span<const std::int64_t> bandwidths = {});

TopologyRow fat_tree_row();
TopologyRow tree_row();

}  // namespace haichi
