#pragma once

#include <string_view>

#include "netmodel/networkfiles/network_file.h"

namespace haichi {

/// Recognises hwloc's XML, the output of `lstopo --of xml`.
bool is_hwloc(std::string_view text);

/// Reads one node as a tree. Its nodes are the cores (the processing units without cores), and its switches are the
/// objects with several nodes below: packages, dies, NUMA groups, caches. One cable leads from each object to the next
/// one above, so that distances follow the levels.
Graph read_hwloc(const NetworkText& from);

/// Reads the GPUs of the node instead of the cores, with PCI bridges as switches. The attribute pci_link_speed states
/// the bandwidth of a PCI link.
Graph read_hwloc_gpus(const NetworkText& from);

}  // namespace haichi
