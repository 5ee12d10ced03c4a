#include "collectives/neighbor.h"

#include "collectives/pieces.h"

namespace haichi::collectives {

namespace {

/// Sends all messages at once, in the order of the neighbours. In a periodic grid, one member may be the neighbour on
/// both sides. Its first block then belongs to the second neighbour of this member.
Steps neighbor_linear(Exchange& exchange, CollectiveArguments arguments, Tuning /*tuning*/) {
    const bool same_block = arguments.collective == CollectiveKind::kNeighborAllgather ||
                            arguments.collective == CollectiveKind::kNeighborAllgatherv;
    const Blocks sent = Blocks::sent(arguments);
    const Blocks received = Blocks::received(arguments);
    const int sources = static_cast<int>(arguments.sources.size());
    for (int i = 0; i < sources; ++i) {
        const int from = arguments.is_grid ? i ^ 1 : i;
        const int source = arguments.sources[static_cast<std::size_t>(from)];
        if (source != kNoNeighbor) exchange.receive(received[from], source);
    }
    for (std::size_t i = 0; i < arguments.destinations.size(); ++i) {
        const int destination = arguments.destinations[i];
        if (destination == kNoNeighbor) continue;
        exchange.send(same_block ? arguments.send : sent[static_cast<int>(i)], destination);
    }
    co_await exchange.wait();
}

}  // namespace

const Table<AlgorithmRow>& neighbor_algorithms() {
    static const Table<AlgorithmRow> kRows({"neighbourhood collective algorithm", "algorithms"},
                                           {
                                               {"linear", "All messages at once.", neighbor_linear, 1},
                                           });
    return kRows;
}

}  // namespace haichi::collectives
