#pragma once

#include "base/table.h"
#include "netmodel/routing/topology_row.h"

namespace haichi {

/// All kinds of topologies. A program that knows more of them has a definition of its own, which the linker then takes
/// instead: builtin_topologies() and its rows.
const Table<TopologyRow>& topologies();

std::vector<TopologyRow> builtin_topologies();
Table<TopologyRow> topology_table(std::vector<TopologyRow> rows);

}  // namespace haichi
