#include "collectives/allreduce.h"

#include "collectives/broadcast.h"
#include "collectives/halving.h"
#include "collectives/reduce.h"

namespace haichi::collectives {

namespace {

CollectiveArguments reduce_to_first(const Exchange& exchange, const CollectiveArguments& arguments) {
    CollectiveArguments reduce = arguments;
    reduce.collective = CollectiveKind::kReduce;
    reduce.root = 0;
    if (arguments.in_place && exchange.rank() != 0) {
        reduce.in_place = false;
        reduce.send = arguments.receive;
    }
    return reduce;
}

CollectiveArguments broadcast_from_first(const CollectiveArguments& arguments) {
    CollectiveArguments broadcast;
    broadcast.collective = CollectiveKind::kBroadcast;
    broadcast.receive = arguments.receive;
    broadcast.selection = arguments.selection;
    return broadcast;
}

Steps allreduce_linear(Exchange& exchange, CollectiveArguments arguments, Tuning tuning) {
    co_await reduce_linear(exchange, reduce_to_first(exchange, arguments), tuning);
    co_await broadcast_linear(exchange, broadcast_from_first(arguments), tuning);
}

Steps reduced_and_broadcast(Exchange& exchange, CollectiveArguments arguments, Tuning /*tuning*/) {
    co_await collective_steps(exchange, reduce_to_first(exchange, arguments), *arguments.selection);
    co_await collective_steps(exchange, broadcast_from_first(arguments), *arguments.selection);
}

/// Reduce-scatter by recursive halving, then an all-gather by the same steps in reverse.
Steps rabenseifner(Exchange& exchange, CollectiveArguments arguments, FoldedRanks ranks, VectorPieces::Cut cut,
                   bool halves) {
    const int rank = exchange.rank();
    const Buffer result = arguments.receive;
    if (!arguments.in_place) exchange.copy(arguments.send, result);
    const VectorPieces pieces(result.count, ranks.count(), cut);
    if (halves) {
        co_await fold_halves(exchange, ranks, result, arguments.operation);
    } else {
        co_await fold(exchange, ranks, result, arguments.operation);
    }
    if (!ranks.is_out(rank)) {
        co_await scatter_by_halving(exchange, ranks, pieces, result, arguments.operation);
        const int number = ranks.number_of(rank);
        for (int distance = ranks.count() / 2; distance > 0; distance /= 2) {
            const PieceWindow own = window_before(number, 2 * distance, pieces.count());
            const PieceWindow other = window_before(number ^ distance, 2 * distance, pieces.count());
            const int partner = ranks.rank_of(number ^ distance);
            co_await exchange_with(exchange, pieces.part(result, own.begin, own.end), partner,
                                   pieces.part(result, other.begin, other.end), partner);
        }
    }
    if (rank < ranks.paired()) {
        if (ranks.is_out(rank)) {
            exchange.receive(result, rank ^ 1);
        } else {
            exchange.send(result, rank ^ 1);
        }
        co_await exchange.wait();
    }
}

Steps rabenseifner_whole(Exchange& exchange, CollectiveArguments arguments, Tuning /*tuning*/) {
    return rabenseifner(exchange, arguments, FoldedRanks(exchange.size(), FoldedRanks::Kept::kOdd),
                        VectorPieces::Cut::kEvenly, false);
}

Steps rabenseifner_of_halves(Exchange& exchange, CollectiveArguments arguments, Tuning tuning) {
    if (arguments.receive.count < largest_power_of_two(exchange.size()))
        return allreduce_linear(exchange, arguments, tuning);
    return rabenseifner(exchange, arguments, FoldedRanks(exchange.size(), FoldedRanks::Kept::kEven),
                        VectorPieces::Cut::kInTheMiddle, true);
}

}  // namespace

Steps allreduce_recursive_doubling(Exchange& exchange, CollectiveArguments arguments, Tuning /*tuning*/) {
    const int rank = exchange.rank();
    const Reduction& operation = *arguments.operation;
    if (!arguments.in_place) exchange.copy(arguments.send, arguments.receive);
    Buffer result = arguments.receive;
    const FoldedRanks ranks(exchange.size(), FoldedRanks::Kept::kOdd);
    co_await fold(exchange, ranks, result, arguments.operation);
    if (!ranks.is_out(rank)) {
        Buffer room = room_like(exchange, result);
        const int number = ranks.number_of(rank);
        for (int distance = 1; distance < ranks.count(); distance *= 2) {
            const int partner = ranks.rank_of(number ^ distance);
            co_await exchange_with(exchange, result, partner, room, partner);
            if (partner < rank || operation.commutes()) {
                exchange.combine(operation, room.data, result);
            } else {
                exchange.combine(operation, result.data, room);
                std::swap(result, room);
            }
        }
        if (result.data != arguments.receive.data) exchange.copy(result, arguments.receive);
    }
    if (rank < ranks.paired()) {
        if (ranks.is_out(rank)) {
            exchange.receive(arguments.receive, rank ^ 1);
        } else {
            exchange.send(arguments.receive, rank ^ 1);
        }
        co_await exchange.wait();
    }
}

const Table<AlgorithmRow>& allreduce_algorithms() {
    static const Table<AlgorithmRow> kRows(
        {"allreduce algorithm", "algorithms"},
        {
            {"linear", "All ranks send to rank 0, which sends to all.", allreduce_linear, 1},
            {"reduce-broadcast", "A reduce to rank 0, then a broadcast.", reduced_and_broadcast, 2},
            {"recursive-doubling", "Step k exchanges the vector with rank XOR 2^k.", allreduce_recursive_doubling, 3},
            {"ring", "Reduce-scatter, then all-gather, in a ring.", allreduce_ring, 4, true},
            {"segmented-ring", "Reduce-scatter, then all-gather, in a ring, segment by segment.",
             allreduce_segmented_ring, 5, true},
            {"rabenseifner-halves",
             "Recursive halving, then doubling; each rank beyond a power of two shares the work of a partner.",
             rabenseifner_of_halves, 6, true},
            {"rabenseifner", "Reduce-scatter by recursive halving, then all-gather by doubling.", rabenseifner_whole, 0,
             true},
        });
    return kRows;
}

}  // namespace haichi::collectives
