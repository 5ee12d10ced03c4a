#pragma once

#include "base/table.h"
#include "netmodel/routing/topology_row.h"

namespace haichi {

/// All kinds of topologies. A program with further kinds defines this function itself, as builtin_topologies() with its
/// own entries appended. The linker then takes that definition.
const Table<TopologyRow>& topologies();

std::vector<TopologyRow> builtin_topologies();
Table<TopologyRow> topology_table(std::vector<TopologyRow> rows);

}  // namespace haichi
