#pragma once

#include <memory>
#include <vector>

#include "netmodel/routing/shortest_paths.h"
#include "netmodel/routing/topology_row.h"
#include "netmodel/topology/graph.h"

namespace haichi {

/// Any network, link by link. Links of equal bandwidth and latency form a class. `table_budget_bytes` limits the table
/// of ShortestPaths.
std::shared_ptr<const Topology> graph_topology(Graph graph,
                                               std::size_t table_budget_bytes = PathOptions{}.table_budget_bytes);

/// The network of a file whose text is read already, in its recognised format. Throws InputError. Adds to the file's
/// notes.
std::shared_ptr<const Topology> network_topology(NamedFile& file);

TopologyRow graph_row();

/// The machines that a network file of one format describes, FORMAT:FILE.
const std::vector<TopologyPreset>& network_file_presets();

}  // namespace haichi
