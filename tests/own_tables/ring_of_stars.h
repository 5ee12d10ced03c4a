#pragma once

#include "netmodel/routing/topology_row.h"

namespace haichi {

/// A topology that exists only in tests: switches in a ring, the same number of hosts on each. What a new topology has
/// to bring: this file and its source, and a row (more_topologies.cc).
TopologyRow ring_of_stars_row();

}  // namespace haichi
