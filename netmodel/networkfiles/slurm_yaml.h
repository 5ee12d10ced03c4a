#pragma once

#include <string_view>

#include "netmodel/networkfiles/network_file.h"

namespace haichi {

/// Recognises Slurm's topology.yaml (Slurm 25.05 and later).
bool is_slurm_yaml(std::string_view text);

/// Reads one topology of the file: the one with `cluster_default: true`, otherwise the first. A note names the others.
/// A ring has a cable between neighbours. A torus3d has cables along X, Y and Z. Neither has switches. A switch joins
/// separate rings or toruses at their first nodes, with a note. Throws InputError for a flat topology, which has no
/// nodes.
Graph read_slurm_yaml(const NetworkText& from);

}  // namespace haichi
