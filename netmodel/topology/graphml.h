#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "netmodel/topology/graph.h"

namespace haichi {

/// A network as GraphML, one <graph> of nodes and edges, of the namespace of the root element. Edge attributes:
/// `bandwidth`, "5GB/s" or a plain number of bytes per second, and `latency`, "100ns" or a plain number of seconds;
/// node attribute `terminal`, true, false, 1 or 0. Nodes that do not say are switches, and terminals when no node of
/// the file says. An undirected edge is a link each way. Other attributes are passed over. Terminals are numbered in
/// the order of the file, then the switches.
///
/// `default_bandwidth_bytes_per_s` is that of edges that have none; without it they must have one. Throws InputError
/// with file and line, also for everything that Graph refuses, nested graphs, hyperedges, and more than 64 different
/// bandwidths.
Graph parse_graphml(std::string_view text, const std::string& file,
                    std::optional<std::int64_t> default_bandwidth_bytes_per_s);

/// The text of such a file, of at most 64 MiB.
std::string read_graphml(const std::string& path);

}  // namespace haichi
