#pragma once

#include <string_view>

#include "netmodel/networkfiles/network_file.h"

namespace haichi {

/// Recognises a cluster model of NVIDIA's topograph and toposim: YAML with `switches` and `blocks`.
bool is_topograph(std::string_view text);

/// Reads the cluster model as a tree: `switches` name the switches below them, `blocks` the nodes at a switch. NVLink
/// domains (annotations) are ignored.
Graph read_topograph(const NetworkText& from);

}  // namespace haichi
