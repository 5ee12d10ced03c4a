#include "collectives/halving.h"
#include "collectives/reduce.h"

namespace haichi::collectives {

namespace {

/// Gathers the reduced pieces up a tree to the root, reversing the steps in which the vector was halved. A root that is
/// out takes the place of the member with number 0.
Steps gather_windows(Exchange& exchange, FoldedRanks ranks, VectorPieces pieces, Buffer result, int root) {
    const int rank = exchange.rank();
    int number = ranks.number_of(rank);
    int root_number = ranks.number_of(root);
    const bool root_was_out = root_number < 0;
    if (root_was_out) {
        root_number = 0;
        const Buffer piece = pieces.part(result, 0, 1);
        if (rank == root) {
            exchange.receive(piece, ranks.rank_of(0));
            co_await exchange.wait();
            number = 0;
        } else if (number == 0) {
            exchange.send(piece, root);
            co_await exchange.wait();
            number = -1;
        }
    }
    if (number < 0) co_return;
    for (int distance = ranks.count() / 2; distance > 0; distance /= 2) {
        const int partner_number = number ^ distance;
        const int partner = root_was_out && partner_number == 0 ? root : ranks.rank_of(partner_number);
        if (round_down(partner_number, distance) == round_down(root_number, distance)) {
            const PieceWindow own = window_before(number, 2 * distance, pieces.count());
            exchange.send(pieces.part(result, own.begin, own.end), partner);
            co_await exchange.wait();
            co_return;
        }
        const PieceWindow other = window_before(partner_number, 2 * distance, pieces.count());
        exchange.receive(pieces.part(result, other.begin, other.end), partner);
        co_await exchange.wait();
    }
}

Steps rabenseifner(Exchange& exchange, CollectiveArguments arguments, VectorPieces::Cut cut, bool halves) {
    const bool is_root = exchange.rank() == arguments.root;
    const Buffer own = contribution(arguments);
    const Buffer result = is_root ? arguments.receive : room_like(exchange, own);
    if (!(is_root && arguments.in_place)) exchange.copy(own, result);

    const FoldedRanks ranks(exchange.size(), FoldedRanks::Kept::kEven);
    const VectorPieces pieces(result.count, ranks.count(), cut);
    if (halves) {
        co_await fold_halves(exchange, ranks, result, arguments.operation);
    } else {
        co_await fold(exchange, ranks, result, arguments.operation);
    }
    if (!ranks.is_out(exchange.rank())) {
        co_await scatter_by_halving(exchange, ranks, pieces, result, arguments.operation);
    }
    co_await gather_windows(exchange, ranks, pieces, result, arguments.root);
}

}  // namespace

Steps reduce_rabenseifner(Exchange& exchange, CollectiveArguments arguments, Tuning /*tuning*/) {
    return rabenseifner(exchange, arguments, VectorPieces::Cut::kEvenly, false);
}

Steps reduce_rabenseifner_of_halves(Exchange& exchange, CollectiveArguments arguments, Tuning tuning) {
    if (contribution(arguments).count < largest_power_of_two(exchange.size()) || exchange.size() < 2) {
        return reduce_linear(exchange, arguments, tuning);
    }
    return rabenseifner(exchange, arguments, VectorPieces::Cut::kInTheMiddle, true);
}

}  // namespace haichi::collectives
