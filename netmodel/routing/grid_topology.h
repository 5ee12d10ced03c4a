#pragma once

#include <memory>
#include <string>
#include <vector>

#include "netmodel/routing/topology_row.h"
#include "netmodel/topology/grid.h"

namespace haichi {

/// A mesh or torus. Every vertex is a terminal and a router.
std::shared_ptr<const Topology> grid_topology(Grid grid);

TopologyRow torus_row();
TopologyRow mesh_row();

}  // namespace haichi
