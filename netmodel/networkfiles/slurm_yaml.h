#pragma once

#include <string_view>

#include "netmodel/networkfiles/network_file.h"

namespace haichi {

/// Recognises Slurm's topology.yaml (Slurm 25.05 and later).
bool is_slurm_yaml(std::string_view text);

/// Reads one of its topologies: the one with `cluster_default: true`, else the first. A note names the others. A ring
/// has a cable between neighbours, a torus3d a cable in each direction of X, Y and Z. Both have no switches. A switch
/// joins separate rings or toruses at their first nodes, with a note. Throws InputError for a flat topology, which has
/// no nodes.
Graph read_slurm_yaml(const NetworkText& from);

}  // namespace haichi
