#pragma once

#include "netmodel/routing/topology_row.h"

namespace haichi {

/// A topology that exists only in tests: switches in a ring, each with the same number of hosts. A new topology needs
/// only this file, its source and a table entry (more_topologies.cc).
TopologyRow ring_of_stars_row();

}  // namespace haichi
