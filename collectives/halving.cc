#include "collectives/halving.h"

namespace haichi::collectives {

std::int64_t VectorPieces::first(int piece) const {
    if (cut_ == Cut::kEvenly || piece == shares_.parts) return shares_.first(piece);
    std::int64_t begin = 0;
    std::int64_t items = shares_.count;
    for (int pieces = shares_.parts / 2; pieces > 0; pieces /= 2) {
        const std::int64_t half = items / 2;
        if (piece >= pieces) {
            piece -= pieces;
            begin += half;
            items -= half;
        } else {
            items = half;
        }
    }
    return begin;
}

PieceWindow window_before(int number, int distance, int pieces) {
    PieceWindow window{0, pieces};
    for (int bit = 1; bit < distance; bit *= 2) window = window.half((number & bit) != 0);
    return window;
}

Steps scatter_by_halving(Exchange& exchange, FoldedRanks ranks, VectorPieces pieces, Buffer result,
                         const Reduction* operation) {
    const int number = ranks.number_of(exchange.rank());
    const Buffer room = room_like(exchange, result);
    PieceWindow window{0, pieces.count()};
    for (int distance = 1; distance < ranks.count(); distance *= 2) {
        const bool upper = (number & distance) != 0;
        const PieceWindow kept = window.half(upper);
        const PieceWindow given = window.half(!upper);
        const int partner = ranks.rank_of(number ^ distance);
        co_await exchange_with(exchange, pieces.part(result, given.begin, given.end), partner,
                               pieces.part(room, kept.begin, kept.end), partner);
        exchange.combine(*operation, pieces.part(room, kept.begin, kept.end).data,
                         pieces.part(result, kept.begin, kept.end));
        window = kept;
    }
}

Steps fold(Exchange& exchange, FoldedRanks ranks, Buffer result, const Reduction* operation) {
    const int rank = exchange.rank();
    if (rank >= ranks.paired()) {
        if (ranks.paired() > 0) exchange.sit_out();
        co_return;
    }
    const int partner = rank ^ 1;
    if (ranks.is_out(rank)) {
        exchange.send(result, partner);
        co_await exchange.wait();
        co_return;
    }
    const Buffer room = room_like(exchange, result);
    exchange.receive(room, partner);
    co_await exchange.wait();
    exchange.combine(*operation, room.data, result);
}

Steps fold_halves(Exchange& exchange, FoldedRanks ranks, Buffer result, const Reduction* operation) {
    const int rank = exchange.rank();
    if (rank >= ranks.paired()) {
        for (int round = 0; round < 2 && ranks.paired() > 0; ++round) exchange.sit_out();
        co_return;
    }
    const int partner = rank ^ 1;
    const std::int64_t middle = result.count / 2;
    const Buffer first = items(result, 0, middle);
    const Buffer second = items(result, middle, result.count - middle);
    const bool out = ranks.is_out(rank);
    const Buffer own = out ? second : first;
    const Buffer room = room_like(exchange, own);
    co_await exchange_with(exchange, out ? first : second, partner, room, partner);
    exchange.combine(*operation, room.data, own);
    if (out) {
        exchange.send(second, partner);
    } else {
        exchange.receive(second, partner);
    }
    co_await exchange.wait();
}

}  // namespace haichi::collectives
