#pragma once

#include <memory>
#include <vector>

#include "netmodel/routing/shortest_paths.h"
#include "netmodel/routing/topology_row.h"
#include "netmodel/topology/graph.h"

namespace haichi {

/// A topology from a graph. Links of equal bandwidth and latency form a class. `table_budget_bytes` limits the table of
/// ShortestPaths.
std::shared_ptr<const Topology> graph_topology(Graph graph,
                                               std::size_t table_budget_bytes = PathOptions{}.table_budget_bytes);

/// Parses the network of a file whose text has been read. Recognises the format. Throws InputError. Appends to the
/// notes of `file`.
std::shared_ptr<const Topology> network_topology(NamedFile& file);

TopologyRow graph_row();

/// The presets FORMAT:FILE, one for each format of network files.
const std::vector<TopologyPreset>& network_file_presets();

}  // namespace haichi
