#pragma once

#include <string_view>

#include "netmodel/networkfiles/network_file.h"

namespace haichi {

/// Recognises Slurm's topology.conf, topology.yaml and the output of `scontrol show topology`.
bool is_slurm_topology(std::string_view text);

/// Reads a topology in one of these formats. A tree becomes a graph with the switches of the file. A block becomes a
/// switch. Each larger size in BlockSizes becomes a switch above consecutive blocks. One cable connects a switch to its
/// parent, and a node to its switch. LinkSpeed, which has no unit in Slurm, is taken relative to the smallest stated
/// LinkSpeed. Trees without a common root get a switch above their roots, and a note.
///
/// Throws InputError for unknown keys, switches that are named but not declared, cycles and duplicates.
Graph read_slurm_topology(const NetworkText& text);

}  // namespace haichi
