#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "netmodel/topology/graph.h"

namespace haichi {

/// Reads a network as GraphML: one <graph> of nodes and edges, in the namespace of the root element. Edge attributes
/// are `bandwidth`, "5GB/s" or a plain number of bytes per second, and `latency`, "100ns" or a plain number of seconds.
/// The node attribute `terminal` is true, false, 1 or 0. Nodes without it are switches; if no node has it, all are
/// terminals. An undirected edge is a link in each direction. Other attributes are ignored. Vertex ids follow the order
/// of the file: first all terminals, then all switches.
///
/// Edges without a bandwidth have `default_bandwidth_bytes_per_s`; without a default, every edge must have one. Throws
/// InputError with file and line for nested graphs, hyperedges, more than 64 different bandwidths, and all input that
/// Graph refuses.
Graph parse_graphml(std::string_view text, const std::string& file,
                    std::optional<std::int64_t> default_bandwidth_bytes_per_s);

}  // namespace haichi
