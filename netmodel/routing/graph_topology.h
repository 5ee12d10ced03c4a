#pragma once

#include <memory>

#include "netmodel/routing/shortest_paths.h"
#include "netmodel/routing/topology_row.h"
#include "netmodel/topology/graph.h"

namespace haichi {

/// Any network, link by link. Links of equal bandwidth and latency form a class. `table_budget_bytes` limits the table
/// of ShortestPaths.
std::shared_ptr<const Topology> graph_topology(Graph graph,
                                               std::size_t table_budget_bytes = PathOptions{}.table_budget_bytes);

TopologyRow graph_row();

}  // namespace haichi
