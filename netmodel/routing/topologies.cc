// A separate file, so that a program can replace it.

#include "netmodel/routing/topologies.h"

namespace haichi {

const Table<TopologyRow>& topologies() {
    static const Table<TopologyRow> kTable = topology_table(builtin_topologies());
    return kTable;
}

}  // namespace haichi
