// Algorithms of reduce_scatter that keep the order of the ranks.
#include "base/errors.h"
#include "collectives/halving.h"
#include "collectives/reduce_scatter.h"
#include "collectives/scattered_vector.h"

namespace haichi::collectives {

namespace {

int mirrored(int number, int count) {
    int result = 0;
    for (int bit = 1; bit < count; bit *= 2) {
        result = 2 * result + (number & 1);
        number /= 2;
    }
    return result;
}

/// Exchanges a part of `sums` for another one and reduces it in the order of the ranks. The result is in `coming` if
/// the partner has the higher rank, so the caller then swaps the two vectors.
Steps exchange_and_reduce(Exchange& exchange, int partner, Buffer given, Buffer kept, Buffer coming,
                          const Reduction* operation) {
    co_await exchange_with(exchange, given, partner, coming, partner);
    if (partner < exchange.rank()) {
        exchange.combine(*operation, coming.data, kept);
    } else {
        exchange.combine(*operation, kept.data, coming);
    }
}

/// All blocks except those of members [begin, end), joined. These members' partners get the joined blocks.
struct OtherBlocks {
    const ScatteredVector& vector;
    int begin;
    int end;

    [[nodiscard]] std::int64_t bytes() const {
        return vector.input().type->packed_bytes(vector.first(begin)) +
               vector.input().type->packed_bytes(vector.count(end, vector.members()));
    }
    void pack(Exchange& exchange, const Buffer& from, std::byte* to) const { move(exchange, from, to, true); }
    void unpack(Exchange& exchange, std::byte* from, const Buffer& to) const { move(exchange, to, from, false); }

    void move(Exchange& exchange, const Buffer& items, std::byte* bytes, bool out) const {
        const Buffer before = vector.blocks(items, 0, begin);
        const Buffer behind = vector.blocks(items, end, vector.members());
        for (const Buffer& run : {before, behind}) {
            const Buffer packed_run = packed(bytes, run.bytes());
            if (out) {
                exchange.copy(run, packed_run);
            } else {
                exchange.copy(packed_run, run);
            }
            bytes += run.bytes();
        }
    }
};

}  // namespace

Steps reduce_scatter_recursive_doubling(Exchange& exchange, CollectiveArguments arguments, Tuning /*tuning*/) {
    const int rank = exchange.rank();
    const int size = exchange.size();
    const Reduction& operation = *arguments.operation;
    const ScatteredVector vector(arguments, size);
    const Buffer sums = vector.copied_input(exchange);
    const Buffer room = room_like(exchange, sums);
    std::byte* const out = exchange.scratch(sums.bytes());
    std::byte* const in = exchange.scratch(sums.bytes());
    for (int width = 1; width < size; width *= 2) {
        const int own = round_down(rank, width);
        const int partner = rank ^ width;
        const int other = round_down(partner, width);
        // Blocks of members that do not exist are empty.
        const OtherBlocks sent{vector, std::min(own, size), std::min(own + width, size)};
        const OtherBlocks received{vector, std::min(other, size), std::min(other + width, size)};
        bool has_received = false;
        if (partner < size) {
            sent.pack(exchange, sums, out);
            co_await exchange_with(exchange, packed(out, sent.bytes()), partner, packed(in, received.bytes()), partner);
            has_received = true;
        }
        if (other + width > size) {
            // As in an all-gather, members without a partner get the data from other members of their run.
            const int with_partner = size - own - width;
            for (int distance = width / 2; distance > 0; distance /= 2) {
                const int peer = rank ^ distance;
                const int limit = round_down(rank, 2 * distance) + with_partner;
                if (peer > rank && rank < limit && peer >= limit) {
                    exchange.send(packed(in, received.bytes()), peer);
                    co_await exchange.wait();
                } else if (peer < rank && peer < limit && rank >= limit) {
                    exchange.receive(packed(in, received.bytes()), peer);
                    co_await exchange.wait();
                    has_received = true;
                }
            }
        }
        if (!has_received) continue;
        received.unpack(exchange, in, room);
        const bool in_front = other < own || operation.commutes();
        for (const auto& [begin, end] : {std::pair(0, received.begin), std::pair(received.end, size)}) {
            const Buffer sum = vector.blocks(sums, begin, end);
            const Buffer come = vector.blocks(room, begin, end);
            if (in_front) {
                exchange.combine(operation, come.data, sum);
            } else {
                exchange.combine(operation, sum.data, come);
                exchange.copy(come, sum);
            }
        }
    }
    exchange.copy(vector.block(sums, rank), vector.result(arguments, rank));
}

Steps reduce_scatter_butterfly(Exchange& exchange, CollectiveArguments arguments, Tuning /*tuning*/) {
    const int rank = exchange.rank();
    const ScatteredVector vector(arguments, exchange.size());
    Buffer sums = vector.copied_input(exchange);
    const FoldedRanks ranks(exchange.size(), FoldedRanks::Kept::kOdd);
    co_await fold(exchange, ranks, sums, arguments.operation);
    const int pairs = ranks.paired() / 2;
    const auto first_rank = [&](int number) { return number < pairs ? 2 * number : number + pairs; };
    const Buffer result = vector.result(arguments, rank);
    if (ranks.is_out(rank)) {
        exchange.receive(result, ranks.rank_of(mirrored(ranks.number_of_partner(rank), ranks.count())));
        co_await exchange.wait();
        co_return;
    }
    Buffer room = room_like(exchange, sums);
    const int number = ranks.number_of(rank);
    PieceWindow window{0, ranks.count()};
    for (int distance = 1; distance < ranks.count(); distance *= 2) {
        const bool upper = (number & distance) != 0;
        const PieceWindow kept = window.half(upper);
        const PieceWindow given = window.half(!upper);
        const auto part = [&](const Buffer& data, const PieceWindow& w) {
            return vector.blocks(data, first_rank(w.begin), first_rank(w.end));
        };
        const int partner = ranks.rank_of(number ^ distance);
        co_await exchange_and_reduce(exchange, partner, part(sums, given), part(sums, kept), part(room, kept),
                                     arguments.operation);
        if (partner > rank) std::swap(sums, room);
        window = kept;
    }
    // The reduced blocks belong to the member, or pair, with the mirrored number.
    const int owner_number = window.begin;
    const int owner = ranks.rank_of(owner_number);
    if (owner_number < pairs) {
        co_await exchange.wait(exchange.send(vector.block(sums, owner - 1), owner - 1));
    }
    if (owner == rank) {
        exchange.copy(vector.block(sums, rank), result);
    } else {
        co_await exchange_with(exchange, vector.block(sums, owner), owner, result, owner);
    }
}

Steps reduce_scatter_permuted_butterfly(Exchange& exchange, CollectiveArguments arguments, Tuning /*tuning*/) {
    const int rank = exchange.rank();
    const int size = exchange.size();
    const ScatteredVector vector(arguments, size);
    if (!is_power_of_two(size)) throw InternalError("a permuted butterfly on " + std::to_string(size) + " ranks");
    Buffer sums = room_like(exchange, vector.input());
    Buffer room = room_like(exchange, vector.input());
    for (int i = 0; i < size; ++i) {
        exchange.copy(vector.block(vector.input(), i), vector.block(sums, mirrored(i, size)));
    }
    PieceWindow window{0, size};
    for (int distance = 1; distance < size; distance *= 2) {
        const bool upper = (rank & distance) != 0;
        const PieceWindow kept = window.half(upper);
        const PieceWindow given = window.half(!upper);
        const int partner = rank ^ distance;
        co_await exchange_and_reduce(exchange, partner, vector.blocks(sums, given.begin, given.end),
                                     vector.blocks(sums, kept.begin, kept.end),
                                     vector.blocks(room, kept.begin, kept.end), arguments.operation);
        if (partner > rank) std::swap(sums, room);
        window = kept;
    }
    exchange.copy(vector.block(sums, window.begin), vector.result(arguments, rank));
}

}  // namespace haichi::collectives
