#pragma once

#include <string_view>

#include "netmodel/networkfiles/network_file.h"

namespace haichi {

/// Recognises Slurm's topology.conf, topology.yaml and the output of `scontrol show topology`.
bool is_slurm_topology(std::string_view text);

/// Reads one of them. A tree becomes a graph with the switches of the file. A block becomes a switch, and each larger
/// size of BlockSizes a switch above consecutive blocks. Every line of the file between a switch and its parent, or a
/// node and its switch, is one cable. LinkSpeed, which has no unit in Slurm, is the ratio to the slowest stated switch.
/// Trees without a common root get a switch above their roots, and a note.
///
/// Throws InputError for unknown keys, switches that are named but not declared, cycles and duplicates.
Graph read_slurm_topology(const NetworkText& text);

}  // namespace haichi
