#pragma once

#include "collectives/algorithms.h"

namespace haichi::collectives {

const Table<AlgorithmRow>& broadcast_algorithms();

// Algorithms in the table.
Steps broadcast_linear(Exchange& exchange, CollectiveArguments arguments, Tuning tuning);
Steps broadcast_chain(Exchange& exchange, CollectiveArguments arguments, Tuning tuning);
Steps broadcast_split_binary(Exchange& exchange, CollectiveArguments arguments, Tuning tuning);
Steps broadcast_scatter_doubling(Exchange& exchange, CollectiveArguments arguments, Tuning tuning);
Steps broadcast_scatter_ring(Exchange& exchange, CollectiveArguments arguments, Tuning tuning);
/// Like the functions above, with pieces of whole items. They are linear if there are fewer items than members.
Steps broadcast_scatter_doubling_of_items(Exchange& exchange, CollectiveArguments arguments, Tuning tuning);
Steps broadcast_scatter_ring_of_items(Exchange& exchange, CollectiveArguments arguments, Tuning tuning);

}  // namespace haichi::collectives
