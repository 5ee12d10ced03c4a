#pragma once

#include <string_view>

#include "netmodel/networkfiles/network_file.h"

namespace haichi {

/// Recognises the output of ibnetdiscover (with -g as well).
bool is_ibnetdiscover(std::string_view text);

/// Reads the output of ibnetdiscover. A node is a host: all adapters with the host's name in their descriptions ("n1
/// HCA-1", "n1 mlx5_0"). Nodes are sorted by name. An adapter without a host name becomes a separate node, with a note.
/// SHARP's aggregation nodes and adapters without a cable are not nodes. Bandwidths follow from widths and speeds:
/// 4xEDR is 100 Gbit/s.
Graph read_ibnetdiscover(const NetworkText& from);

/// Recognises opensm-subnet.lst and ibdiagnet.lst, which have a line per cable.
bool is_subnet_list(std::string_view text);
Graph read_subnet_list(const NetworkText& from);

}  // namespace haichi
