#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "netmodel/routing/topology_row.h"
#include "netmodel/topology/dragonfly.h"

namespace haichi {

/// A dragonfly. Link classes are host, local and global links; `bandwidths[i]` is the bandwidth of class i. Later
/// classes have the machine's.
std::shared_ptr<const Topology> dragonfly_topology(Dragonfly dragonfly, std::span<const std::int64_t> bandwidths = {});

TopologyRow dragonfly_row();

}  // namespace haichi
