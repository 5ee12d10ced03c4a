#include "collectives/algorithms.h"

#include <algorithm>
#include <array>

#include "base/errors.h"
#include "collectives/allgather.h"
#include "collectives/allreduce.h"
#include "collectives/alltoall.h"
#include "collectives/barrier.h"
#include "collectives/broadcast.h"
#include "collectives/gather.h"
#include "collectives/inter.h"
#include "collectives/neighbor.h"
#include "collectives/pieces.h"
#include "collectives/reduce.h"
#include "collectives/reduce_scatter.h"
#include "collectives/scan.h"
#include "collectives/selection.h"

namespace haichi::collectives {

namespace {

struct CollectiveName {
    std::string_view name;
    std::string_view mpi;  ///< MPI's name without "MPI_"
};

constexpr std::array<CollectiveName, kCollectives> kNames = {{
    {"barrier", "barrier"},
    {"broadcast", "bcast"},
    {"gather", "gather"},
    {"gatherv", "gatherv"},
    {"scatter", "scatter"},
    {"scatterv", "scatterv"},
    {"allgather", "allgather"},
    {"allgatherv", "allgatherv"},
    {"alltoall", "alltoall"},
    {"alltoallv", "alltoallv"},
    {"alltoallw", "alltoallw"},
    {"reduce", "reduce"},
    {"allreduce", "allreduce"},
    {"reduce-scatter", "reduce_scatter"},
    {"reduce-scatter-block", "reduce_scatter_block"},
    {"scan", "scan"},
    {"exscan", "exscan"},
    {"neighbor-allgather", "neighbor_allgather"},
    {"neighbor-allgatherv", "neighbor_allgatherv"},
    {"neighbor-alltoall", "neighbor_alltoall"},
    {"neighbor-alltoallv", "neighbor_alltoallv"},
    {"neighbor-alltoallw", "neighbor_alltoallw"},
}};

bool is_neighborhood(CollectiveKind collective) { return collective >= CollectiveKind::kNeighborAllgather; }

/// True if there are no data at all. All members know this without a message.
bool has_nothing_to_do(const CollectiveArguments& arguments, int rank, int members) {
    switch (arguments.collective) {
        case CollectiveKind::kBarrier:
        case CollectiveKind::kGatherv:
        case CollectiveKind::kScatterv:
        case CollectiveKind::kAlltoallv:
        case CollectiveKind::kAlltoallw:
            return false;
        default:
            return !is_neighborhood(arguments.collective) && bytes_of(arguments, rank, members).total == 0;
    }
}

/// The operation on a communicator with one member.
void do_alone(Exchange& exchange, const CollectiveArguments& arguments) {
    if (arguments.in_place) return;
    switch (arguments.collective) {
        case CollectiveKind::kBarrier:
        case CollectiveKind::kBroadcast:
        case CollectiveKind::kExscan:
            return;
        case CollectiveKind::kReduceScatter:
            exchange.copy({arguments.send.data, arguments.receive_counts[0], arguments.receive.type},
                          {arguments.receive.data, arguments.receive_counts[0], arguments.receive.type});
            return;
        case CollectiveKind::kReduceScatterBlock:
            exchange.copy({arguments.send.data, arguments.receive.count, arguments.receive.type}, arguments.receive);
            return;
        case CollectiveKind::kGatherv:
        case CollectiveKind::kAllgatherv:
            exchange.copy(arguments.send, Blocks::received(arguments)[0]);
            return;
        case CollectiveKind::kScatterv:
            exchange.copy(Blocks::sent(arguments)[0], arguments.receive);
            return;
        default:
            exchange.copy(Blocks::sent(arguments)[0], Blocks::received(arguments)[0]);
    }
}

}  // namespace

std::string_view name_of(CollectiveKind collective) { return kNames[static_cast<std::size_t>(collective)].name; }

CollectiveKind collective_named(std::string_view name) {
    std::vector<std::string> names;
    for (const CollectiveName& row : kNames) {
        if (name == row.name || name == row.mpi) return static_cast<CollectiveKind>(&row - kNames.data());
        names.emplace_back(row.name);
    }
    throw OptionError("unknown collective operation " + shown(name), near_or_all(name, names, "operations are "));
}

const Table<AlgorithmRow>& algorithms(CollectiveKind collective) {
    switch (collective) {
        case CollectiveKind::kBarrier:
            return barrier_algorithms();
        case CollectiveKind::kBroadcast:
            return broadcast_algorithms();
        case CollectiveKind::kGather:
            return gather_algorithms();
        case CollectiveKind::kGatherv:
            return gatherv_algorithms();
        case CollectiveKind::kScatter:
            return scatter_algorithms();
        case CollectiveKind::kScatterv:
            return scatterv_algorithms();
        case CollectiveKind::kAllgather:
            return allgather_algorithms();
        case CollectiveKind::kAllgatherv:
            return allgatherv_algorithms();
        case CollectiveKind::kAlltoall:
            return alltoall_algorithms();
        case CollectiveKind::kAlltoallv:
            return alltoallv_algorithms();
        case CollectiveKind::kAlltoallw:
            return alltoallw_algorithms();
        case CollectiveKind::kReduce:
            return reduce_algorithms();
        case CollectiveKind::kAllreduce:
            return allreduce_algorithms();
        case CollectiveKind::kReduceScatter:
            return reduce_scatter_algorithms();
        case CollectiveKind::kReduceScatterBlock:
            return reduce_scatter_block_algorithms();
        case CollectiveKind::kScan:
            return scan_algorithms();
        case CollectiveKind::kExscan:
            return exscan_algorithms();
        default:
            return neighbor_algorithms();
    }
}

Steps collective_steps(Exchange& exchange, const CollectiveArguments& arguments, const CollectiveSelection& selection) {
    CollectiveArguments own = arguments;
    own.selection = &selection;
    if (exchange.is_inter()) return inter_steps(exchange, own);
    const int members = exchange.size();
    if (has_nothing_to_do(own, exchange.rank(), members)) return {};
    if (members == 1 && !is_neighborhood(own.collective)) {
        do_alone(exchange, own);
        return {};
    }
    const CollectiveSelection::Chosen chosen = selection.choose(own, exchange.rank(), members);
    return chosen.row->run(exchange, own, chosen.tuning);
}

}  // namespace haichi::collectives
