#pragma once

#include "netmodel/routing/topology_row.h"

namespace haichi {

/// Clusters joined by bridges (ClustersTopology), and the preset of two clusters of switches.
TopologyRow clusters_row();

}  // namespace haichi
