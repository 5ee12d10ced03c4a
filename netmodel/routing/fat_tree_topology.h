#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "netmodel/routing/topology_row.h"
#include "netmodel/topology/fat_tree.h"

namespace haichi {

/// A tree or fat tree. The links of each level are a class, host links first; `bandwidths` apply to the first classes.
std::shared_ptr<const Topology> fat_tree_topology(FatTree tree, std::span<const std::int64_t> bandwidths = {});

/// The k-ary n-tree with full bisection, from "3x4": 3 levels of switches of arity 4. Throws OptionError.
FatTree k_ary_n_tree(std::string_view text, std::string_view machine);

TopologyRow fat_tree_row();
TopologyRow tree_row();

}  // namespace haichi
